// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe.h"

#include <fmt/format.h>

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

}  // namespace hilgate
