// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/udp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/probe/probe_packet.h"
#include "clock/host_now.h"
#include "clock/time.h"

namespace hilgate {
namespace {

double milliseconds(Nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void print(const ProbeSummary& summary) {
  fmt::print("probe: received {}, lost {}, ignored {}", summary.received, summary.lost, summary.ignored);
  if (summary.received > 0) {
    fmt::print("; delay {:.3f} / {:.3f} / {:.3f} ms (shortest / mean / longest)", milliseconds(summary.shortest),
               milliseconds(summary.mean), milliseconds(summary.longest));
  }
  fmt::print("\n");
}

}  // namespace

int probe_command(const ProbeOptions& options) {
  check_probe(options);
  if (const auto* send = std::get_if<ProbeSendOptions>(&options)) {
    send_probes(*send);
  } else {
    print(receive_probes(std::get<ProbeReceiveOptions>(options)));
  }
  return 0;
}

namespace {

constexpr std::uint32_t kLargestPayload = 65507;  // what IPv4 leaves of 65535 bytes

void check_port(std::string_view end, std::uint16_t port) {
  if (port == 0) {
    throw std::invalid_argument(fmt::format("probe {}: port is 0; allowed: 1 to 65535", end));
  }
}

void check_schedule(const ProbeSendOptions& options) {
  if (options.interval < kShortestProbeInterval || options.interval > std::chrono::minutes{1}) {
    throw std::invalid_argument(
        fmt::format("probe send: interval is {} ns; allowed: 100us to 1min", options.interval.count()));
  }
  if (options.duration < options.interval || options.duration > std::chrono::hours{24}) {
    throw std::invalid_argument(fmt::format("probe send: duration is {} ns; allowed: one interval ({} ns) to 24h",
                                            options.duration.count(), options.interval.count()));
  }
}

void check_send(const ProbeSendOptions& options) {
  check_port("send", options.port);
  asio::error_code error;
  asio::ip::make_address(options.to, error);
  if (error) {
    throw std::invalid_argument(fmt::format("probe send: '{}' is not an IPv4 or IPv6 address", options.to));
  }
  if (options.size < kProbeBytes || options.size > kLargestPayload) {
    throw std::invalid_argument(
        fmt::format("probe send: size is {} bytes; allowed: {} to {}", options.size, kProbeBytes, kLargestPayload));
  }
  check_schedule(options);
}

}  // namespace

void check_probe(const ProbeOptions& options) {
  if (const auto* send = std::get_if<ProbeSendOptions>(&options)) {
    check_send(*send);
  } else {
    check_port("receive", std::get<ProbeReceiveOptions>(options).port);
  }
}

namespace {

using asio::ip::udp;

constexpr Nanoseconds kGrace = std::chrono::seconds{2};  // later than this is lost
constexpr Nanoseconds kSettleEvery = std::chrono::milliseconds{100};

class ProbeCsv {
 public:
  explicit ProbeCsv(const std::string& path) {
    if (path.empty()) {
      return;
    }
    file_.open(path, std::ios::trunc);
    if (!file_) {
      throw std::runtime_error(fmt::format("probe receive: cannot write '{}': {}", path, std::strerror(errno)));
    }
  }
  void header() {
    fmt::print(file_, "sent_s,delay_s,sequence,lost\n");
    flush();
  }
  void arrived(const Probe& probe, Nanoseconds delay) {
    fmt::print(file_, "{:.6f},{:.6f},{},0\n", seconds_of(probe.sent.time_since_epoch()), seconds_of(delay),
               probe.sequence);
  }
  void lost(const ProbePlan& plan, std::uint64_t sequence) {
    fmt::print(file_, "{:.6f},,{},1\n", seconds_of(plan.due(sequence).time_since_epoch()), sequence);
  }
  void flush() { file_.flush(); }

 private:
  std::ofstream file_;  // not open when there is nothing to write; writes are then no-ops
};

class ProbeReceiver {
 public:
  explicit ProbeReceiver(const ProbeReceiveOptions& options)
      : csv_(options.csv), socket_(loop_), settle_timer_(loop_), signals_(loop_, SIGINT, SIGTERM) {
    listen(options.port);
    csv_.header();
    signals_.async_wait([this](asio::error_code error, int) {
      if (!error) {
        loop_.stop();
      }
    });
    receive();
    settle_later();
  }

