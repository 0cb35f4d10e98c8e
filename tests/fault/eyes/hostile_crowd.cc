// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/eyes/hostile_crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace hilgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kRound = 5ms;

// Whether the connection is there, or may still come.
template <class Address>
bool may_come(int fd, const Address& to) {
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS;
}

bool may_come(int fd, const Endpoint& endpoint) {
  if (endpoint.is_unix) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    endpoint.path.copy(to.sun_path, sizeof to.sun_path - 1);
    return may_come(fd, to);
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(endpoint.port);
  inet_pton(AF_INET, endpoint.host.c_str(), &to.sin_addr);
  return may_come(fd, to);
}

}  // namespace

HostileCrowd::HostileCrowd(const NetNs& where, const std::string& address, Manner manner)
    : endpoint_(Endpoint::parse(address)), manner_(std::move(manner)), members_(manner_.at_once) {
  thread_ = std::jthread([this, &where](const std::stop_token& stop) {
    const InNetNs here = where.enter();
    attack(stop);
  });
}

void HostileCrowd::attack(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto begin = Clock::now();
    for (Member& member : members_) {
      if (member.fd < 0) {
        connect(member);
      } else if (!act(member)) {
        ::close(std::exchange(member.fd, -1));
      }
    }
    if (!manner_.leaves) {
      std::this_thread::sleep_until(begin + kRound);
    }
  }
  for (const Member& member : members_) {
    if (member.fd >= 0) {
      ::close(member.fd);
    }
  }
}

void HostileCrowd::connect(Member& member) {
  const int family = endpoint_.is_unix ? AF_UNIX : AF_INET;
  member = {.fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int least = 1;
  if (!manner_.reads) {
    setsockopt(member.fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
  }
  if (member.fd >= 0 && !may_come(member.fd, endpoint_)) {
    ::close(std::exchange(member.fd, -1));
  }
  made_ += member.fd >= 0 ? 1 : 0;
}

bool HostileCrowd::act(Member& member) {
  if (has_been_closed(member)) {
    return false;
  }
  return Clock::now() < member.next || say(member);
}

bool HostileCrowd::has_been_closed(const Member& member) const {
  std::array<char, 4096> answer{};
  pollfd state{member.fd, static_cast<short>(manner_.reads ? POLLIN : POLLRDHUP), 0};
  if (poll(&state, 1, 0) == 0) {
    return false;
  }
  return (state.revents & (POLLERR | POLLHUP | POLLRDHUP)) != 0 ||
         ((state.revents & POLLIN) != 0 && ::recv(member.fd, answer.data(), answer.size(), MSG_DONTWAIT) == 0);
}

bool HostileCrowd::say(Member& member) {
  const std::string& text = member.is_past_first ? manner_.then : manner_.first;
  const ssize_t sent =
      ::send(member.fd, text.data() + member.said, text.size() - member.said, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN && errno != ENOTCONN) {
    return false;
  }
  member.said += static_cast<std::size_t>(sent > 0 ? sent : 0);
  if (member.said < text.size() || (sent < 0 && !member.is_past_first)) {
    return true;  // the rest in the next round
  }
  if (!member.is_past_first && manner_.leaves) {
    return false;
  }
  member.said = 0;
  member.is_past_first = true;
  member.next = Clock::now() + (manner_.then.empty() ? Clock::duration(1h) : Clock::duration(manner_.every));
  return true;
}

}  // namespace hilgate::test
