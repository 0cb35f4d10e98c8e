// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/datagram_sender.h"
#include "gateway/status/model/peer_status.h"
#include "host/control_clock.h"
#include "path/data_plane.h"
#include "physics_link/dis/radio_pdus.h"

namespace hilgate {

/// Radios of the robots at this gateway's ports as Transmitter and Receiver PDUs of DIS, a UDP datagram each, from this
/// machine's own network. PDUs have the machine's UTC and go out in host time, because their receivers live in it.
///
/// Each radio is looked at once in `dis.every`, all of them spread evenly over that time, so that a thousand cost the
/// control thread little at once. A radio transmits while frames for receivers in range were sent since the last look,
/// and receives while frames for it were delivered; its transmitter is the one with the strongest link in range. A PDU
/// goes out when its state has changed, by the thresholds below, and after a heartbeat. Control thread.
class DisOutput {
 public:
  // Defaults of IEEE 1278.1-2012. Of the heartbeat of Receiver PDUs implementations have two, 5 s and 60 s; the shorter
  // one keeps receivers that know either from giving a radio up.
  static constexpr Nanoseconds kTransmitterHeartbeat = std::chrono::seconds(2);  // HBT_PDU_TRANSMITTER
  static constexpr Nanoseconds kReceiverHeartbeat = std::chrono::seconds(5);     // HBT_PDU_RECEIVER
  static constexpr double kMovedFar = 500;                                       // m, TRANS_POS_THRSH
  static constexpr float kPowerChange = 3;  // dB, of received power; the standard has no threshold

  struct Gateway {
    const Configuration& configuration;
    const Simulation& simulation;
    const RobotSlots& slots;
    const Windows& windows;
    const DataPlane& plane;
  };

  /// All belong to the running gateway and change with it.
  DisOutput(asio::io_context& context, const Gateway& gateway);

  /// Requires `dis` in the configuration. Throws std::system_error when there is no socket.
  void start();
  /// The configuration has changed: what was sent is sent anew.
  void changed() { radios_.clear(); }
  /// Requires `dis` in the configuration.
  [[nodiscard]] DisOutputStatus status() const;

 private:
  struct Radio {
    std::optional<Nanoseconds> sent_transmitter{}, sent_receiver{};  // host time of the last PDU
    dis::Transmitter transmitter{};                                  // as last sent
    dis::Receiver receiver{};
    std::optional<Nanoseconds> transmitted{}, received{};  // when frames were seen last
    /// Of links in range to this radio, by sender: deliveries and releases at the last look.
    std::unordered_map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> by_sender{};
  };

  void look_after(Nanoseconds pause);
  void look();
  void look_at(RobotIndex robot, const Scene& scene, Nanoseconds now);
  dis::Receiver hear(RobotIndex robot, Nanoseconds now);
  [[nodiscard]] dis::Transmitter transmitter_of(RobotIndex robot, const Pose& pose, Nanoseconds now) const;
  [[nodiscard]] bool is_recent(const std::optional<Nanoseconds>& at, Nanoseconds now) const;
  [[nodiscard]] bool is_due(const std::optional<Nanoseconds>& sent, Nanoseconds heartbeat, Nanoseconds now) const;
  void send(RobotIndex robot, const dis::Transmitter& transmitter, Nanoseconds now);
  void send(RobotIndex robot, const dis::Receiver& receiver, Nanoseconds now);
  [[nodiscard]] dis::RadioHeader header_of(RobotIndex robot, Nanoseconds now) const;
  [[nodiscard]] bool has_radio_here(RobotIndex robot) const;

  Gateway gateway_;
  ControlTimer timer_;
  DatagramSender sender_;
  std::vector<Radio> radios_;  // by RobotIndex
  std::size_t next_ = 0;       // radio
  std::uint64_t transmitters_ = 0, receivers_ = 0, unplaced_ = 0;
};

}  // namespace hilgate
