// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/probe/probe.h"

namespace hilgate {

/// What a receiver saw of the run it followed.
struct ProbeSummary {
  std::uint64_t received = 0;
  std::uint64_t lost = 0;
  std::uint64_t ignored = 0;  // duplicates, probes later than the grace, datagrams of other runs or of no run
  Nanoseconds shortest{0};    // delays; 0 when nothing was received
  Nanoseconds mean{0};
  Nanoseconds longest{0};
};

/// The receiving end of `hilgate probe`; returns as probe_command() does. Requires options that check_probe() takes.
ProbeSummary receive_probes(const ProbeReceiveOptions& options);

}  // namespace hilgate
