// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>

#include "clock/time.h"
#include "clock/tsc_clock.h"
#include "gateway/daemon/host_windows.h"
#include "gateway/link_table_feed.h"
#include "netsim_link/netsim.h"
#include "physics_link/physics.h"
#include "physics_link/scene.h"

namespace hilgate {

/// How well windows kept their instants.
struct WindowReport {
  std::uint64_t window = 0;      // the one that is current
  std::uint64_t published = 0;   // link tables made
  std::uint64_t missed = 0;      // windows that passed without a table of their own: the last one went on
  Nanoseconds last_lateness{0};  // of the last table: publication after its boundary
  Nanoseconds most_lateness{0};
  Nanoseconds last_compute{0};  // scene and link states
  Nanoseconds most_compute{0};
};

/// At every window boundary: scene from physics, link states from the netsim, table to the hot loop. Control thread.
/// The first table is made at once by first(); the ones after by the loop of `context` while it runs.
class WindowTicker {
 public:
  WindowTicker(asio::io_context& context, const TscClock& clock, Nanoseconds window, Physics& physics, Netsim& netsim,
               LinkTableFeed& feed);

  /// Publishes window 0 and starts the clock of windows.
  void start();
  void stop() { timer_.cancel(); }

  [[nodiscard]] const WindowReport& report() const { return report_; }
  /// Of the last window.
  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] const LinkTable& table() const { return table_; }

 private:
  void publish(std::uint64_t window);
  void wait_for(std::uint64_t window);

  asio::steady_timer timer_;
  const TscClock& clock_;
  HostWindows windows_;
  Physics& physics_;
  Netsim& netsim_;
  LinkTableFeed& feed_;
  Scene scene_;
  LinkTable table_;
  WindowReport report_;
};

}  // namespace hilgate
