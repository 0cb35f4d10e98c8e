// SPDX-License-Identifier: Apache-2.0
// Path time: what the packet path takes for host time. It is host time, but for a run that follows a physics simulator:
// there it goes as sim time goes, so that whatever a frame waits for (delays, rates, airtime) lasts as long for physics
// as was configured, however physics' speed wanders, and stands while physics stands.
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock/servo/sim_clock.h"
#include "clock/tsc_clock.h"

namespace hilgate {

/// Path time by sim time: they differ by a constant.
struct PathPace {
  const SimClock* sim = nullptr;
  HostTime origin{};  // path time at sim time 0

  [[nodiscard]] HostTime at(SimTime instant) const { return origin + instant.time_since_epoch(); }
  [[nodiscard]] SimTime sim_at(HostTime path) const { return SimTime{path - origin}; }
};

/// One packet loop's clock. Models HostClock (path/host_clock.h); never goes backwards.
class PathReader {
 public:
  /// `pace` null: path time is host time. Both must outlive the reader.
  PathReader(const TscClock& clock, const PathPace* pace) : tsc_(clock), pace_(pace) {}

  [[nodiscard]] HostTime now() { return path(tsc_.now()); }
  [[nodiscard]] HostTime host() { return tsc_.now(); }
  [[nodiscard]] bool is_paced() const { return pace_ != nullptr; }
  /// A clock that may come to stand is not to be waited for.
  [[nodiscard]] Nanoseconds patience() const { return pace_ != nullptr ? Nanoseconds{0} : TscReader::patience(); }

  /// Path time at an instant that is not later than now.
  [[nodiscard]] HostTime path(HostTime host) {
    if (pace_ == nullptr) {
      return host;
    }
    refresh();
    last_ = std::max(last_, pace_->at(lines_.at(host)));
    return last_;
  }
  /// When path time gets to `path`, as things stand; HostTime::max() for never.
  [[nodiscard]] HostTime host_at(HostTime path) {
    if (pace_ == nullptr || path == HostTime::max()) {
      return path;
    }
    refresh();
    const auto& line = lines_.current.line;
    return line.rate.scaled == 0 ? HostTime::max() : line.when(pace_->sim_at(path));
  }

 private:
  void refresh() {
    const std::uint64_t version = pace_->sim->version();
    if (version != version_) {
      lines_ = pace_->sim->lines();
      version_ = version;
    }
  }

  TscReader tsc_;
  const PathPace* pace_;
  SimLines lines_{};
  std::uint64_t version_ = 0;
  HostTime last_ = HostTime::min();
};

}  // namespace hilgate
