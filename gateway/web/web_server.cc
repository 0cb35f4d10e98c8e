// SPDX-License-Identifier: Apache-2.0
#include "gateway/web/web_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <asio/basic_socket_acceptor.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/host_name.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <utility>

#include "gateway/web/web_desk.h"
#include "gateway/web/web_session.h"
#include "host/accept_loop.h"
#include "host/socket_path.h"

namespace hilgate {
namespace {

using StreamProtocol = asio::generic::stream_protocol;
using StreamAcceptor = asio::basic_socket_acceptor<StreamProtocol>;

constexpr int kBacklog = 64;
// A page is some twenty files, each on a connection of its own.
constexpr AcceptLimits kVisitors{.at_once = 96, .per_second = 200, .burst = 64};

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

std::string address_of(const WebListen& listen, int socket) {
  if (!listen.socket.empty()) {
    return "unix:" + listen.socket;
  }
  asio::ip::tcp::endpoint endpoint;
  auto size = static_cast<socklen_t>(endpoint.capacity());
  checked(::getsockname(socket, endpoint.data(), &size), listen.host);
  const bool is_ipv6 = listen.host.find(':') != std::string::npos;
  return fmt::format("http://{}:{}/", is_ipv6 ? fmt::format("[{}]", listen.host) : listen.host, endpoint.port());
}

int family_of(const WebListen& listen) {
  if (!listen.socket.empty()) {
    return AF_UNIX;
  }
  return asio::ip::make_address(listen.host).is_v4() ? AF_INET : AF_INET6;
}

}  // namespace

WebEntrance open_entrance(const WebConfig& config) {
  WebEntrance entrance;
  entrance.token = config.token_file ? read_token(*config.token_file) : "";
  try {
    entrance.socket =
        config.listen.socket.empty() ? listen_at_address(config.listen) : listen_at_path(config.listen.socket);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("web: cannot listen at {}; choose another `listen`", error.what()));
  }
  entrance.address = address_of(config.listen, entrance.socket.get());
  return entrance;
}

void serve_page(const WebPage& page, WebEntrance entrance) {
  std::signal(SIGPIPE, SIG_IGN);
  asio::io_context context;
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](const asio::error_code&, int) { context.stop(); });
  StreamAcceptor acceptor(context);
  acceptor.assign(StreamProtocol(family_of(page.config.listen), 0),
                  checked(::dup(entrance.socket.get()), entrance.address));
  WebDesk desk(context, page, WebGuard(page.config.listen, entrance.token, asio::ip::host_name()));
  const AcceptLoop<StreamAcceptor> visitors(
      acceptor, kVisitors, [&desk](StreamProtocol::socket socket, ConnectionSeat seat) {
        std::make_shared<WebSession>(std::move(socket), std::move(seat), desk)->start();
      });
  context.run();
}

}  // namespace hilgate
