// SPDX-License-Identifier: Apache-2.0
// A whole daemon from a seed: windows, changes by `set` and `reload`, scenarios, conditions, records, the control
// protocol with hostile clients, and simulators that fail and return, on simulated time, ports and loops. Two worlds of
// one seed are the same, byte by byte, where no client is hostile.
#pragma once

#include <cstdint>
#include <string>

namespace hilgate::test {

struct DaemonWorldResult {
  std::string fault{};  // empty: all properties held
  std::uint64_t frames = 0;
  std::uint64_t left = 0;
  std::uint64_t windows = 0;
  std::uint64_t requests = 0;
  std::uint64_t changes = 0;    // that were made
  std::uint64_t refused = 0;    // changes
  std::uint64_t scenarios = 0;  // that were started
  std::uint64_t manners = 0;    // of simulators, one after the other
  std::uint64_t verdicts = 0;
  std::uint64_t silences = 0;  // statuses with the condition
  std::uint64_t halts = 0;     // runs that a simulator's trouble ended
  std::uint64_t recorded = 0;  // link tables in records
  std::uint64_t digest = 0;    // of frames and answers
};

/// The world of this seed, until `frames` have arrived. Without hostile clients twice: the second run must have the
/// digest of the first.
DaemonWorldResult check_daemon_world(std::uint64_t seed, std::uint64_t frames);

/// What the world's configuration is, for a fault's report.
std::string daemon_world_text(std::uint64_t seed);

}  // namespace hilgate::test
