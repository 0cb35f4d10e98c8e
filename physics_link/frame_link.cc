// SPDX-License-Identifier: Apache-2.0
#include "physics_link/frame_link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <asio/basic_socket_acceptor.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

namespace hilgate {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kReadSize = 64 * 1024;

asio::generic::stream_protocol::endpoint address_of(const Endpoint& endpoint, const std::string& name) {
  if (endpoint.is_unix) {
    return asio::local::stream_protocol::endpoint(endpoint.path);
  }
  asio::io_context io;
  asio::ip::tcp::resolver resolver(io);
  std::error_code error;
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
  if (error || found.empty()) {
    throw std::runtime_error(fmt::format("{}: host '{}' has no address: {}", name, endpoint.host, error.message()));
  }
  return found.begin()->endpoint();
}

double seconds(Clock::duration span) {
  return std::chrono::duration<double>(span).count();
}

std::optional<mode_t> kind_of_file(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    return std::nullopt;
  }
  return info.st_mode & S_IFMT;
}

}  // namespace

struct FrameLink::Acceptor {
  Acceptor(asio::io_context& io, const LinkOptions& options) : socket(io), endpoint(options.endpoint) {}
  ~Acceptor() {
    std::error_code ignored;
    socket.close(ignored);
    if (bound && endpoint.is_unix) {
      unlink(endpoint.path.c_str());
    }
  }
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  asio::basic_socket_acceptor<Protocol> socket;
  Endpoint endpoint;
  bool bound = false;
};

FrameLink::FrameLink(asio::io_context& io, LinkOptions options, LinkReport& report, Handlers handlers)
    : io_(io),
      options_(std::move(options)),
      report_(report),
      handlers_(std::move(handlers)),
      address_(address_of(options_.endpoint, options_.name)),
      socket_(io),
      timer_(io),
      reader_(options_.frame_limit) {}

FrameLink::~FrameLink() {
  *alive_ = false;
  close();
}

void FrameLink::open() {
  wanted_ = true;
  waiting_since_ = Clock::now();
  reported_ = {};
  if (options_.role == LinkRole::kListen) {
    if (!acceptor_) {
      listen();
      accept_next();
    }
    retry_later("nobody has connected");
    return;
  }
  const auto kind = options_.endpoint.is_unix ? kind_of_file(options_.endpoint.path) : std::nullopt;
  if (kind && *kind != S_IFSOCK) {
    throw std::runtime_error(fmt::format("{}: {} exists and is no socket", options_.name, options_.endpoint.path));
  }
  try_connect();
}

