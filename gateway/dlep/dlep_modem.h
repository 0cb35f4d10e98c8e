// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/telemetry_config.h"
#include "gateway/dlep/dlep_links.h"
#include "gateway/dlep/protocol/dlep_session.h"
#include "gateway/status/model/peer_status.h"
#include "host/accept_loop.h"

namespace hilgate {

/// The modem of one robot's router: listens on an interface of this machine and has one session at a time. Sockets are
/// bound to the interface, and what they send has a TTL of 255. Control thread; owned by shared pointers, because
/// handlers may still be queued when it goes.
class DlepModem : public std::enable_shared_from_this<DlepModem> {
 public:
  struct Surroundings {
    asio::io_context& context;
    std::function<HostTime()> now;
    std::function<DlepView()> view;  // of the robot's links
  };

  /// The first IPv4 address of the interface, and its first link-local IPv6 address.
  struct InterfaceAddresses {
    std::optional<IpAddress> v4{}, v6{};
    friend bool operator==(const InterfaceAddresses&, const InterfaceAddresses&) = default;
  };

  DlepModem(Surroundings surroundings, std::string robot, DlepConfig config);

  /// To be called every kTick: opens and closes sockets as the interface comes and goes, and serves the session.
  static constexpr Nanoseconds kTick{50'000'000};
  void tick();
  /// Ends the session (Shutting Down) and closes all sockets, for good.
  void stop();

  [[nodiscard]] const std::string& robot() const { return robot_; }
  [[nodiscard]] const DlepConfig& config() const { return config_; }
  [[nodiscard]] DlepStatus status() const;
  /// Why no router can connect; empty: one can.
  [[nodiscard]] const std::string& interface_problem() const { return interface_problem_; }
  /// Why there is no session; nothing while there is one.
  [[nodiscard]] std::optional<std::string> session_problem() const;

 private:
  using Tcp = asio::ip::tcp;
  using Udp = asio::ip::udp;
  struct Acceptor {
    explicit Acceptor(asio::io_context& context) : socket(context) {}

    Tcp::acceptor socket;
    std::optional<AcceptLoop<Tcp::acceptor>> loop{};  // while the socket listens
  };
  struct Discovery {
    Udp::socket socket;
    IpAddress own;  // the connection point that is offered
    Udp::endpoint from{};
    std::array<std::byte, 1500> datagram{};
  };
  struct Connection {
    Tcp::socket socket;
    ConnectionSeat seat;
    DlepSession session;
    std::string unsent{};
    bool reads = false, writes = false;
    std::array<std::byte, 4096> input{};
  };

  void look();
  /// What is wrong; empty when sockets are open.
  [[nodiscard]] std::string open(unsigned index, const InterfaceAddresses& own);
  void close();
  void listen(const Tcp& protocol);
  void discover(const IpAddress& own, unsigned index);
  void take(Tcp::socket socket, ConnectionSeat seat);
  void receive(const std::shared_ptr<Discovery>& discovery);
  void offer(Discovery& discovery);
  void read(const std::shared_ptr<Connection>& connection);
  void write(const std::shared_ptr<Connection>& connection);
  void serve();
  /// Sends what the session has to send, and lets go of it once it is over.
  void advance(const std::shared_ptr<Connection>& connection);
  void drop(const std::shared_ptr<Connection>& connection);

  Surroundings surroundings_;
  const std::string robot_;
  const DlepConfig config_;
  unsigned index_ = 0;  // of the interface that sockets are bound to; 0: none
  InterfaceAddresses own_;
  std::optional<HostTime> looked_{};
  std::string interface_problem_ = "is not open yet";
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::vector<std::shared_ptr<Discovery>> discoveries_;
  std::shared_ptr<Connection> connection_;  // null: no router
  std::string router_;                      // the last one's peer type
  std::string problem_;                     // of the last session
  DlepCounts counts_;                       // of earlier sessions
  std::uint64_t sessions_ = 0, refused_ = 0, discovered_ = 0, undiscovered_ = 0, without_mac_ = 0;
  bool counted_ = false;  // the session of connection_, in sessions_
};

}  // namespace hilgate
