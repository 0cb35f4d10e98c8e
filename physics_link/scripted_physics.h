// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>

#include "physics_link/physics_simulator.h"

namespace hilgate {

/// A physics simulator for tests and first tries: robots drive circles, one radius apart, in each other's sight.
class ScriptedPhysics final : public PhysicsSimulator {
 public:
  struct Script {
    std::size_t robots = 2;
    double radius = 10;  // m, of the first robot's circle; robot n drives at n + 1 times that
    Nanoseconds lap{std::chrono::seconds(60)};
    bool moves = true;  // false: ends every step without a word, as fast as can be
  };

  explicit ScriptedPhysics(const Script& script) : script_(script) {}

  void open(Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const PhysicsQuestion& question) override {
    answer_.has_scene = script_.moves;
    if (script_.moves) {
      place_all(question.step.end());
    }
    listener_.ended(answer_);
  }
  void close() override {}

 private:
  void place_all(SimTime at) {
    Scene& scene = answer_.scene;
    scene.at = at;
    scene.robots.resize(script_.robots);
    scene.sights.resize(pair_count(script_.robots));
    const auto into_lap = static_cast<double>((at.time_since_epoch() % script_.lap).count());
    const double angle = 2 * M_PI * into_lap / static_cast<double>(script_.lap.count());
    for (std::size_t i = 0; i < script_.robots; ++i) {
      const double radius = script_.radius * static_cast<double>(i + 1);
      scene.robots[i].position = {radius * std::cos(angle), radius * std::sin(angle), 0};
    }
  }

  Script script_;
  Listener listener_;
  PhysicsAnswer answer_;
};

}  // namespace hilgate
