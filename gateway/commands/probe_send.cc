// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/probe_send.h"

#include <fmt/format.h>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <asio/steady_timer.hpp>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "clock/host_now.h"

namespace hilgate {
namespace {

using asio::ip::udp;

constexpr std::uint32_t kLargestPayload = 65507;  // what IPv4 leaves of 65535 bytes

void check(const ProbeSendOptions& options) {
  if (options.port == 0) {
    throw std::invalid_argument("probe send: port is 0; allowed are 1 to 65535");
  }
  if (options.size < kProbeBytes || options.size > kLargestPayload) {
    throw std::invalid_argument(
        fmt::format("probe send: size is {} bytes; allowed are {} to {}", options.size, kProbeBytes, kLargestPayload));
  }
  if (options.interval < kShortestProbeInterval || options.interval > std::chrono::minutes{1}) {
    throw std::invalid_argument(
        fmt::format("probe send: interval is {} ns; allowed are 100us to 1min", options.interval.count()));
  }
  if (options.duration < options.interval || options.duration > std::chrono::hours{24}) {
    throw std::invalid_argument(fmt::format("probe send: duration is {} ns; allowed are one interval ({} ns) to 24h",
                                            options.duration.count(), options.interval.count()));
  }
}

udp::endpoint destination(const ProbeSendOptions& options) {
  asio::error_code error;
  const auto address = asio::ip::make_address(options.to, error);
  if (error) {
    throw std::invalid_argument(fmt::format("probe send: '{}' is no IPv4 or IPv6 address", options.to));
  }
  return {address, options.port};
}

void wait_until(asio::io_context& loop, HostTime instant) {
  // steady_clock is CLOCK_MONOTONIC here, as HostTime is.
  asio::steady_timer timer(loop, std::chrono::steady_clock::time_point{instant.time_since_epoch()});
  timer.wait();
}

}  // namespace

void send_probes(const ProbeSendOptions& options) {
  check(options);
  const udp::endpoint to = destination(options);
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
