// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "netsim_link/link_state.h"
#include "netsim_link/verdict.h"
#include "physics_link/scene.h"
#include "physics_link/step.h"

namespace hilgate {

struct NetworkQuestion {
  Step step;
  std::span<const CapturedPacket> packets{};  // captured since the last question
  const Scene* scene = nullptr;               // null until physics has answered once
  const ForeignPayload* payload = nullptr;    // physics' last words in its own language; null: none yet
  bool fresh = false;                         // scene and payload are newer than those of the last question
};

struct NetworkAnswer {
  std::vector<Verdict> verdicts{};
  /// Packets that get no further verdict; those passed already stand. Every packet must come to be forgotten, or it
  /// takes up memory until it expires.
  std::vector<std::uint64_t> forget{};
  bool has_links = false;
  LinkTable links{};
  ForeignPayload payload{};  // for the physics simulator
};

/// Who decides what the air does, one step at a time; packet by packet, or with link states, or both. Everything
/// happens on the control thread; the callbacks may come from within begin().
class NetworkSimulator {
 public:
  struct Listener {
    std::function<void()> ready;
    std::function<void(NetworkAnswer&)> ended;  // the answer may be moved from
    std::function<void(const std::string&)> failed;
  };

  virtual ~NetworkSimulator() = default;
  NetworkSimulator() = default;
  NetworkSimulator(const NetworkSimulator&) = delete;
  NetworkSimulator& operator=(const NetworkSimulator&) = delete;

  /// Called once, before anything else.
  virtual void open(Listener listener) = 0;
  /// Starts a step; one at a time. The question is valid during the call.
  virtual void begin(const NetworkQuestion& question) = 0;
  /// The run is over. Nothing is called back any more.
  virtual void close() = 0;
};

}  // namespace hilgate
