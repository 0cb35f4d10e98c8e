// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"

namespace hilgate::test {

/// Host time that stands still until a test moves it. Models HostClock.
class FakeClock {
 public:
  explicit FakeClock(HostTime start = HostTime{Nanoseconds{1'000'000'000}}) : now_(start) {}
  [[nodiscard]] HostTime now() const { return now_; }
  [[nodiscard]] HostTime host() const { return now_; }
  [[nodiscard]] static HostTime host_at(HostTime path) { return path; }
  [[nodiscard]] static constexpr Nanoseconds patience() { return Nanoseconds{0}; }
  void advance(Nanoseconds by) { now_ += by; }
  void set(HostTime to) { now_ = to; }

 private:
  HostTime now_;
};

}  // namespace hilgate::test
