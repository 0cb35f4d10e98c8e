// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/site_bus.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <utility>

namespace hilgate {
namespace {

constexpr int kAtOnce = 32;       // messages, then windows come first again
constexpr int kBuffer = 1 << 20;  // of texts that wait while the other side is at something else

}  // namespace

BusEnds make_bus_ends() {
  std::array<int, 2> ends{};
  checked(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), "the socket to hilgate-site");
  BusEnds made{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  for (const int end : ends) {
    static_cast<void>(::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kBuffer, sizeof kBuffer));
  }
  checked(::fcntl(ends[0], F_SETFD, FD_CLOEXEC), "the socket to hilgate-site");
  return made;
}

SiteBus::SiteBus(asio::io_context& context, FileDescriptor own, Take take)
    : socket_(context, ::dup(own.get())), take_(std::move(take)), room_(kMostBusBytes) {
  static_cast<void>(::fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC));
  wait();
}

bool SiteBus::send(BusKind kind, std::string_view text) {
  const std::string message = static_cast<char>(kind) + std::string(text);
  return message.size() <= kMostBusBytes &&
         ::send(socket_.native_handle(), message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void SiteBus::wait() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read, [this, alive = alive_](const asio::error_code& error) {
    if (*alive && !error) {
      read();
    }
  });
}

void SiteBus::read() {
  for (int i = 0; i < kAtOnce; ++i) {
    const ssize_t length = ::recv(socket_.native_handle(), room_.data(), room_.size(), MSG_DONTWAIT);
    if (length == 0) {
      return;  // the other end is closed
    }
    if (length < 0) {
      break;
    }
    const std::string_view message(room_.data(), static_cast<std::size_t>(length));
    if (const std::size_t end = message.find('\n'); end != std::string_view::npos && end > 0) {
      take_(static_cast<BusKind>(message.front()), message.substr(1, end - 1), message.substr(end + 1));
    }
  }
  wait();
}

}  // namespace hilgate
