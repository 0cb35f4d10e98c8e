// SPDX-License-Identifier: Apache-2.0
// Sockets on which external co-simulators push positions. Each moves the robots of a PositionFeed; all run on the
// io_context's thread. Constructors throw std::system_error or std::runtime_error for sockets that cannot be had.
#pragma once

#include <array>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>

#include "host/accept_loop.h"
#include "physics_link/connection/endpoint.h"
#include "physics_link/feeds/position_feed.h"

namespace hilgate {

/// CORNET 2.0's middleware connects anew for every command, to mininet-wifi's port 12345, and reads one reply. One
/// read of up to 1024 bytes is one command, as mininet-wifi takes it. A client that is silent for 10 s is disconnected.
class Cornet2Server {
 public:
  Cornet2Server(asio::io_context& io, const Endpoint& endpoint, PositionFeed& feed);
  ~Cornet2Server() { *alive_ = false; }  // before the sockets go
  Cornet2Server(const Cornet2Server&) = delete;
  Cornet2Server& operator=(const Cornet2Server&) = delete;
  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void serve(asio::ip::tcp::socket peer, ConnectionSeat seat);

  asio::ip::tcp::acceptor acceptor_;
  PositionFeed& feed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  AcceptLoop<asio::ip::tcp::acceptor> accept_loop_;
};

/// A Unix socket that any number of peers keep open and write lines to, without replies: CORNET 2026's clock and
/// positions. Lines longer than 64 KiB are dropped with their peer. 32 peers at most.
class LineServer {
 public:
  LineServer(asio::io_context& io, const std::string& path, std::function<void(std::string_view line)> take);
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

 private:
  struct Peer;
  void read_more(std::shared_ptr<Peer> peer);

  asio::local::stream_protocol::acceptor acceptor_;
  std::string path_;
  std::function<void(std::string_view)> take_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  AcceptLoop<asio::local::stream_protocol::acceptor> accept_loop_;
};

/// CORNET 2026's two sockets. The clock is the time its simulators have reached, which its bridges read from ROS'
/// /clock.
class CornetSockets {
 public:
  CornetSockets(asio::io_context& io, const std::string& clock_path, const std::string& positions_path,
                PositionFeed& feed);

 private:
  LineServer clock_server_;
  LineServer positions_server_;
};

/// RoboNetSim: ARGoS sends to our port 9999, and continues when it gets one datagram for each of its ticks.
class RoboNetSimServer {
 public:
  RoboNetSimServer(asio::io_context& io, const Endpoint& endpoint, PositionFeed& feed);
  ~RoboNetSimServer() { *alive_ = false; }
  RoboNetSimServer(const RoboNetSimServer&) = delete;
  RoboNetSimServer& operator=(const RoboNetSimServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return socket_.local_endpoint().port(); }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  void receive();
  void take(std::string_view datagram);
  void reply();

  asio::ip::udp::socket socket_;
  asio::ip::udp::endpoint peer_;
  PositionFeed& feed_;
  std::array<char, 8192> buffer_{};  // RoboNetSim's largest datagram
  bool stopped_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// Subscribes to the telemetry of FlyNetSim's UAV processes by ZeroMQ, instead of ns-3, and takes the positions. Robots
/// are named by their three digits.
class FlyNetSimFeed {
 public:
  /// `address`: ZeroMQ's, tcp://127.0.0.1:5600 in the reference; connecting never fails, it waits. Throws
  /// std::runtime_error for an invalid address.
  FlyNetSimFeed(asio::io_context& io, const std::string& address, PositionFeed& feed);
  ~FlyNetSimFeed();
  FlyNetSimFeed(const FlyNetSimFeed&) = delete;
  FlyNetSimFeed& operator=(const FlyNetSimFeed&) = delete;

 private:
  struct Socket;
  void wait();
  void drain();

  PositionFeed& feed_;
  std::unique_ptr<Socket> socket_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate
