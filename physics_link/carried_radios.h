// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "physics_link/physics_simulator.h"

namespace hilgate {

/// The scene of radios from that of the bodies that carry them: each radio has the pose of its body, and two radios the
/// sight of their bodies; there is nothing between radios of one body.
class RadioScene {
 public:
  /// `body_of`: by RobotIndex, each radio's body as scenes count them.
  explicit RadioScene(std::vector<std::uint32_t> body_of);

  /// Replaces a scene of bodies. One with another number of bodies stays as it is, for who checks scenes.
  void spread(Scene& scene);

 private:
  void spread_sights(const Sights& of_bodies);

  std::vector<std::uint32_t> body_of_;
  std::vector<std::vector<RobotIndex>> radios_;  // by body
  Scene spread_;
};

/// A physics simulator of bodies as one of their radios. Payloads between the physics and the network simulator, which
/// count bodies at one end and radios at the other, are not passed on: the network simulator gets the scene.
class CarriedRadios final : public PhysicsSimulator {
 public:
  CarriedRadios(std::unique_ptr<PhysicsSimulator> physics, std::vector<std::uint32_t> body_of)
      : physics_(std::move(physics)), scene_(std::move(body_of)) {}

  void open(Listener listener) override;
  void begin(const PhysicsQuestion& question) override { physics_->begin({.step = question.step}); }
  [[nodiscard]] SimTime unchanged_until(SimTime from) const override { return physics_->unchanged_until(from); }
  [[nodiscard]] bool answering() const override { return physics_->answering(); }
  void close() override { physics_->close(); }

 private:
  std::unique_ptr<PhysicsSimulator> physics_;
  RadioScene scene_;
  Listener listener_;
};

}  // namespace hilgate
