// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <asio/basic_socket_acceptor.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <memory>
#include <utility>

#include "gateway/views/web/web_session.h"
#include "host/accept_loop.h"
#include "host/unix_socket.h"

namespace hilgate {
namespace {

using StreamProtocol = asio::generic::stream_protocol;
using StreamAcceptor = asio::basic_socket_acceptor<StreamProtocol>;

// Under a flood of connections, each one in the kernel's queue is accepted within a tenth of a second. A page is some
// twenty files, each on a connection of its own.
constexpr int kBacklog = 256;
constexpr AcceptLimits kVisitors{.at_once = 96, .others_wait = true, .per_second = 2000, .burst = 256};

FileDescriptor listen_at_path(const std::string& path) {
  free_socket_path(path);
  FileDescriptor socket(checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), path));
  const asio::local::stream_protocol::endpoint endpoint(path);
  checked(::bind(socket.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())), path);
  share_socket_path(path);
  checked(::listen(socket.get(), kBacklog), path);
  return socket;
}

FileDescriptor listen_at_address(const WebListen& listen) {
  const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(listen.host), listen.port);
  const std::string text = fmt::format("{} port {}", listen.host, listen.port);
  FileDescriptor socket(checked(::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, 0), text));
  const int yes = 1;
  checked(::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), text);
  checked(::bind(socket.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())), text);
  checked(::listen(socket.get(), kBacklog), text);
  return socket;
}

int family_of(const WebListen& listen) {
  if (!listen.socket.empty()) {
    return AF_UNIX;
  }
  return asio::ip::make_address(listen.host).is_v4() ? AF_INET : AF_INET6;
}

}  // namespace

FileDescriptor listen_for_http(const WebListen& listen) {
  return listen.socket.empty() ? listen_at_address(listen) : listen_at_path(listen.socket);
}

std::string http_address(const WebListen& listen, const FileDescriptor& socket) {
  if (!listen.socket.empty()) {
    return "unix:" + listen.socket;
  }
  asio::ip::tcp::endpoint endpoint;
  auto size = static_cast<socklen_t>(endpoint.capacity());
  checked(::getsockname(socket.get(), endpoint.data(), &size), listen.host);
  const bool is_ipv6 = listen.host.find(':') != std::string::npos;
  return fmt::format("http://{}:{}/", is_ipv6 ? fmt::format("[{}]", listen.host) : listen.host, endpoint.port());
}

void serve_http(asio::io_context& context, const WebListen& listen, const FileDescriptor& socket,
                const HttpDesk& desk) {
  std::signal(SIGPIPE, SIG_IGN);
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](const asio::error_code&, int) { context.stop(); });
  StreamAcceptor acceptor(context);
  acceptor.assign(StreamProtocol(family_of(listen), 0), checked(::dup(socket.get()), http_address(listen, socket)));
  ConnectionEviction giving_way;
  const AcceptLoop<StreamAcceptor> visitors(
      acceptor, kVisitors,
      [&](StreamProtocol::socket visitor, ConnectionSeat seat) {
        std::make_shared<WebSession>(std::move(visitor), std::move(seat), desk, giving_way)->start();
      },
      [&giving_way] { return giving_way.make_room(); });
  context.run();
}

}  // namespace hilgate