void FrameLink::try_connect() {
  socket_ = Protocol::socket(io_);
  socket_.async_connect(address_, [this, alive = alive_, generation = generation_](std::error_code error) {
    if (!*alive || !wanted_ || generation != generation_) {
      return;
    }
    if (error) {
      retry_later(error.message());
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
    const std::string text = fmt::format("{}: gave up after {:.1f} s ({})", what, seconds(waited), why);
    report_.tell(LinkEventKind::kGaveUp, text);
    handlers_.lost(true, text);
    return;
  }
  if (reported_ == Clock::time_point{} || now - reported_ >= options_.report_every) {
    reported_ = now;
    const std::string limit =
        options_.patience.count() > 0 ? fmt::format(" of {:.1f} s", seconds(options_.patience)) : std::string();
    report_.tell(LinkEventKind::kWaiting, fmt::format("{}: {}; waited {:.1f} s{}", what, why, seconds(waited), limit));
  }
  timer_.expires_after(options_.retry);
  timer_.async_wait([this, alive = alive_, why](std::error_code error) {
    if (error || !*alive || !wanted_) {
      return;
    }
    if (options_.role == LinkRole::kConnect) {
      try_connect();
    } else {
      retry_later(why);
    }
  });
}

void FrameLink::listen() {
  if (options_.endpoint.is_unix) {
    refuse_used_path();
  }
  auto acceptor = std::make_unique<Acceptor>(io_, options_);
  std::error_code error;
  acceptor->socket.open(address_.protocol(), error);
  acceptor->socket.set_option(asio::socket_base::reuse_address(true), error);
  acceptor->socket.bind(address_, error);
  if (!error) {
    acceptor->bound = true;
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
  acceptor_ = std::move(acceptor);
}

// A socket file that nobody answers on is left over from a process that died; anything else is somebody's.
void FrameLink::refuse_used_path() {
  const std::string& path = options_.endpoint.path;
  const auto kind = kind_of_file(path);
  if (!kind) {
    return;
  }
  if (*kind != S_IFSOCK) {
    throw std::runtime_error(fmt::format("{}: {} exists and is no socket", options_.name, path));
  }
  Protocol::socket probe(io_);
  std::error_code error;
  probe.connect(address_, error);
  if (!error) {
    throw std::runtime_error(fmt::format("{}: another process is listening on unix:{}", options_.name, path));
  }
  unlink(path.c_str());
}

void FrameLink::accept_next() {
  acceptor_->socket.async_accept([this, alive = alive_](std::error_code error, Protocol::socket peer) {
    if (!*alive) {
      return;
    }
    if (!error && wanted_) {
      start(std::move(peer));
    } else if (!error) {
      report_.tell(LinkEventKind::kExtraPeer, fmt::format("{}: one more peer wanted to connect to {} and was sent away",
                                                          options_.name, options_.endpoint.text()));
      std::error_code ignored;
      peer.close(ignored);
    }
    if (*alive && error != asio::error::operation_aborted) {
      accept_next();
    }
  });
}

std::uint16_t FrameLink::local_port() const {
  if (!acceptor_ || options_.endpoint.is_unix) {
    return options_.endpoint.port;
  }
  const auto local = acceptor_->socket.local_endpoint();
  // sockaddr_in and sockaddr_in6 have their port at the same place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(local.data())->sin_port);
}

void FrameLink::start(Protocol::socket socket) {
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
                           seconds(Clock::now() - waiting_since_)));
  const auto alive = alive_;
  const std::uint64_t generation = generation_;
  handlers_.opened();
  if (*alive && connected_ && generation == generation_) {
    read_more();
  }
}

void FrameLink::read_more() {
  socket_.async_read_some(asio::buffer(reader_.space(kReadSize), kReadSize),
                          [this, alive = alive_, generation = generation_](std::error_code error, std::size_t bytes) {
                            if (!*alive || generation != generation_ || !connected_) {
                              return;
                            }
                            if (error) {
                              const bool cut = reader_.pending() > 0;
                              drop(cut ? fmt::format("it closed within a frame, {} bytes in", reader_.pending())
                                   : error == asio::error::eof ? std::string("it closed the connection")
                                                               : error.message());
                              return;
                            }
                            ++turn_;
                            report_.counters().bytes_in += bytes;
                            reader_.received(bytes);
                            take_frames();
                            if (*alive && connected_ && generation == generation_) {
                              read_more();
                            }
                          });
}

void FrameLink::take_frames() {
  const auto alive = alive_;
  const std::uint64_t generation = generation_;
  std::string_view body;
  while (true) {
    const FrameReader::Status status = reader_.next(body);
    if (status == FrameReader::Status::kTooLong) {
      const WireFault fault{WireError::kFrameTooLong, fmt::format("{}: a frame of {} bytes; the limit is {}",
                                                                  options_.name, reader_.announced(), reader_.limit())};
      report_.fault(fault);
      drop(fault.detail);
      return;
    }
    if (status == FrameReader::Status::kNeedMore) {
      return;
    }
    ++report_.counters().frames_in;
    handlers_.frame(body);
    if (!*alive || !connected_ || generation != generation_) {
      return;
    }
  }
}

void FrameLink::send(std::string_view body) {
  if (!connected_) {
    return;
  }
  const std::size_t before = outbox_.size();
  append_frame(body, outbox_);
  ++report_.counters().frames_out;
  report_.counters().bytes_out += outbox_.size() - before;
  if (!writing_) {
    std::error_code error;  // a broken connection is noticed, and told, by the read
    sent_ = socket_.write_some(asio::buffer(outbox_), error);
    if (sent_ == outbox_.size() || (error && error != asio::error::would_block)) {
      outbox_.clear();
      sent_ = 0;
      return;
    }
    write_rest();
  }
}

void FrameLink::write_rest() {
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

void FrameLink::close() {
  wanted_ = false;
  connected_ = false;
  ++generation_;
  timer_.cancel();
  std::error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_both, ignored);
  socket_.close(ignored);
}

void FrameLink::drop(const std::string& why) {
  close();
  const std::string text = fmt::format("{}: {}: {}", options_.name, options_.endpoint.text(), why);
  report_.tell(LinkEventKind::kGone, text);
  handlers_.lost(false, text);
}

}  // namespace hilgate
