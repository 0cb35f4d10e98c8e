// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <asio/basic_socket_acceptor.hpp>
#include <asio/buffer.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/signal_set.hpp>
#include <asio/write.hpp>
#include <csignal>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

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

namespace {

using namespace std::chrono_literals;
constexpr auto kRequestTime = 5s;
constexpr auto kAnswerTime = 70s;  // longer than the gateway is given
constexpr auto kSendingTime = 10s;
constexpr auto kDrainTime = 1s;
constexpr std::string_view kBegin = "data: ";
constexpr std::string_view kEnd = "\n\n";

bool is_operator(WebSession::Socket& socket) {
  try {
    return socket.local_endpoint().protocol().family() == AF_UNIX ? local_peer(socket.native_handle()).trusted
                                                                  : is_trusted_tcp_peer(socket.native_handle());
  } catch (const std::system_error&) {  // it has gone
    return false;
  }
}

std::string peer_of(WebSession::Socket& socket) {
  try {
    return socket.local_endpoint().protocol().family() == AF_UNIX
               ? fmt::format("user {}", local_peer(socket.native_handle()).user)
               : tcp_peer_text(socket.native_handle());
  } catch (const std::system_error&) {  // it has gone
    return {};
  }
}

}  // namespace

WebSession::WebSession(Socket socket, ConnectionSeat seat, const HttpDesk& desk, ConnectionEviction& giving_way)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      seat_(std::move(seat)),
      desk_(desk),
      giving_way_(giving_way),
      reader_(desk.longest_body) {}

void WebSession::start() {
  allow_eviction(EvictionReason::kSilent);
  close_after(kRequestTime);
  read();
}

void WebSession::read() {
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const asio::error_code& error, std::size_t length) {
                            error ? self->close() : self->take(length);
                          });
}

void WebSession::take(std::size_t length) {
  switch (reader_.read({input_.data(), length})) {
    case HttpReader::State::kMore:
      return read();
    case HttpReader::State::kHeaderTooLarge:
      return answer(HttpResponse::refusal(431, "A request's header has at most 8 KiB."));
    case HttpReader::State::kBodyTooLarge:
      return answer(HttpResponse::refusal(413, fmt::format("A request has at most {} KiB.", desk_.longest_body >> 10)));
    case HttpReader::State::kMalformed:
      return answer(HttpResponse::refusal(400, "This is no HTTP request."));
    case HttpReader::State::kDone:
      return ask();
  }
}

void WebSession::ask() {
  place_.reset();
  close_after(kAnswerTime);
  const auto self = shared_from_this();
  desk_.take(reader_.request(),
             {.is_operator = [self] { return is_operator(self->socket_); },
              .peer = [self] { return peer_of(self->socket_); },
              .leave =
                  [session = weak_from_this()] {
                    if (const auto there = session.lock()) {
                      there->close();
                    }
                  },
              .answer = [self](HttpResponse response) { self->answer(std::move(response)); },
              .follow = [self](RunWatch& watch, Followers::Place place) { self->follow(watch, std::move(place)); },
              .capture = [self](const CaptureQuestion& question) { self->capture(question); }});
}

void WebSession::answer(HttpResponse response) {
  if (!socket_.is_open()) {
    return;
  }
  response_ = std::move(response);
  head_ = head_of(response_);
  allow_eviction(EvictionReason::kNotReading);
  close_after(kSendingTime);
  asio::async_write(socket_, std::array<asio::const_buffer, 2>{asio::buffer(head_), asio::buffer(*response_.body)},
                    [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                      if (error) {
                        return self->close();
                      }
                      self->finish();
                    });
}

void WebSession::finish() {
  allow_eviction(EvictionReason::kSilent);
  std::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  close_after(kDrainTime);
  drain();
}

// Closing with bytes unread would take the answer back.
void WebSession::drain() {
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                            error ? self->close() : self->drain();
                          });
}

void WebSession::follow(RunWatch& watch, Followers::Place place) {
  following_ = std::move(place);
  head_ = head_of({.type = "text/event-stream"});
  // The watch does not keep the session alive.
  subscription_ = watch.subscribe([session = weak_from_this()](const RunWatch::Text& report) {
    if (const auto self = session.lock()) {
      self->hear(report);
    }
  });
  newest_ = watch.latest();
  writing_ = true;
  close_after(kSendingTime);
  asio::async_write(socket_, asio::buffer(head_),
                    [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                      error ? self->close() : self->send_report();
                    });
  notice_end();
}

void WebSession::capture(const CaptureQuestion& question) {
  head_ = head_of({.type = "application/x-pcapng"});
  const auto self = shared_from_this();
  const auto relay = std::make_shared<CaptureRelay>(
      question.context, question.request,
      CaptureRelay::Taker{
          .refused = [self](const std::string& why) { self->answer(HttpResponse::refusal(400, why)); },
          .take = [self](std::string bytes,
                         std::function<void()> sent) { self->send_piece(std::move(bytes), std::move(sent)); },
          .ended =
              [self] {
                self->ending_ = true;
                if (!self->writing_) {
                  self->finish();
                }
              }});
  relay_ = relay;
  deadline_.cancel();
  relay->start(question.control_socket, question.time);
}

void WebSession::send_piece(std::string bytes, std::function<void()> sent) {
  piece_ = std::exchange(head_, "") + std::move(bytes);
  writing_ = true;
  close_after(kSendingTime);
  asio::async_write(socket_, asio::buffer(piece_),
                    [self = shared_from_this(), sent = std::move(sent)](const asio::error_code& error, std::size_t) {
                      self->writing_ = false;
                      if (error) {
                        return self->close();
                      }
                      self->deadline_.cancel();
                      self->ending_ ? self->finish() : sent();
                    });
}

void WebSession::hear(const RunWatch::Text& report) {
  newest_ = report;
  if (!writing_) {
    send_report();
  }
}

void WebSession::send_report() {
  sending_ = std::exchange(newest_, nullptr);
  writing_ = sending_ != nullptr;
  deadline_.cancel();
  if (!writing_) {
    return;
  }
  close_after(kSendingTime);
  asio::async_write(
      socket_, std::array<asio::const_buffer, 3>{asio::buffer(kBegin), asio::buffer(*sending_), asio::buffer(kEnd)},
      [self = shared_from_this()](const asio::error_code& error, std::size_t) {
        error ? self->close() : self->send_report();
      });
}

// A browser sends nothing more: the client has gone, or is no browser. Keeps the session.
void WebSession::notice_end() {
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const asio::error_code&, std::size_t) { self->close(); });
}

void WebSession::close() {
  place_.reset();
  subscription_.reset();
  following_.reset();
  if (const auto relay = relay_.lock()) {
    relay->stop();
  }
  deadline_.cancel();
  std::error_code ignored;
  socket_.close(ignored);
}

void WebSession::allow_eviction(EvictionReason because) {
  place_ = giving_way_.enter(because, [session = weak_from_this()] {
    if (const auto self = session.lock()) {
      self->close();
    }
  });
}

void WebSession::close_after(std::chrono::steady_clock::duration time) {
  deadline_.expires_after(time);
  deadline_.async_wait([session = weak_from_this()](const asio::error_code& error) {
    if (const auto self = session.lock(); self && !error) {
      self->close();
    }
  });
}

}  // namespace hilgate
