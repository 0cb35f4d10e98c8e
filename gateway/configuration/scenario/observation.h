// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "gateway/configuration/scenario/scenario.h"

namespace hilgate {

/// A link of the run at some moment.
struct LinkSample {
  std::string from, to;
  LinkCounts counts;
  bool reachable = false;
};

/// A station has come to another access point.
struct HandoverSample {
  std::string robot, to;
  Nanoseconds without{0};  // at none
};

/// How long deliveries took.
struct DelaySample {
  std::uint64_t deliveries = 0;
  Nanoseconds percentile{0};  // of simulation time
};

/// What was seen of the links of an expectation during its time.
class Observation {
 public:
  /// Counts are taken from here on.
  void begin(const std::vector<LinkSample>& samples);
  /// Takes in what was counted since the last call. To be called before links come or go, and afterwards.
  void count(const std::vector<LinkSample>& samples);
  /// Takes the links in reach from a link table.
  void look(SimTime at, const std::vector<LinkSample>& samples);
  void take(const HandoverSample& handover) { handovers_.push_back(handover); }
  void take(const DelaySample& delay) { delay_ = delay; }

  /// What is wrong with it, with the value that was found; empty when the expectation is met.
  [[nodiscard]] std::string fault(const Expectation& expectation) const;
  [[nodiscard]] bool has_looked() const { return tables_ > 0; }

 private:
  [[nodiscard]] std::string loss_fault(const Expectation& expectation) const;
  [[nodiscard]] std::string rate_fault(const Expectation& expectation) const;
  [[nodiscard]] std::string reach_fault(const Expectation& expectation) const;
  [[nodiscard]] std::string drops_fault(const Expectation& expectation) const;
  [[nodiscard]] std::string delay_fault(const Expectation& expectation) const;
  [[nodiscard]] std::string handover_fault(const Expectation& expectation) const;

  using Link = std::pair<std::string, std::string>;
  std::map<Link, LinkCounts> last_;
  LinkCounts sum_;
  DelaySample delay_;
  std::vector<HandoverSample> handovers_;
  std::uint64_t tables_ = 0;
  std::map<Link, std::uint64_t> reached_;                  // tables in which each was in reach
  std::map<bool, std::pair<SimTime, std::string>> first_;  // the first link that was in reach, and out of it
};

}  // namespace hilgate
