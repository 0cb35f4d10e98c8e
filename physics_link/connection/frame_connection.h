// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>

#include "clock/time.h"
#include "host/control_clock.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/connection/endpoint.h"
#include "physics_link/connection/framing.h"

namespace hilgate {

enum class ConnectionRole : std::uint8_t { kConnect, kListen };

struct LinkOptions {
  std::string name = "link";  // for people: "physics", "netsim"
  Endpoint endpoint{};
  ConnectionRole role = ConnectionRole::kConnect;
  std::size_t frame_limit = kDefaultFrameLimit;       // bytes of one body
  Nanoseconds patience = std::chrono::seconds(60);    // for the other side to appear; 0: for ever
  Nanoseconds retry = std::chrono::milliseconds(50);  // from one try to connect to the next
  Nanoseconds report_every = std::chrono::seconds(2);
};

/// One stream socket that carries frames, as client or as server for one peer at a time. Every call and every
/// handler runs on the thread of the io_context. Handlers may close or destroy the link.
class FrameConnection {
 public:
  struct Handlers {
    std::function<void()> opened;
    std::function<void(std::string_view body)> frame;  // valid during the call
    /// The peer is gone (`patience_spent` false: open() may be called again) or never came (true).
    std::function<void(bool patience_spent, const std::string& why)> lost;
  };

  /// `report` must outlive the link. Throws std::runtime_error for a host that has no address.
  FrameConnection(asio::io_context& io, LinkOptions options, ConnectionReport& report, Handlers handlers);
  ~FrameConnection();
  FrameConnection(const FrameConnection&) = delete;
  FrameConnection& operator=(const FrameConnection&) = delete;

  /// Starts connecting or listening. Throws std::runtime_error when that can never succeed: a path that is no
  /// socket, another process listening already, a port that may not be bound.
  void open();
  /// Whether a peer that connects while another is there waits for the next open(), as long as it is the only one, or
  /// is refused, the initial setting. A peer that connects after the other has hung up, before this is noticed, waits.
  void keep_next(bool keep);
  /// Sends one frame, with one system call when the socket takes it. Does nothing while not connected. A peer that
  /// reads so little that two frames of the largest size wait is dropped.
  void send(std::string_view body);
  /// Closes the connection; a listening socket stays, and open() continues with the next peer.
  void close();
  [[nodiscard]] bool is_open() const { return connected_; }
  /// Counts reads: a frame handled in the same turn as an earlier one had arrived by then.
  [[nodiscard]] std::uint64_t turn() const { return turn_; }
  /// The port a listening TCP link was given; for endpoints with port 0.
  [[nodiscard]] std::uint16_t local_port() const;

 private:
  using Protocol = asio::generic::stream_protocol;
  struct Acceptor;

  void try_connect();
  void try_later(Nanoseconds wait);
  void retry_later(const std::string& why);
  void listen();
  void take_peer(Protocol::socket peer);
  void send_away(Protocol::socket& peer);
  bool may_wait();
  std::string stranger(Protocol::socket& peer) const;
  void start(Protocol::socket socket);
  void read_more();
  void go_on();
  bool take_frames();
  void write_rest();
  void drop(const std::string& why);
  void drop_later(const char* why);

  asio::io_context& io_;
  LinkOptions options_;
  ConnectionReport& report_;
  Handlers handlers_;
  Protocol::endpoint address_;
  Protocol::socket socket_;
  std::unique_ptr<Acceptor> acceptor_;
  ControlTimer timer_;
  ControlTimer pause_;  // from one turn of a peer that sends without being asked to the next
  FrameReader reader_;
  std::string outbox_;    // frames, or the rest of them, that the socket has not taken yet
  std::size_t sent_ = 0;  // bytes of outbox_
  bool connected_ = false;
  bool wanted_ = false;  // open() was called and no peer is connected yet
  bool writing_ = false;
  bool keep_next_ = false;
  std::optional<Protocol::socket> next_peer_{};  // connected while another was there
  std::uint64_t turn_ = 0;
  std::uint64_t generation_ = 0;  // of the connection: handlers of an older one do nothing
  ControlClock::time_point waiting_since_{};
  ControlClock::time_point tried_{};  // to connect
  ControlClock::time_point reported_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate
