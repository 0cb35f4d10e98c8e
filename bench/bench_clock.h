// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "clock/reference/reference_options.h"
#include "clock/servo/disciplined_clock.h"
#include "gateway/run/windows/clock_timeline.h"
#include "gateway/run/windows/window_engine.h"

namespace hilgate {

/// Schedules the windows of an engine as a run does, by a reference. Control thread.
class BenchClock {
 public:
  /// Throws as make_reference() does.
  BenchClock(asio::io_context& io, const ReferenceOptions& reference, WindowEngine& engine)
      : clock_(make_reference(reference), {}, read_system_tai()),
        timeline_(clock_, host_now(), Dilation{}),
        timer_(io),
        engine_(engine) {
    engine_.follow(timeline_);
    poll();
  }
  /// Between the clock and its reference.
  [[nodiscard]] Nanoseconds offset_p99() const { return clock_.status(host_now()).offset.p99; }

 private:
  void poll() {
    clock_.poll(host_now());
    timeline_.advance(host_now());
    engine_.reschedule();
    timer_.expires_after(std::chrono::milliseconds{50});
    timer_.async_wait([this](const asio::error_code& error) {
      if (!error) {
        poll();
      }
    });
  }

  DisciplinedClock clock_;
  ClockTimeline timeline_;
  asio::steady_timer timer_;
  WindowEngine& engine_;
};

}  // namespace hilgate