  ProbeSummary run() {
    loop_.run();
    csv_.flush();
    if (ledger_) {
      summary_.received = ledger_->arrived_count();
      summary_.lost = ledger_->lost_count();
      summary_.ignored += ledger_->ignored_count();
    }
    if (summary_.received > 0) {
      summary_.mean = total_delay_ / static_cast<std::int64_t>(summary_.received);
    }
    return summary_;
  }

 private:
  void listen(std::uint16_t port) {
    asio::error_code error;
    socket_.open(udp::v6());
    socket_.set_option(asio::ip::v6_only(false));
    socket_.bind({udp::v6(), port}, error);
    if (error) {
      throw std::runtime_error(fmt::format("probe receive: cannot listen on UDP port {}: {}", port, error.message()));
    }
  }

  void receive() {
    socket_.async_receive_from(asio::buffer(payload_), from_, [this](asio::error_code error, std::size_t length) {
      const HostTime now = host_now();
      if (const auto probe = read_probe(std::span(payload_).first(error ? 0 : length))) {
        take(*probe, now);
      } else {
        ++summary_.ignored;
      }
      receive();
    });
  }

  void take(const Probe& probe, HostTime now) {
    if (!ledger_) {
      ledger_.emplace(probe.plan, kGrace);
    }
    if (probe.plan != ledger_->plan()) {
      ++summary_.ignored;
      return;
    }
    settle(now);
    if (ledger_->arrived(probe.sequence, now)) {
      note_delay(now - probe.sent);
      csv_.arrived(probe, now - probe.sent);
      csv_.flush();
      stop_when_complete();
    }
  }

  void note_delay(Nanoseconds delay) {
    const bool first = ledger_->arrived_count() == 1;
    summary_.shortest = first ? delay : std::min(summary_.shortest, delay);
    summary_.longest = std::max(summary_.longest, delay);
    total_delay_ += delay;
  }

  void settle_later() {
    settle_timer_.expires_after(kSettleEvery);
    settle_timer_.async_wait([this](asio::error_code) {
      if (ledger_) {
        settle(host_now());
        csv_.flush();
      }
      settle_later();
    });
  }

  void settle(HostTime now) {
    ledger_->settle(now, [this](std::uint64_t sequence) { csv_.lost(ledger_->plan(), sequence); });
    stop_when_complete();
  }

  void stop_when_complete() {
    if (ledger_->complete()) {
      loop_.stop();
    }
  }

  asio::io_context loop_{1};
  ProbeCsv csv_;
  udp::socket socket_;
  asio::steady_timer settle_timer_;
  asio::signal_set signals_;
  std::array<std::byte, 65536> payload_{};
  udp::endpoint from_;
  std::optional<ProbeLedger> ledger_;
  ProbeSummary summary_;
  Nanoseconds total_delay_{0};
};

}  // namespace

ProbeSummary receive_probes(const ProbeReceiveOptions& options) {
  const auto receiver = std::make_unique<ProbeReceiver>(options);  // 64 KiB, too much for some threads' stacks
  return receiver->run();
}

namespace {

void wait_until(asio::io_context& loop, HostTime instant) {
  // steady_clock is CLOCK_MONOTONIC here, as HostTime is.
  asio::steady_timer timer(loop, std::chrono::steady_clock::time_point{instant.time_since_epoch()});
  timer.wait();
}

}  // namespace

void send_probes(const ProbeSendOptions& options) {
  const udp::endpoint to{asio::ip::make_address(options.to), options.port};
  asio::io_context loop;
  udp::socket socket(loop, to.protocol());  // not connected: a refusal from afar does not stop later probes
  socket.non_blocking(true);

  const ProbePlan plan{.start = host_now(),
                       .interval = options.interval,
                       .count = static_cast<std::uint64_t>(options.duration / options.interval)};
  std::vector<std::byte> payload(options.size);
  std::uint64_t refused = 0;
  for (std::uint64_t sequence = 0; sequence < plan.count; ++sequence) {
    wait_until(loop, plan.due(sequence));
    write_probe({.plan = plan, .sequence = sequence, .sent = host_now()}, payload);
    asio::error_code error;
    socket.send_to(asio::buffer(payload), to, 0, error);
    refused += error ? 1 : 0;
  }
  fmt::print("probe: sent {} of {} bytes each, {} refused by the kernel\n", plan.count, options.size, refused);
}

}  // namespace hilgate
