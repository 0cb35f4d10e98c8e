// SPDX-License-Identifier: Apache-2.0
// How a FrameLink connects: retries, listening, and obstacles such as a used path.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "host/peer_credentials.h"
#include "host/socket_path.h"
#include "physics_link/connection/frame_link.h"
#include "physics_link/connection/frame_link_acceptor.h"

namespace hilgate {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

std::optional<mode_t> kind_of_file(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    return std::nullopt;
  }
  return info.st_mode & S_IFMT;
}

// A simulator that is started again connects before the end of the last one's connection has been read.
template <class Socket>
bool has_hung_up(Socket& peer) {
  pollfd end{peer.native_handle(), POLLRDHUP, 0};
  return poll(&end, 1, 0) > 0;
}

}  // namespace

void FrameLink::open() {
  wanted_ = true;
  waiting_since_ = Clock::now();
  reported_ = {};
  if (options_.role == LinkRole::kListen) {
    if (!acceptor_) {
      listen();
    }
    if (next_peer_) {
      start(*std::exchange(next_peer_, std::nullopt));
      return;
    }
    retry_later("no peer has connected");
    return;
  }
  const auto kind = options_.endpoint.is_unix ? kind_of_file(options_.endpoint.path) : std::nullopt;
  if (kind && *kind != S_IFSOCK) {
    throw std::runtime_error(fmt::format("{}: {} exists and is not a socket", options_.name, options_.endpoint.path));
  }
  // A listener that takes connections and closes them must not keep the thread connecting.
  if (const auto since = waiting_since_ - tried_; since < options_.retry) {
    try_later(options_.retry - since);
  } else {
    try_connect();
  }
}

void FrameLink::try_later(Nanoseconds wait) {
  timer_.expires_after(wait);
  timer_.async_wait([this, alive = alive_](std::error_code error) {
    if (!error && *alive && wanted_) {
      try_connect();
    }
  });
}

void FrameLink::try_connect() {
  tried_ = Clock::now();
  socket_ = Protocol::socket(io_);
  socket_.async_connect(address_, [this, alive = alive_, generation = generation_](std::error_code error) {
    if (!*alive || !wanted_ || generation != generation_) {
      return;
    }
    if (error) {
      retry_later(error == asio::error::access_denied
                      ? fmt::format("{}; be root or in the group {}", error.message(), kServiceGroup)
                      : error.message());
      return;
    }
    if (const std::string unwelcome = stranger(socket_); !unwelcome.empty()) {
      retry_later("the listener is " + unwelcome);
      return;
    }
    start(std::move(socket_));
  });
}

// Also watches over the patience of a listener, which has nothing to retry.
void FrameLink::retry_later(const std::string& why) {
  const auto now = Clock::now();
  const auto waited = now - waiting_since_;
  const std::string what =
      fmt::format("{}: {} {}", options_.name, options_.role == LinkRole::kConnect ? "connecting to" : "listening on",
                  options_.endpoint.text());
  if (options_.patience.count() > 0 && waited >= options_.patience) {
    wanted_ = false;
    const std::string text = fmt::format("{}: gave up after {:.1f} s ({})", what, seconds_of(waited), why);
    report_.tell(LinkEventKind::kGaveUp, text);
    handlers_.lost(true, text);
    return;
  }
  if (reported_ == Clock::time_point{} || now - reported_ >= options_.report_every) {
    reported_ = now;
    const std::string limit =
        options_.patience.count() > 0 ? fmt::format(" of {:.1f} s", seconds_of(options_.patience)) : std::string();
    report_.tell(LinkEventKind::kWaiting,
                 fmt::format("{}: {}; waited {:.1f} s{}", what, why, seconds_of(waited), limit));
  }
  if (options_.role == LinkRole::kConnect) {
    return try_later(options_.retry);
  }
  timer_.expires_after(options_.retry);
  timer_.async_wait([this, alive = alive_, why](std::error_code error) {
    if (!error && *alive && wanted_) {
      retry_later(why);
    }
  });
}

void FrameLink::listen() {
  if (options_.endpoint.is_unix) {
    try {
      free_socket_path(options_.endpoint.path);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}: {}", options_.name, error.what()));
    }
  }
  auto acceptor = std::make_unique<Acceptor>(io_, options_);
  std::error_code error;
  acceptor->socket.open(address_.protocol(), error);
  acceptor->socket.set_option(asio::socket_base::reuse_address(true), error);
  acceptor->socket.bind(address_, error);
  if (!error) {
    acceptor->bound = true;
    if (options_.endpoint.is_unix) {
      share_socket_path(options_.endpoint.path);
    }
    acceptor->socket.listen(4, error);
  }
  if (error == asio::error::address_in_use) {
    throw std::runtime_error(
        fmt::format("{}: another process is listening on {}", options_.name, options_.endpoint.text()));
  }
  if (error) {
    throw std::runtime_error(
        fmt::format("{}: cannot listen on {}: {}", options_.name, options_.endpoint.text(), error.message()));
  }
  // One after the other, and each is sent away or taken: the number is limited by the rate alone.
  acceptor->loop.emplace(acceptor->socket, AcceptLimits{.at_once = kAnyNumber},
                         [this](Protocol::socket peer, const ConnectionSeat&) { take_peer(std::move(peer)); });
  acceptor_ = std::move(acceptor);
}

// The peer's process and user, when they are local and not accepted; else empty. TCP does not tell.
std::string FrameLink::stranger(Protocol::socket& peer) const {
  if (!options_.endpoint.is_unix) {
    return "";
  }
  const LocalPeer who = local_peer(peer.native_handle());
  return who.trusted ? ""
                     : fmt::format("{}; only root, this user and the group {} are accepted", who.text(), kServiceGroup);
}

bool FrameLink::may_wait() {
  if (next_peer_ && has_hung_up(*next_peer_)) {
    next_peer_.reset();
  }
  return !next_peer_ && (keep_next_ || (connected_ && has_hung_up(socket_)));
}

void FrameLink::take_peer(Protocol::socket peer) {
  if (const std::string unwelcome = stranger(peer); !unwelcome.empty()) {
    report_.tell(LinkEventKind::kStranger,
                 fmt::format("{}: refused a connection at {}: {}", options_.name, options_.endpoint.text(), unwelcome));
  } else if (wanted_) {
    start(std::move(peer));
  } else if (may_wait()) {
    next_peer_ = std::move(peer);
  } else {
    send_away(peer);
  }
}

void FrameLink::send_away(Protocol::socket& peer) {
  report_.tell(LinkEventKind::kExtraPeer,
               fmt::format("{}: rejected a second peer on {}", options_.name, options_.endpoint.text()));
  std::error_code ignored;
  peer.close(ignored);
}

void FrameLink::keep_next(bool keep) {
  keep_next_ = keep;
  if (!keep && next_peer_ && !(connected_ && has_hung_up(socket_))) {
    send_away(*next_peer_);
    next_peer_.reset();
  }
}

}  // namespace hilgate
