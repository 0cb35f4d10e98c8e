// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/dlep_modem.h"

#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/ip/multicast.hpp>
#include <asio/ip/v6_only.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "host/interface_addresses.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kLookEvery = 1s;           // for the interface
constexpr std::size_t kMostUnsent = 256 * 1024;  // bytes: of a router that does not read, nothing is read either
constexpr const char* kPeerType = "hilgate";
constexpr int kOneHop = 255;  // TTL: a receiver sees that no router was on the way (RFC 5082)

/// Link-local multicast groups (RFC 8175, 15.14 and 15.15).
asio::ip::address group_of(bool v4) {
  return asio::ip::make_address(v4 ? "224.0.0.117" : "ff02::1:7");
}

DlepModem::InterfaceAddresses addresses_of(const std::string& interface) {
  DlepModem::InterfaceAddresses found;
  for (const IpBytes& ip : interface_addresses(interface)) {
    std::optional<IpAddress>& wanted = is_ipv4(ip) ? found.v4 : found.v6;
    if (!wanted && (is_ipv4(ip) || is_link_local_ipv6(ip))) {
      wanted = IpAddress::from_wire_v6(reinterpret_cast<const std::byte*>(ip.data()));
    }
  }
  return found;
}

/// What passes this interface alone.
template <class Socket>
void bind_to(Socket& socket, const std::string& interface) {
  if (setsockopt(socket.native_handle(), SOL_SOCKET, SO_BINDTODEVICE, interface.c_str(),
                 static_cast<socklen_t>(interface.size() + 1)) != 0) {
    throw std::system_error(errno, std::generic_category(), "bind a socket to the interface");
  }
}

template <class Socket>
void use_one_hop(Socket& socket, bool v4) {
  setsockopt(socket.native_handle(), v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TTL : IPV6_UNICAST_HOPS, &kOneHop,
             sizeof kOneHop);
}

}  // namespace

DlepModem::DlepModem(Surroundings surroundings, std::string robot, DlepConfig config)
    : surroundings_(std::move(surroundings)), robot_(std::move(robot)), config_(std::move(config)) {}

void DlepModem::tick() {
  const HostTime now = surroundings_.now();
  if (!looked_ || now - *looked_ >= kLookEvery) {
    looked_ = now;
    look();
  }
  serve();
}

void DlepModem::look() {
  const unsigned index = ::if_nametoindex(config_.interface.c_str());
  const InterfaceAddresses own = addresses_of(config_.interface);
  const bool same_interface = index_ != 0 && index == index_;
  if (same_interface && (own == own_ || connection_ != nullptr)) {
    return;  // a session goes on, whatever other addresses there are
  }
  close();
  if (index == 0) {
    interface_problem_ = fmt::format("there is no interface '{}'", config_.interface);
  } else if (!own.v4 && !own.v6) {
    interface_problem_ = fmt::format(
        "interface '{0}' has no IPv4 address and no link-local IPv6 address; give it one (`ip address add 10.9.0.1/30 "
        "dev {0}`)",
        config_.interface);
  } else {
    interface_problem_ = open(index, own);
  }
}

std::string DlepModem::open(unsigned index, const InterfaceAddresses& own) {
  try {
    for (const auto& address : {own.v4, own.v6}) {
      if (address) {
        listen(address->is_v4() ? Tcp::v4() : Tcp::v6());
        if (config_.discovery) {
          discover(*address, index);
        }
      }
    }
  } catch (const std::system_error& error) {
    close();
    return fmt::format("port {} cannot be opened on interface '{}': {}{}", config_.port, config_.interface,
                       error.what(),
                       error.code() == std::errc::permission_denied
                           ? "; give the service CAP_NET_BIND_SERVICE, or choose a `port` from 1024 on"
                           : "");
  }
  index_ = index;
  own_ = own;
  spdlog::info("robot {}: DLEP: routers can connect on {} to TCP port {}{}", robot_, config_.interface, config_.port,
               config_.discovery ? ", and discover it" : "");
  return {};
}

void DlepModem::listen(const Tcp& protocol) {
  Acceptor& acceptor = *acceptors_.emplace_back(std::make_unique<Acceptor>(surroundings_.context));
  Tcp::acceptor& socket = acceptor.socket;
  socket.open(protocol);
  socket.set_option(Tcp::acceptor::reuse_address(true));
  if (protocol == Tcp::v6()) {
    socket.set_option(asio::ip::v6_only(true));
  }
  bind_to(socket, config_.interface);
  use_one_hop(socket, protocol == Tcp::v4());
  socket.bind({protocol, config_.port});
  socket.listen();
  acceptor.loop.emplace(
      socket, AcceptLimits{.at_once = 2, .per_second = 10},
      [this](Tcp::socket connected, ConnectionSeat seat) { take(std::move(connected), std::move(seat)); });
}

