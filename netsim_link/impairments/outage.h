// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// A time in which a link carries nothing: a tunnel, a blackout, a reboot of a radio. Frames that arrive in it are
/// lost; those in flight are not touched. Times count from the start of the run. Does nothing when `length` is 0.
struct Outage {
  Nanoseconds at{0};
  Nanoseconds length{0};
  Nanoseconds every{0};  // again and again with this period, longer than `length`; 0: once

  [[nodiscard]] bool covers(Nanoseconds since_start) const {
    const Nanoseconds since = since_start - at;
    if (since.count() < 0) {
      return false;
    }
    return (every.count() > 0 ? since % every : since) < length;
  }
};

/// All outages of a link.
struct Outages {
  static constexpr std::string_view kKey = "outages";
  struct State {};

  std::vector<Outage> times{};

  static std::optional<Outages> read(YamlReader& link);
  [[nodiscard]] bool idle() const { return times.empty(); }
  [[nodiscard]] bool timed_by_host() const { return !times.empty(); }
  [[nodiscard]] std::optional<DropReason> lose(const ImpairedFrame& frame, State& state, FrameRandom& random) const;
};

}  // namespace hilgate
