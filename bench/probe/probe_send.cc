// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe_send.h"

#include <fmt/format.h>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <asio/steady_timer.hpp>
#include <cstdio>
#include <vector>

#include "clock/host_now.h"

namespace hilgate {
namespace {

using asio::ip::udp;

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
