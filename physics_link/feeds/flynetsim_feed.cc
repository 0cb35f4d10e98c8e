// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/flynetsim_feed.h"

#include <stdexcept>
#include <zmq.hpp>

#include <fmt/format.h>
#include <asio/posix/stream_descriptor.hpp>

#include "physics_link/feeds/position_formats.h"

namespace hilgate {

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
