// SPDX-License-Identifier: Apache-2.0
// Simulators of a world: they answer at once, later, or not for a while; some crash, some say what is not true.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "netsim_link/network_simulator.h"
#include "physics_link/physics_simulator.h"
#include "tests/world/world_plan.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

/// Either simulator. The one for packets gives verdicts where the world is judged, and link states elsewhere.
template <class Interface>
class WorldSimulator : public Interface {
 public:
  using Question = typename Interface::Question;
  using Answer = typename Interface::Answer;

  explicit WorldSimulator(WorldRandom& random) : random_(random) {}

  void open(typename Interface::Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const Question& question) override {
    asked(question);
    steps_left_ = random_.chance(0.8) ? 0 : 1 + random_.below(random_.chance(0.1) ? 2000 : 20);
    busy_ = true;
    if (steps_left_ == 0) {
      end();
    }
  }
  [[nodiscard]] bool answering() const override { return false; }
  void close() override { busy_ = false; }

  /// The world has gone on by a step.
  void step(bool crash) {
    if (busy_ && crash) {
      busy_ = false;
      listener_.failed("the simulator has crashed");
    } else if (busy_ && steps_left_ > 0 && --steps_left_ == 0) {
      end();
    }
  }

 protected:
  virtual void asked(const Question& question) = 0;
  virtual void answer(Answer& answer) = 0;
  WorldRandom& random() { return random_; }

 private:
  void end() {
    busy_ = false;
    Answer given;
    answer(given);
    listener_.ended(given);
  }

  WorldRandom& random_;
  typename Interface::Listener listener_;
  std::uint32_t steps_left_ = 0;
  bool busy_ = false;
};

class WorldPhysics final : public WorldSimulator<PhysicsSimulator> {
 public:
  using WorldSimulator::WorldSimulator;

 protected:
  void asked(const PhysicsQuestion& question) override { step_ = question.step; }
  void answer(PhysicsAnswer& answer) override {
    answer.has_scene = random().chance(0.9);
    answer.scene.at = step_.end();
  }

 private:
  Step step_;
};

class WorldNetwork final : public WorldSimulator<NetworkSimulator> {
 public:
  WorldNetwork(const WorldPlan& plan, const AirPlan& air, WorldRandom& random)
      : WorldSimulator(random), plan_(plan), air_(air) {}

 protected:
  void asked(const NetworkQuestion& question) override {
    step_ = question.step;
    packets_.assign(question.packets.begin(), question.packets.end());
  }
  void answer(NetworkAnswer& answer) override;

 private:
  void judge(const CapturedPacket& packet, NetworkAnswer& answer);
  Verdict verdict_on(const CapturedPacket& packet, RobotIndex receiver);
  void lie(Verdict& verdict);

  const WorldPlan& plan_;
  const AirPlan& air_;
  Step step_;
  std::vector<CapturedPacket> packets_;
};

}  // namespace hilgate::test
