// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"

namespace hilgate::test {

/// Host time of a world. Models HostClock: with a patience it runs by itself, a little at each look, so that a path may
/// wait for an instant.
class WorldClock {
 public:
  explicit WorldClock(Nanoseconds patience) : patience_(patience) {}

  HostTime now() {
    if (patience_ > Nanoseconds{0}) {
      now_ += Nanoseconds{53};
    }
    return now_;
  }
  [[nodiscard]] Nanoseconds patience() const { return patience_; }

  /// Without moving it.
  [[nodiscard]] HostTime at() const { return now_; }
  void advance(Nanoseconds by) { now_ += by; }

 private:
  HostTime now_{std::chrono::seconds(1000)};  // as FakeTimer
  Nanoseconds patience_;
};

}  // namespace hilgate::test
