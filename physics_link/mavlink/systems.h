// SPDX-License-Identifier: Apache-2.0
// The MAVLink systems and the quality of their reception: frames, gaps in sequences, wrong checksums, TIMESYNC round
// trips.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "clock/time.h"
#include "frame/id.h"
#include "physics_link/mavlink/messages.h"

namespace hilgate::mavlink {

/// Where a frame was received.
struct Heard {
  RobotIndex from{};          // whose packet it came in
  RobotIndex body{};          // the robot that stands for its body: the same for all radios of it
  std::uint64_t channel = 0;  // to where it went: sequences count for each
  bool in_stream = false;     // of TCP, of which not every frame can be found
  SimTime at{};
};

/// Round trips of TIMESYNC as they look where both directions pass by: from a request to its answer.
struct TimeSyncTrips {
  std::uint64_t requests = 0;
  std::uint64_t answers = 0;  // to requests that were received
  Nanoseconds last{0};
  Nanoseconds least{0};
  Nanoseconds most{0};
};

struct SystemCounts {
  std::uint64_t frames = 0;  // with a right checksum, or one that cannot be checked
  std::uint64_t lost = 0;    // that are missing in sequences
  std::uint64_t behind = 0;  // out of order, or twice
  std::uint64_t wrong_crc = 0;
  std::uint64_t is_signed = 0;
  std::uint64_t from_others = 0;  // of robots other than the first that used this system id
  std::set<RobotIndex> robots{};  // Heard::body
  std::set<std::uint8_t> components{};
  std::uint8_t version = 0;  // of the last frame
  std::optional<Heartbeat> heartbeat{};
  SimTime last_heard{};
  TimeSyncTrips timesync{};  // that this system asked for
};

/// Control thread. Memory is bounded, whatever comes.
///
/// A system is listed from its first frame on that has a right checksum and a message that is read here. Bytes that
/// only look like a frame, as after an overflow of a serial line, have a wrong checksum, or one that nobody here can
/// check.
class Systems {
 public:
  /// `report(text)` is called once for every system id that a second robot uses, too.
  explicit Systems(std::function<void(const std::string&)> report) : report_(std::move(report)) {}

  /// A frame whose checksum is not wrong; `message` is empty where it is not known. `name_of` the robot, for messages.
  void take(const Heard& heard, const Frame& frame, const Message& message,
            const std::function<std::string(RobotIndex)>& name_of);
  /// One whose checksum is.
  void take_wrong(const Frame& frame);

  /// Robots have other ids from now on; counts stay.
  void forget_robots();

  /// By system id.
  [[nodiscard]] const std::map<std::uint8_t, SystemCounts>& all() const { return systems_; }
  /// Frames of systems that were not listed at the time.
  [[nodiscard]] std::uint64_t of_no_system() const { return of_no_system_; }

 private:
  static constexpr std::size_t kChannels = 4096;
  static constexpr std::size_t kWaitingTrips = 64;

  struct Trip {
    std::uint8_t system;
    std::int64_t ts1;
    SimTime asked;
  };
  // Sequences count for each component and each way it sends.
  using Channel = std::tuple<RobotIndex, std::uint8_t, std::uint8_t, std::uint64_t>;

  void note_sequence(const Heard& heard, const Frame& frame, SystemCounts& counts);
  void note_robot(const Heard& heard, const Frame& frame, SystemCounts& counts,
                  const std::function<std::string(RobotIndex)>& name_of);
  void note_trip(const Heard& heard, const Frame& frame, const TimeSync& sync);

  std::function<void(const std::string&)> report_;
  std::map<std::uint8_t, SystemCounts> systems_;
  std::uint64_t of_no_system_ = 0;
  struct Sequence {
    std::uint8_t last = 0;
    std::uint8_t behind = 0;  // the last that was older
    std::uint8_t run = 0;     // of such that follow each other
  };
  std::map<Channel, Sequence> last_sequence_;
  std::deque<Trip> trips_;
};

}  // namespace hilgate::mavlink
