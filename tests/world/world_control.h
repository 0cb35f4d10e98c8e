// SPDX-License-Identifier: Apache-2.0
// The control side of a world: windows and simulators, and the packets that they judge.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gateway/run/simulation/parked_packets.h"
#include "gateway/run/windows/window_engine.h"
#include "tests/gateway/run/windows/window_fakes.h"
#include "tests/world/world_cores.h"
#include "tests/world/world_simulators.h"

namespace hilgate::test {

class WorldControl final : private WindowSink {
 public:
  /// Everything must outlive it.
  WorldControl(const WorldPlan& plan, const AirPlan& air, WorldCores& cores, LinkTable& newest, WorldRandom& random)
      : cores_(cores),
        newest_(newest),
        physics_(random),
        network_(plan, air, random),
        packets_(cores.path(0).verdicts(), TableRobots(plan.settings.robots.size()), plan.windows),
        engine_(plan.windows, timer_, physics_, network_, packets_, *this) {
    packets_.attach(engine_);
  }

  void start(HostTime now) {
    timer_.advance_to(now);
    engine_.start();
  }
  /// The world has gone on until `now`. `crash`: of one of the simulators.
  void step(HostTime now, bool crash) {
    timer_.advance_to(now);
    physics_.step(false);
    network_.step(crash);
  }
  /// The run cannot go on.
  [[nodiscard]] bool over() const { return over_; }

 private:
  void window_began(const WindowStart& start) override { packets_.window_began(start.from); }
  void links(LinkTable& table) override {
    newest_ = table;
    cores_.publish(newest_);
  }
  void verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten) override {
    packets_.verdicts(verdicts, forgotten);
  }
  void expired(std::span<const std::uint64_t> packets) override { packets_.expired(packets); }
  void ended(const std::string&) override {
    packets_.close();
    over_ = true;
  }

  WorldCores& cores_;
  LinkTable& newest_;
  FakeTimer timer_;
  WorldPhysics physics_;
  WorldNetwork network_;
  ParkedPackets packets_;
  WindowEngine engine_;
  bool over_ = false;
};

}  // namespace hilgate::test
