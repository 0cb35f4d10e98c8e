// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/feed_sockets.h"

#include <fmt/format.h>

#include <asio/posix/stream_descriptor.hpp>
#include <asio/write.hpp>
#include <stdexcept>
#include <zmq.hpp>

#include "host/control_clock.h"
#include "host/unix_socket.h"
#include "physics_link/feeds/position_formats.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {
namespace {

constexpr std::size_t kCornet2Command = 1024;
constexpr auto kSilence = std::chrono::seconds(10);
constexpr std::size_t kLongestLine = 64 * 1024;

// Backlog of connections, accepted at 100 a second: a client that connects after a storm waits for these only.
constexpr int kWaiting = 16;

asio::local::stream_protocol::acceptor listening(asio::io_context& io, const std::string& path) {
  free_socket_path(path);
  const asio::local::stream_protocol::endpoint place(path);
  asio::local::stream_protocol::acceptor acceptor(io, place.protocol());
  acceptor.bind(place);
  acceptor.listen(kWaiting);
  return acceptor;
}

}  // namespace

Cornet2Server::Cornet2Server(asio::io_context& io, const Endpoint& endpoint, PositionFeed& feed)
    : acceptor_(io, {asio::ip::make_address(endpoint.host), endpoint.port}),
      feed_(feed),
      // Every command is a connection of its own.
      accept_loop_(
          acceptor_, {.at_once = 64, .per_second = 2000, .burst = 200},
          [this](asio::ip::tcp::socket peer, ConnectionSeat seat) { serve(std::move(peer), std::move(seat)); }) {}

void Cornet2Server::serve(asio::ip::tcp::socket peer, ConnectionSeat seat) {
  auto connection = std::make_shared<asio::ip::tcp::socket>(std::move(peer));
  auto deadline = std::make_shared<ControlTimer>(connection->get_executor(), kSilence);
  deadline->async_wait([connection, deadline](std::error_code cancelled) {
    std::error_code ignored;
    if (!cancelled) {
      connection->close(ignored);
    }
  });
  auto buffer = std::make_shared<std::array<char, kCornet2Command>>();
  connection->async_read_some(
      asio::buffer(*buffer), [this, alive = alive_, connection, buffer, deadline, seat = std::move(seat)](
                                 std::error_code error, std::size_t bytes) {
        deadline->cancel();
        if (!*alive || error) {
          return;
        }
        const Cornet2Command command = parse_cornet2({buffer->data(), bytes});
        if (command.position) {
          feed_.move(command.position->robot, command.position->at);
        } else {
          feed_.note_malformed();
        }
        asio::async_write(*connection, asio::buffer(command.reply), [connection](std::error_code, std::size_t) {});
      });
}

struct LineServer::Peer {
  asio::local::stream_protocol::socket socket;
  ConnectionSeat seat;
  std::string text{};
  std::array<char, 4096> buffer{};
};

LineServer::LineServer(asio::io_context& io, const std::string& path, std::function<void(std::string_view)> take)
    : acceptor_(listening(io, path)),
      path_(path),
      take_(std::move(take)),
      accept_loop_(acceptor_, {}, [this](asio::local::stream_protocol::socket peer, ConnectionSeat seat) {
        if (local_peer(peer.native_handle()).trusted) {
          read_more(std::make_shared<Peer>(Peer{.socket = std::move(peer), .seat = std::move(seat)}));
        }
      }) {
  share_socket_path(path_);
}

LineServer::~LineServer() {
  *alive_ = false;
  remove_socket_path(path_);
}

void LineServer::read_more(std::shared_ptr<Peer> peer) {
  Peer& reading = *peer;
  reading.socket.async_read_some(asio::buffer(reading.buffer), [this, alive = alive_, peer = std::move(peer)](
                                                                   std::error_code error, std::size_t bytes) mutable {
    if (!*alive || error) {
      return;
    }
    peer->text.append(peer->buffer.data(), bytes);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = peer->text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      take_(std::string_view(peer->text).substr(begin, end - begin));
    }
    peer->text.erase(0, begin);
    if (peer->text.size() <= kLongestLine) {
      read_more(std::move(peer));
    }
  });
}