void DlepModem::discover(const IpAddress& own, unsigned index) {
  const auto protocol = own.is_v4() ? Udp::v4() : Udp::v6();
  auto discovery = std::make_shared<Discovery>(Discovery{.socket = Udp::socket(surroundings_.context), .own = own});
  Udp::socket& socket = discovery->socket;
  socket.open(protocol);
  socket.set_option(Udp::socket::reuse_address(true));
  if (protocol == Udp::v6()) {
    socket.set_option(asio::ip::v6_only(true));
  }
  bind_to(socket, config_.interface);
  use_one_hop(socket, own.is_v4());
  socket.bind({protocol, config_.port});
  const auto group = group_of(own.is_v4());
  group.is_v4() ? socket.set_option(asio::ip::multicast::join_group(group.to_v4(), asio::ip::make_address_v4(own.v4())))
                : socket.set_option(asio::ip::multicast::join_group(group.to_v6(), index));
  discoveries_.push_back(discovery);
  receive(discovery);
}

void DlepModem::close() {
  asio::error_code ignored;
  for (const auto& discovery : discoveries_) {
    discovery->socket.close(ignored);
  }
  acceptors_.clear();
  discoveries_.clear();
  index_ = 0;
  if (connection_ != nullptr) {
    connection_->session.lost(fmt::format("interface '{}' has gone", config_.interface));
    drop(connection_);
  }
}

void DlepModem::stop() {
  if (const auto connection = connection_; connection != nullptr) {
    connection->session.terminate(DlepStatusCode::kShuttingDown, "this modem is removed or stopped",
                                  surroundings_.now());
    connection->unsent += connection->session.take_output();
    asio::error_code ignored;
    if (!connection->writes) {  // what the kernel takes at once
      connection->socket.write_some(asio::buffer(connection->unsent), ignored);
    }
    connection->socket.shutdown(Tcp::socket::shutdown_send, ignored);
    drop(connection);
  }
  close();
}

// One session; who comes while there is one comes again later.
void DlepModem::take(Tcp::socket socket, ConnectionSeat seat) {
  if (connection_ != nullptr) {
    ++refused_;
    return;
  }
  asio::error_code ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);
  const HostTime now = surroundings_.now();
  connection_ = std::make_shared<Connection>(Connection{
      .socket = std::move(socket), .seat = std::move(seat), .session = DlepSession(kPeerType, config_.heartbeat, now)});
  counted_ = false;
  serve();
  read(connection_);
}

void DlepModem::receive(const std::shared_ptr<Discovery>& discovery) {
  discovery->socket.async_receive_from(
      asio::buffer(discovery->datagram), discovery->from,
      [weak = weak_from_this(), discovery](const asio::error_code& error, std::size_t bytes) {
        const auto self = weak.lock();
        if (self == nullptr || !discovery->socket.is_open()) {
          return;
        }
        if (!error) {
          is_dlep_discovery(std::span(discovery->datagram).first(bytes)) ? self->offer(*discovery)
                                                                         : static_cast<void>(++self->undiscovered_);
        }
        self->receive(discovery);
      });
}

// While a router has the session another one would be refused.
void DlepModem::offer(Discovery& discovery) {
  ++discovered_;
  if (connection_ != nullptr) {
    return;
  }
  const std::string signal =
      std::move(DlepWriter::offer().peer_type(kPeerType).connection_point(discovery.own, config_.port)).bytes();
  asio::error_code ignored;  // the router discovers again
  discovery.socket.send_to(asio::buffer(signal), discovery.from, 0, ignored);
  // LL-DLEP discovers from any port, and receives offers at DLEP's own.
  if (discovery.from.port() != config_.port) {
    discovery.socket.send_to(asio::buffer(signal), {discovery.from.address(), config_.port}, 0, ignored);
  }
}

void DlepModem::read(const std::shared_ptr<Connection>& connection) {
  if (connection->reads || connection->unsent.size() > kMostUnsent) {
    return;
  }
  connection->reads = true;
  connection->socket.async_read_some(
      asio::buffer(connection->input),
      [weak = weak_from_this(), connection](const asio::error_code& error, std::size_t bytes) {
        const auto self = weak.lock();
        connection->reads = false;
        if (self == nullptr || self->connection_ != connection) {
          return;
        }
        if (error) {
          connection->session.lost(error == asio::error::eof
                                       ? std::string("the router closed the connection without Session Termination")
                                       : "the connection failed: " + error.message());
          return self->drop(connection);
        }
        connection->session.receive(std::span(connection->input).first(bytes), self->surroundings_.now());
        self->advance(connection);
        if (self->connection_ == connection) {
          self->read(connection);
        }
      });
}

