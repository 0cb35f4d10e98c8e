// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/peers/stream_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "physics_link/connection/endpoint.h"
#include "tests/host/unix_pair.h"

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kAtOnce = 65536;  // bytes

bool wait_for(int fd, short events, milliseconds limit) {
  pollfd ready{fd, events, 0};
  return poll(&ready, 1, static_cast<int>(std::max<milliseconds::rep>(limit.count(), 0))) > 0;
}

// Never waits: a full backlog is a connection that is not there.
int connect_at_once(const Endpoint& endpoint) {
  const int fd = socket(endpoint.is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{0, 200'000};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int result = -1;
  if (endpoint.is_unix) {
    const sockaddr_un to = unix_address(endpoint.path);
    result = connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  } else {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(endpoint.port);
    inet_pton(AF_INET, endpoint.host.c_str(), &to.sin_addr);
    result = connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  if (result != 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

StreamPeer::StreamPeer(const NetNs& where, const std::string& address) {
  const InNetNs here = where.enter();
  fd_ = connect_at_once(Endpoint::parse(address));
}

StreamPeer::~StreamPeer() {
  leave();
}

void StreamPeer::leave() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

bool StreamPeer::send(std::string_view bytes, milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (is_open() && !bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN || Clock::now() > deadline) {
      return false;
    } else {
      static_cast<void>(wait_for(fd_, POLLOUT, milliseconds{20}));
    }
  }
  return is_open();
}

// False when nothing came, or never will.
bool StreamPeer::receive(milliseconds limit) {
  if (!is_open() || !wait_for(fd_, POLLIN, limit)) {
    return false;
  }
  const ssize_t got = recv(fd_, reader_.space(kAtOnce), kAtOnce, MSG_DONTWAIT);
  if (got <= 0) {
    leave();
    return false;
  }
  reader_.received(static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> StreamPeer::frame(milliseconds limit) {
  std::string_view body;
  do {
    if (reader_.next(body) == FrameReader::Status::kFrame) {
      return std::string(body);
    }
  } while (receive(limit));
  return std::nullopt;
}

bool StreamPeer::closed_within(milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (is_open() && Clock::now() < deadline) {
    static_cast<void>(receive(milliseconds{20}));
    reader_.reset();
  }
  return !is_open();
}

bool StreamPeer::is_sent_away() const {
  pollfd ready{fd_, POLLRDHUP, 0};
  return !is_open() || poll(&ready, 1, 0) > 0;
}

StreamListener::StreamListener(const std::string& path)
    : path_(path), fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_un at = unix_address(path_);
  if (bind(fd_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 || listen(fd_, 8) != 0) {
    throw std::system_error(errno, std::system_category(), path_);
  }
}

StreamListener::~StreamListener() {
  ::close(fd_);
  unlink(path_.c_str());
}

int StreamListener::take(milliseconds limit) const {
  return wait_for(fd_, POLLIN, limit) ? accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC) : -1;
}

}  // namespace hilgate::test
