// SPDX-License-Identifier: Apache-2.0
// A simulator of the native protocol at a socket of a world's daemon. It answers in time, late or never, breaks the
// protocol, vanishes and returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "host/file_descriptor.h"
#include "netsim_link/verdict.h"
#include "physics_link/connection/framing.h"
#include "physics_link/native/native_protocol.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

/// How a simulator behaves for a while.
enum class SimulatorManner : std::uint8_t {
  kPunctual,
  kLate,        // by some windows
  kHangs,       // reads and does not answer
  kGone,        // is not connected
  kTwice,       // each answer
  kUnasked,     // answers for other windows before the right one
  kOutOfOrder,  // answers, hellos and questions that nobody waits for
  kNoise,       // in the place of each answer
  kTooLong,     // announces a message of 4 GiB
  kHalf,        // disconnects in the middle of some answers
  kStorm,       // connects and disconnects, again and again
  kFlood,       // of answers, without a pause
  kTrickle,     // answers byte by byte
  kCount
};
/// Whether windows end without its answers, all of them.
constexpr bool is_silent(SimulatorManner manner) {
  return manner == SimulatorManner::kHangs || manner == SimulatorManner::kGone;
}

class DaemonSimulator {
 public:
  struct Terms {
    std::filesystem::path socket;  // that the daemon listens on
    native::Role role = native::Role::kPhysics;
    std::uint32_t robots = 0;
    bool judges_packets = false;  // else it gives links; of a network simulator
    Nanoseconds window{0};
  };
  DaemonSimulator(Terms terms, WorldRandom& random) : terms_(std::move(terms)), random_(random) {}

  /// From now on. A connection that the last manner has spoilt ends.
  void behave(SimulatorManner manner, HostTime now);
  [[nodiscard]] SimulatorManner manner() const { return manner_; }
  /// Since when it behaves like this.
  [[nodiscard]] HostTime since() const { return since_; }
  [[nodiscard]] native::Role role() const { return terms_.role; }

  /// Reads what has come and writes what is due. False: there was nothing to do.
  bool act(HostTime now);

  [[nodiscard]] std::uint64_t questions() const { return questions_; }
  [[nodiscard]] std::uint64_t connections() const { return connections_; }

 private:
  bool connect(HostTime now);
  bool read(HostTime now);
  void take(std::string_view body, HostTime now);
  void answer(std::uint64_t window, const std::string& end, HostTime now);
  [[nodiscard]] std::string end_of(std::uint64_t window) const;
  std::string judgement(std::uint64_t window);
  std::string scene_of(std::uint64_t window, SimTime at) const;
  std::string links_of(std::uint64_t window);
  void send(std::string_view bytes);
  void leave();

  Terms terms_;
  WorldRandom& random_;
  SimulatorManner manner_ = SimulatorManner::kPunctual;
  HostTime since_{};
  HostTime next_try_{};
  FileDescriptor socket_;
  FrameReader reader_;
  std::multimap<HostTime, std::string> due_;  // bytes
  std::vector<CapturedPacket> packets_;       // of the question at hand
  std::uint64_t questions_ = 0;
  std::uint64_t connections_ = 0;
};

}  // namespace hilgate::test
