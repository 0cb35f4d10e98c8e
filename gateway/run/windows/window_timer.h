// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "clock/time.h"

namespace hilgate {

/// The clock and the alarm of the window engine. Tests inject one that they turn by hand.
class WindowTimer {
 public:
  virtual ~WindowTimer() = default;
  WindowTimer() = default;
  WindowTimer(const WindowTimer&) = delete;
  WindowTimer& operator=(const WindowTimer&) = delete;

  [[nodiscard]] virtual HostTime now() const = 0;
  /// Calls `ring` once at or after `instant`, never from within this call; replaces an alarm that is set.
  virtual void at(HostTime instant, std::function<void()> ring) = 0;
  virtual void cancel() = 0;
};

}  // namespace hilgate
