// SPDX-License-Identifier: Apache-2.0
// The listening socket inside FrameConnection; private to it.
#pragma once

#include <asio/basic_socket_acceptor.hpp>
#include <optional>

#include "host/accept_loop.h"
#include "host/socket_path.h"
#include "physics_link/connection/frame_connection.h"

namespace hilgate {

struct FrameConnection::Acceptor {
  Acceptor(asio::io_context& io, const LinkOptions& options) : socket(io), endpoint(options.endpoint) {}
  ~Acceptor() {
    std::error_code ignored;
    socket.close(ignored);
    if (bound && endpoint.is_unix) {
      remove_socket_path(endpoint.path);
    }
  }
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  asio::basic_socket_acceptor<Protocol> socket;
  std::optional<AcceptLoop<asio::basic_socket_acceptor<Protocol>>> loop{};  // once it listens
  Endpoint endpoint;
  bool bound = false;
};

}  // namespace hilgate
