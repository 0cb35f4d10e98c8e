// SPDX-License-Identifier: Apache-2.0
// How a FrameConnection connects: retries, listening, and obstacles such as a used path.
#include "physics_link/connection/frame_connection.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asio/basic_socket_acceptor.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "host/accept_loop.h"
#include "host/unix_socket.h"

namespace hilgate {
namespace {

using Clock = ControlClock;
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

// The listening socket.
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

void FrameConnection::open() {
  wanted_ = true;
  waiting_since_ = Clock::now();
  reported_ = {};
  if (options_.role == ConnectionRole::kListen) {
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

void FrameConnection::try_later(Nanoseconds wait) {
  timer_.expires_after(wait);
  timer_.async_wait([this, alive = alive_](std::error_code error) {
    if (!error && *alive && wanted_) {
      try_connect();
    }
  });
}

void FrameConnection::try_connect() {
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

// Also supervises the timeout of a listener, which has nothing to retry.
void FrameConnection::retry_later(const std::string& why) {
  const auto now = Clock::now();
  const auto waited = now - waiting_since_;
  const std::string what = fmt::format("{}: {} {}", options_.name,
                                       options_.role == ConnectionRole::kConnect ? "connecting to" : "listening on",
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
  if (options_.role == ConnectionRole::kConnect) {
    return try_later(options_.retry);
  }
  timer_.expires_after(options_.retry);
  timer_.async_wait([this, alive = alive_, why](std::error_code error) {
    if (!error && *alive && wanted_) {
      retry_later(why);
    }
  });
}

void FrameConnection::listen() {
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
std::string FrameConnection::stranger(Protocol::socket& peer) const {
  if (!options_.endpoint.is_unix) {
    return "";
  }
  const LocalPeer who = local_peer(peer.native_handle());
  return who.trusted ? ""
                     : fmt::format("{}; only root, this user and the group {} are accepted", who.text(), kServiceGroup);
}

bool FrameConnection::may_wait() {
  if (next_peer_ && has_hung_up(*next_peer_)) {
    next_peer_.reset();
  }
  return !next_peer_ && (keep_next_ || (connected_ && has_hung_up(socket_)));
}

void FrameConnection::take_peer(Protocol::socket peer) {
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

void FrameConnection::send_away(Protocol::socket& peer) {
  report_.tell(LinkEventKind::kExtraPeer,
               fmt::format("{}: rejected a second peer on {}", options_.name, options_.endpoint.text()));
  std::error_code ignored;
  peer.close(ignored);
}

void FrameConnection::keep_next(bool keep) {
  keep_next_ = keep;
  if (!keep && next_peer_ && !(connected_ && has_hung_up(socket_))) {
    send_away(*next_peer_);
    next_peer_.reset();
  }
}

namespace {

using Clock = ControlClock;
constexpr std::size_t kReadSize = 64 * 1024;
// A peer answers a question with a frame or two. One that floods is read a little at a time, and the rest of what it
// sends waits with it: this thread has windows to begin.
constexpr std::size_t kFramesPerTurn = 32;
constexpr std::chrono::milliseconds kPause{1};

asio::generic::stream_protocol::endpoint address_of(const Endpoint& endpoint, const std::string& name) {
  if (endpoint.is_unix) {
    return asio::local::stream_protocol::endpoint(endpoint.path);
  }
  asio::io_context io;
  asio::ip::tcp::resolver resolver(io);
  std::error_code error;
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
  if (error || found.empty()) {
    throw std::runtime_error(fmt::format("{}: cannot resolve host '{}': {}", name, endpoint.host, error.message()));
  }
  return found.begin()->endpoint();
}

}  // namespace

FrameConnection::FrameConnection(asio::io_context& io, LinkOptions options, ConnectionReport& report, Handlers handlers)
    : io_(io),
      options_(std::move(options)),
      report_(report),
      handlers_(std::move(handlers)),
      address_(address_of(options_.endpoint, options_.name)),
      socket_(io),
      timer_(io),
      pause_(io),
      reader_(options_.frame_limit) {}

FrameConnection::~FrameConnection() {
  *alive_ = false;
  close();
  if (options_.role == ConnectionRole::kConnect && options_.endpoint.is_unix) {
    leave_run_folder(options_.endpoint.path);
  }
}

std::uint16_t FrameConnection::local_port() const {
  if (!acceptor_ || options_.endpoint.is_unix) {
    return options_.endpoint.port;
  }
  const auto local = acceptor_->socket.local_endpoint();
  // sockaddr_in and sockaddr_in6 have their port at the same offset.
  return ntohs(reinterpret_cast<const sockaddr_in*>(local.data())->sin_port);
}

void FrameConnection::start(Protocol::socket socket) {
  timer_.cancel();
  socket_ = std::move(socket);
  socket_.non_blocking(true);
  if (!options_.endpoint.is_unix) {
    const int on = 1;
    setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  wanted_ = false;
  connected_ = true;
  ++generation_;
  reader_.reset();
  outbox_.clear();
  sent_ = 0;
  writing_ = false;
  report_.tell(LinkEventKind::kConnected,
               fmt::format("{}: connected at {} after {:.1f} s", options_.name, options_.endpoint.text(),
                           seconds_of(Clock::now() - waiting_since_)));
  const auto alive = alive_;
  const std::uint64_t generation = generation_;
  handlers_.opened();
  if (*alive && connected_ && generation == generation_) {
    read_more();
  }
}

void FrameConnection::read_more() {
  socket_.async_read_some(
      asio::buffer(reader_.space(kReadSize), kReadSize),
      [this, alive = alive_, generation = generation_](std::error_code error, std::size_t bytes) {
        if (!*alive || generation != generation_ || !connected_) {
          return;
        }
        if (error) {
          const bool cut = reader_.pending() > 0;
          drop(cut ? fmt::format("the peer closed the connection after {} bytes of a frame", reader_.pending())
               : error == asio::error::eof ? std::string("the peer closed the connection")
                                           : error.message());
          return;
        }
        ++turn_;
        report_.counters().bytes_in += bytes;
        reader_.received(bytes);
        go_on();
      });
}

// Handles what has come, and reads on.
void FrameConnection::go_on() {
  const auto alive = alive_;
  const std::uint64_t generation = generation_;
  const bool all = take_frames();
  if (!*alive || !connected_ || generation != generation_) {
    return;
  }
  if (all) {
    read_more();
    return;
  }
  pause_.expires_after(kPause);
  pause_.async_wait([this, alive, generation](std::error_code error) {
    if (!error && *alive && connected_ && generation == generation_) {
      go_on();
    }
  });
}

// Returns whether all that came is handled.
bool FrameConnection::take_frames() {
  const auto alive = alive_;
  const std::uint64_t generation = generation_;
  std::string_view body;
  for (std::size_t frames = 0; frames < kFramesPerTurn; ++frames) {
    const FrameReader::Status status = reader_.next(body);
    if (status == FrameReader::Status::kTooLong) {
      const ProtocolFault fault{ProtocolError::kFrameTooLong,
                                fmt::format("{}: frame of {} bytes exceeds the limit of {}", options_.name,
                                            reader_.announced(), reader_.limit())};
      report_.fault(fault);
      drop(fault.detail);
      return true;
    }
    if (status == FrameReader::Status::kNeedMore) {
      return true;
    }
    ++report_.counters().frames_in;
    handlers_.frame(body);
    if (!*alive || !connected_ || generation != generation_) {
      return true;
    }
  }
  return false;
}

void FrameConnection::send(std::string_view body) {
  if (!connected_) {
    return;
  }
  const std::size_t before = outbox_.size();
  append_frame(body, outbox_);
  ++report_.counters().frames_out;
  report_.counters().bytes_out += outbox_.size() - before;
  if (!writing_) {
    std::error_code error;  // a broken connection is detected and reported by the read
    sent_ = socket_.write_some(asio::buffer(outbox_), error);
    if (sent_ == outbox_.size() || (error && error != asio::error::would_block)) {
      outbox_.clear();
      sent_ = 0;
      return;
    }
    write_rest();
  } else if (outbox_.size() > 2 * options_.frame_limit) {
    drop_later("it does not read what it is sent");
  }
}

// The sender may be in the middle of an operation.
void FrameConnection::drop_later(const char* why) {
  outbox_.clear();
  asio::post(io_, [this, why, alive = alive_, generation = generation_] {
    if (*alive && connected_ && generation == generation_) {
      drop(why);
    }
  });
}

void FrameConnection::write_rest() {
  writing_ = true;
  // What is being written must not move while more is appended.
  auto rest = std::make_shared<std::string>(outbox_.substr(sent_));
  outbox_.clear();
  sent_ = 0;
  asio::async_write(socket_, asio::buffer(*rest),
                    [this, rest, alive = alive_, generation = generation_](std::error_code error, std::size_t) {
                      if (!*alive || generation != generation_) {
                        return;
                      }
                      writing_ = false;
                      if (!error && !outbox_.empty()) {
                        write_rest();
                      }
                    });
}

void FrameConnection::close() {
  wanted_ = false;
  connected_ = false;
  ++generation_;
  timer_.cancel();
  std::error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_both, ignored);
  socket_.close(ignored);
}

void FrameConnection::drop(const std::string& why) {
  close();
  const std::string text = fmt::format("{}: {}: {}", options_.name, options_.endpoint.text(), why);
  report_.tell(LinkEventKind::kGone, text);
  handlers_.lost(false, text);
}

}  // namespace hilgate
