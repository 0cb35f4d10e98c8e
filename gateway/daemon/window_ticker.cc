// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/window_ticker.h"

#include <algorithm>

namespace hilgate {

WindowTicker::WindowTicker(asio::io_context& context, const TscClock& clock, Nanoseconds window, Physics& physics,
                           Netsim& netsim, LinkTableFeed& feed)
    : timer_(context), clock_(clock), windows_(clock.now(), window), physics_(physics), netsim_(netsim), feed_(feed) {
  table_.links.resize(feed.back().links.size());
}

void WindowTicker::start() {
  windows_ = HostWindows(clock_.now(), windows_.window());
  publish(0);
  wait_for(1);
}

void WindowTicker::publish(std::uint64_t window) {
  const HostTime begun = clock_.now();
  table_.window = window;
  table_.at = windows_.sim(window);
  table_.begins = windows_.boundary(window);
  physics_.scene_at(table_.at, scene_);
  netsim_.link_states(scene_, table_);
  feed_.back() = table_;  // same size: copies without allocating
  feed_.publish();
  const HostTime done = clock_.now();
  report_.missed += report_.published > 0 ? window - report_.window - 1 : 0;
  report_.window = window;
  ++report_.published;
  report_.last_lateness = done - windows_.boundary(window);
  report_.most_lateness = std::max(report_.most_lateness, report_.last_lateness);
  report_.last_compute = done - begun;
  report_.most_compute = std::max(report_.most_compute, report_.last_compute);
}

void WindowTicker::wait_for(std::uint64_t window) {
  // std::chrono::steady_clock is CLOCK_MONOTONIC on Linux, as HostTime is.
  timer_.expires_at(std::chrono::steady_clock::time_point{windows_.boundary(window).time_since_epoch()});
  timer_.async_wait([this](const asio::error_code& error) {
    if (error) {
      return;
    }
    // After a stall the windows that have passed are skipped, not made up for: link states are about now.
    const std::uint64_t current = std::max(windows_.at(clock_.now()), report_.window + 1);
    publish(current);
    wait_for(current + 1);
  });
}

}  // namespace hilgate