void DlepModem::serve() {
  const auto connection = connection_;
  if (connection == nullptr) {
    return;
  }
  const HostTime now = surroundings_.now();
  if (connection->unsent.empty()) {  // a router that reads slowly is told the newest values later
    DlepView view = surroundings_.view();
    without_mac_ = view.without_mac;
    connection->session.update(std::move(view.destinations), view.session, now);
  }
  connection->session.tick(now);
  advance(connection);
}

void DlepModem::advance(const std::shared_ptr<Connection>& connection) {
  DlepSession& session = connection->session;
  if (!counted_ && session.has_begun()) {
    counted_ = true;
    ++sessions_;
    router_ = session.router();
    problem_.clear();
    spdlog::info("robot {}: DLEP: session with router '{}' on {}", robot_, router_, config_.interface);
  }
  connection->unsent += session.take_output();
  write(connection);
  if (session.state() == DlepSession::State::kOver && connection->unsent.empty() && connection_ == connection) {
    drop(connection);
  }
}

void DlepModem::write(const std::shared_ptr<Connection>& connection) {
  if (connection->writes || connection->unsent.empty()) {
    return;
  }
  connection->writes = true;
  connection->socket.async_write_some(
      asio::buffer(connection->unsent),
      [weak = weak_from_this(), connection](const asio::error_code& error, std::size_t bytes) {
        const auto self = weak.lock();
        connection->writes = false;
        if (self == nullptr || self->connection_ != connection) {
          return;
        }
        if (error) {
          connection->session.lost("the connection failed: " + error.message());
          return self->drop(connection);
        }
        connection->unsent.erase(0, bytes);
        self->advance(connection);
        if (self->connection_ == connection) {
          self->read(connection);
        }
      });
}

void DlepModem::drop(const std::shared_ptr<Connection>& connection) {
  const DlepSession& session = connection->session;
  counts_.sent += session.counts().sent;
  counts_.received += session.counts().received;
  counts_.malformed += session.counts().malformed;
  problem_ = session.problem();
  if (session.has_begun()) {
    spdlog::warn("robot {}: DLEP: the session with router '{}' on {} has ended: {}", robot_, router_, config_.interface,
                 problem_);
  }
  asio::error_code ignored;
  connection->socket.close(ignored);
  connection_ = nullptr;
}

std::optional<std::string> DlepModem::session_problem() const {
  if (connection_ != nullptr && connection_->session.state() == DlepSession::State::kInSession) {
    return std::nullopt;
  }
  if (sessions_ == 0) {
    return problem_.empty() ? "no router has begun a session yet" : "no router has begun a session: " + problem_;
  }
  const std::string& why = connection_ != nullptr ? connection_->session.problem() : problem_;
  return fmt::format("the session with router '{}' has ended{}{}", router_, why.empty() ? "" : ": ", why);
}

DlepStatus DlepModem::status() const {
  DlepStatus status{.robot = robot_,
                    .interface = config_.interface,
                    .port = config_.port,
                    .state = interface_problem_.empty() ? "waiting" : "no interface",
                    .without_mac = without_mac_,
                    .sent = counts_.sent,
                    .received = counts_.received,
                    .malformed = counts_.malformed,
                    .sessions = sessions_,
                    .refused = refused_,
                    .discoveries = discovered_,
                    .not_discoveries = undiscovered_};
  std::string problem = interface_problem_.empty() ? problem_ : interface_problem_;
  if (connection_ != nullptr) {
    const DlepSession& session = connection_->session;
    status.state = session.state() == DlepSession::State::kInitializing ? "initializing"
                   : session.state() == DlepSession::State::kInSession  ? "in session"
                                                                        : "ending";
    status.destinations_up = session.up();
    status.sent += session.counts().sent;
    status.received += session.counts().received;
    status.malformed += session.counts().malformed;
    if (session.state() == DlepSession::State::kInSession) {
      status.router = session.router();
      status.router_heartbeat = session.router_heartbeat();
    }
    problem = session.problem().empty() ? problem : session.problem();
  }
  if (!problem.empty()) {
    status.problem = std::move(problem);
  }
  return status;
}

}  // namespace hilgate
