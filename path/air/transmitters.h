// SPDX-License-Identifier: Apache-2.0
// The transmit queues of all domains, and how their stations receive one another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/slab.h"
#include "netsim_link/air_plan.h"
#include "path/air/air_transmission.h"
#include "path/air/signal_powers.h"
#include "path/air/transmitter.h"
#include "path/fate/air_signals.h"

namespace hilgate {

/// A part of a frame exchange that other transmissions meet.
struct Sent {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t mode = 0;
  double bits = 0;   // as errors meet them
  HostTime since{};  // on the air
  HostTime until{};
  bool control = false;  // acknowledgement, RTS or CTS
};

/// Shared by the access methods of all domains, because stations roam. Does not allocate after construction.
class Transmitters {
 public:
  /// Has room for the jobs that the stations' queues take, at least for `least`.
  Transmitters(const AirPlan& plan, std::uint64_t seed, std::size_t least);
  Transmitters(const Transmitters&) = delete;
  Transmitters& operator=(const Transmitters&) = delete;

  [[nodiscard]] std::span<Transmitter> all() { return transmitters_; }
  [[nodiscard]] std::span<const Transmitter> all() const { return transmitters_; }
  Transmitter& operator[](std::uint32_t index) { return transmitters_[index]; }
  const Transmitter& operator[](std::uint32_t index) const { return transmitters_[index]; }
  /// Slots of robots: a transmitter's robot is below.
  [[nodiscard]] std::size_t robots() const { return first_of_.size(); }
  [[nodiscard]] std::uint32_t index_of(const Transmitter& transmitter) const {
    return static_cast<std::uint32_t>(&transmitter - transmitters_.data());
  }
  /// A station's first transmitter; null without a station.
  [[nodiscard]] Transmitter* of(std::uint32_t robot) { return robot < first_of_.size() ? first_of_[robot] : nullptr; }
  [[nodiscard]] const Transmitter* of(std::uint32_t robot) const {
    return robot < first_of_.size() ? first_of_[robot] : nullptr;
  }
  /// The one whose queue a frame from `robot` to `receiver` waits in; null without a station.
  [[nodiscard]] Transmitter* of(std::uint32_t robot, std::uint32_t receiver, AccessCategory category) {
    Transmitter* const first = of(robot);
    return first != nullptr ? first + place_in(*first, receiver, category) : nullptr;
  }
  [[nodiscard]] const Transmitter* of(std::uint32_t robot, std::uint32_t receiver, AccessCategory category) const {
    const Transmitter* const first = of(robot);
    return first != nullptr ? first + place_in(*first, receiver, category) : nullptr;
  }
  /// All of a robot that is no base station; requires a station.
  [[nodiscard]] std::span<Transmitter> queues_of(std::uint32_t robot) {
    return {of(robot), of(robot)->station.edca ? kAccessCategories : 1};
  }

  // ---- queues ----

  [[nodiscard]] AirJob& job(NodeIndex node) { return jobs_[node]; }
  [[nodiscard]] const AirJob& job(NodeIndex node) const { return jobs_[node]; }
  [[nodiscard]] AirJob& head(const Transmitter& transmitter) { return jobs_[transmitter.head]; }
  [[nodiscard]] const AirJob& head(const Transmitter& transmitter) const { return jobs_[transmitter.head]; }
  [[nodiscard]] std::size_t capacity() const { return jobs_.capacity(); }
  [[nodiscard]] bool full() const { return jobs_.used() >= jobs_.capacity(); }

  /// False when there is no room for it. The queue's own limit is the caller's to check.
  bool append(Transmitter& transmitter, const AirJob& job);
  /// Removes the job after `before`; kNoNode: the head.
  void remove(Transmitter& transmitter, NodeIndex before);
  /// Removes the jobs for which change(AirJob&) is false.
  template <class Change>
  void change_jobs(Transmitter& transmitter, Change change) {
    NodeIndex before = kNoNode;
    for (NodeIndex node = transmitter.head; node != kNoNode;) {
      const NodeIndex next = jobs_[node].next;
      if (change(jobs_[node])) {
        before = node;
      } else {
        remove(transmitter, before);
      }
      node = next;
    }
  }

  // ---- results of the last event ----

  [[nodiscard]] std::vector<AirResult>& results() { return results_; }
  /// Adds the result of a job, once.
  void hand_over(AirJob& job, HostTime on_air_until);
  /// Hands over what `to` has received or will never receive, in order, and removes what the sender need not repeat.
  void hand_over_received(Transmitter& transmitter, std::uint32_t to, HostTime on_air_until);

  // ---- reception ----

  /// The powers of `signals` must not change before the next.
  void set_signals(const AirSignals& signals) { powers_.set(signals); }
  [[nodiscard]] const AirSignals& signals() const { return powers_.signals(); }
  /// Requires a domain in which transmissions can overlap.
  [[nodiscard]] SignalPowers& powers() { return powers_; }
  [[nodiscard]] const SignalPowers& powers() const { return powers_; }
  [[nodiscard]] const PhyMode& mode(std::uint8_t mode) const { return modes_[mode]; }
  [[nodiscard]] const PhyMode& mode(const AirJob& job) const { return modes_[job.mode]; }
  /// Whether what noise leaves of `sent` is received while `others` transmit, each with `weight` of its power. A
  /// station that transmits receives nothing (half duplex). Else the errors are those of the SINR over noise and all
  /// who transmit at a time: besides the loss p of noise, drawn before, others take 1 - (1 - p') / (1 - p), where p' is
  /// the loss at the SINRs of its parts. Of LoRa others take the frame where they are not rejected (lora_rejection()).
  /// Draws from the stream of `drawing`.
  bool survives(Transmitter& drawing, const Sent& sent, std::span<const Overlap> others, double weight);

  // ---- draws ----

  /// Of a station's own stream.
  bool happens(Transmitter& transmitter, double probability);
  void draw_backoff(Transmitter& transmitter);
  /// One of the jobs that wait, or kNoNode for one more that would: all with the same probability, but for one that has
  /// been sent in part.
  NodeIndex draw_waiting(Transmitter& transmitter);

 private:
  [[nodiscard]] std::size_t place_in(const Transmitter& first, std::uint32_t receiver, AccessCategory category) const {
    return first.station.base   ? (receiver < first_of_.size() ? 1 + receiver : 0)
           : first.station.edca ? static_cast<std::size_t>(category)
                                : 0;
  }
  [[nodiscard]] bool rejects(const Sent& sent, std::span<const Overlap> others, double signal_dbm) const;
  double more_errors(const Sent& sent, std::span<const Overlap> others, double weight, const LinkState& link);

  std::uint64_t seed_;
  std::vector<PhyMode> modes_;
  std::vector<ModeErrors> errors_;
  std::vector<Transmitter> transmitters_;
  std::vector<Transmitter*> first_of_;  // by RobotSlot; into transmitters_
  Slab<AirJob> jobs_;
  SignalPowers powers_;
  std::vector<AirResult> results_;  // capacity reserved
  std::vector<double> others_mw_;   // in more_errors(): as they count; capacity reserved
};

}  // namespace hilgate
