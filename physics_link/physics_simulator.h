// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate {

/// A simulator that advances one step at a time: PhysicsSimulator, NetworkSimulator. Everything happens on the control
/// thread; the callbacks may come from within begin().
template <class QuestionType, class AnswerType>
class Simulator {
 public:
  using Question = QuestionType;
  using Answer = AnswerType;

  struct Listener {
    std::function<void()> ready;                     // begin() may be called now
    std::function<void(Answer&)> ended;              // the step is over; the answer may be moved from
    std::function<void(const std::string&)> failed;  // the run cannot continue
    std::function<void(SimTime)> clock{};            // time of its own clock, on each update
  };

  virtual ~Simulator() = default;
  Simulator() = default;
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  /// Called once, before anything else.
  virtual void open(Listener listener) = 0;
  /// Starts a step; one at a time. The question is valid during the call.
  virtual void begin(const Question& question) = 0;
  /// Asked for steps that begin at `from`, the last one's beginning, up to this instant, it would answer as it did.
  [[nodiscard]] virtual SimTime unchanged_until(SimTime from) const { return from; }
  /// A step is under way at a peer, which would answer into nothing if it were closed now.
  [[nodiscard]] virtual bool answering() const { return false; }
  /// The run is over. Nothing is called back any more.
  virtual void close() = 0;
};

/// What one BEGIN asks a simulator to advance through: sim time [from, from + length).
struct Step {
  std::uint64_t window = 0;  // the window it is part of
  std::uint64_t number = 0;  // counts the BEGINs to this simulator, from 0
  SimTime from{};
  Nanoseconds length{0};
  [[nodiscard]] SimTime end() const { return from + length; }
};

/// A payload from one simulator to the other, which the gateway carries without reading it.
struct PeerPayload {
  enum class Form : std::uint8_t {
    kNone,
    kRosNetSimChannels,  // gzip of ChannelData
    kDancers,            // gzip of whatever the DANCERS connectors exchange
  };
  Form form = Form::kNone;
  std::string bytes{};
};

struct PhysicsQuestion {
  Step step;
  /// The network simulator's payload for the physics simulator from the window before; null: nothing new.
  const PeerPayload* from_network = nullptr;
};

struct PhysicsAnswer {
  bool has_scene = false;  // false: nothing new, the last scene stands
  Scene scene{};
  PeerPayload payload{};

  /// Nothing new. Keeps the storage.
  void clear() {
    has_scene = false;
    payload.bytes.clear();
  }
};

/// Moves the world, one step at a time.
using PhysicsSimulator = Simulator<PhysicsQuestion, PhysicsAnswer>;

}  // namespace hilgate
