// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe.h"

#include <fmt/format.h>
#include <asio/ip/address.hpp>

#include <stdexcept>

#include "bench/probe/probe_receive.h"
#include "bench/probe/probe_send.h"

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

}  // namespace hilgate
