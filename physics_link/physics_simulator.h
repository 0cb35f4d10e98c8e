// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "physics_link/scene.h"
#include "physics_link/step.h"

namespace hilgate {

struct PhysicsAnswer {
  bool has_scene = false;  // false: nothing new, the last scene stands
  Scene scene{};
  ForeignPayload payload{};
};

/// Who moves the world, one step at a time. Everything happens on the control thread; the callbacks may come from
/// within begin().
class PhysicsSimulator {
 public:
  struct Listener {
    std::function<void()> ready;                     // begin() may be called now
    std::function<void(PhysicsAnswer&)> ended;       // the step is over; the answer may be moved from
    std::function<void(const std::string&)> failed;  // the run cannot go on
  };

  virtual ~PhysicsSimulator() = default;
  PhysicsSimulator() = default;
  PhysicsSimulator(const PhysicsSimulator&) = delete;
  PhysicsSimulator& operator=(const PhysicsSimulator&) = delete;

  /// Called once, before anything else.
  virtual void open(Listener listener) = 0;
  /// Starts a step; one at a time. `from_network` is what the network simulator said for the physics simulator in
  /// the window before, null when that is nothing new.
  virtual void begin(const Step& step, const ForeignPayload* from_network) = 0;
  /// The run is over. Nothing is called back any more.
  virtual void close() = 0;
};

}  // namespace hilgate