CornetSockets::CornetSockets(asio::io_context& io, const std::string& clock_path, const std::string& positions_path,
                             PositionFeed& feed)
    : clock_server_(io, clock_path,
                    [&feed](std::string_view line) {
                      if (const auto time = parse_cornet_clock(line)) {
                        feed.note_clock(*time);
                      } else if (!line.empty()) {
                        feed.note_malformed();
                      }
                    }),
      positions_server_(io, positions_path, [&feed](std::string_view line) {
        if (const auto position = parse_cornet_position(line)) {
          feed.move(position->robot, position->at);
        } else if (!line.empty()) {
          feed.note_malformed();
        }
      }) {}

RoboNetSimServer::RoboNetSimServer(asio::io_context& io, const Endpoint& endpoint, PositionFeed& feed)
    : socket_(io, {asio::ip::make_address(endpoint.host), endpoint.port}), feed_(feed) {
  receive();
}

void RoboNetSimServer::receive() {
  socket_.async_receive_from(asio::buffer(buffer_), peer_,
                             [this, alive = alive_](std::error_code error, std::size_t bytes) {
                               if (!*alive || error == asio::error::operation_aborted) {
                                 return;
                               }
                               if (!error) {
                                 take({buffer_.data(), bytes});
                               }
                               receive();
                             });
}

void RoboNetSimServer::take(std::string_view datagram) {
  switch (robonetsim::type_of(datagram).value_or(robonetsim::Type::kMessageTypes)) {
    case robonetsim::Type::kSimulationInformation:
      reply();
      reply();  // the second lets its first tick begin
      return;
    case robonetsim::Type::kNodePositions:
      if (const auto positions = robonetsim::decode_positions(datagram)) {
        for (const NamedPosition& node : positions->nodes) {
          feed_.move(node.robot, node.at);
        }
        if (const auto time = bounded_time_of_seconds(positions->timestamp_s)) {
          feed_.note_clock(*time);
        }
        reply();
        return;
      }
      break;
    case robonetsim::Type::kStop:
      stopped_ = true;
      return;
    default:
      break;
  }
  feed_.note_malformed();
}

void RoboNetSimServer::reply() {
  std::error_code lost;  // as any datagram may be; the peer asks again
  socket_.send_to(asio::buffer(robonetsim::network_sim_info("hilgate")), peer_, 0, lost);
}

struct FlyNetSimFeed::Socket {
  explicit Socket(asio::io_context& io) : zmq(context, zmq::socket_type::sub), descriptor(io) {}
  ~Socket() { descriptor.release(); }  // it belongs to ZeroMQ
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  zmq::context_t context;
  zmq::socket_t zmq;
  asio::posix::stream_descriptor descriptor;
};

FlyNetSimFeed::FlyNetSimFeed(asio::io_context& io, const std::string& address, PositionFeed& feed)
    : feed_(feed), socket_(std::make_unique<Socket>(io)) {
  try {
    socket_->zmq.set(zmq::sockopt::linger, 0);
    socket_->zmq.set(zmq::sockopt::subscribe, "@@@U_");
    socket_->zmq.connect(address);
    socket_->descriptor.assign(socket_->zmq.get(zmq::sockopt::fd));
  } catch (const zmq::error_t& error) {
    throw std::runtime_error(
        fmt::format("'{}' is not a ZeroMQ address ({}); write tcp://host:port", address, error.what()));
  }
  drain();
  wait();
}

FlyNetSimFeed::~FlyNetSimFeed() {
  *alive_ = false;
}

void FlyNetSimFeed::wait() {
  socket_->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                 [this, alive = alive_](std::error_code error) {
                                   if (!*alive || error) {
                                     return;
                                   }
                                   drain();
                                   wait();
                                 });
}

// The descriptor signals changes only (zmq_getsockopt(3), ZMQ_FD), so everything must be taken each time.
void FlyNetSimFeed::drain() {
  zmq::message_t message;
  while (socket_->zmq.recv(message, zmq::recv_flags::dontwait)) {
    if (const auto position = parse_flynetsim(message.to_string_view())) {
      feed_.move(position->robot, position->at);
    } else if (message.to_string_view().find("***DISTANCE***") != std::string_view::npos) {
      feed_.note_malformed();
    }
  }
}

}  // namespace hilgate
