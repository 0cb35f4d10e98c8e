// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "netsim_link/link_state.h"
#include "netsim_link/verdict.h"

namespace hilgate {

/// Who writes down what simulators decided, beside the gateway's use of it. Called on the control thread.
class WindowObserver {
 public:
  virtual ~WindowObserver() = default;
  WindowObserver() = default;
  WindowObserver(const WindowObserver&) = delete;
  WindowObserver& operator=(const WindowObserver&) = delete;

  /// A new table, whose delays are in sim time.
  virtual void links(const LinkTable& table) = 0;
  virtual void verdicts(std::span<const Verdict> verdicts) = 0;
};

}  // namespace hilgate
