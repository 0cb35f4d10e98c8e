// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "clock/tsc_clock.h"
#include "gateway/configuration/bodies.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/cot_output.h"
#include "gateway/run/telemetry/dds_participants.h"
#include "gateway/run/telemetry/dis_output.h"
#include "gateway/run/telemetry/gnss_feeds.h"
#include "gateway/run/telemetry/heard_packet.h"
#include "gateway/run/telemetry/radio_statuses.h"
#include "gateway/run/telemetry/site_telemetry.h"
#include "gateway/status/model/peer_status.h"
#include "host/control_clock.h"
#include "path/data_plane.h"
#include "physics_link/mavlink/systems.h"
#include "physics_link/mavlink/vehicles.h"

namespace hilgate {

/// MAVLink telemetry of the robots, what they announce of DDS, the feeds to them, and their positions and
/// radios to other programs. Control thread; does nothing where the configuration has none of it.
class Telemetry {
 public:
  /// All of these are the running gateway's own, and change with it.
  struct Gateway {
    const Configuration& configuration;
    const Simulation& simulation;
    const RobotSlots& slots;
    Windows& windows;
    const TscClock& clock;
    DataPlane& plane;
  };

  Telemetry(asio::io_context& context, const Gateway& gateway);

  void start();
  /// The configuration has changed. Where robots have other ids now, addresses are learned anew.
  void changed();
  /// Of a gateway of a site: sends the positions that robots report to the others by `say`; hear() takes those of the
  /// others. Before start().
  void share(std::function<bool(const std::string&)> say) { say_ = std::move(say); }
  void hear(std::uint32_t gateway, std::string_view text);
  /// Nothing when MAVLink is not observed.
  [[nodiscard]] std::optional<MavlinkStatus> mavlink_status() const;
  /// Nothing when DDS is not observed.
  [[nodiscard]] std::optional<DdsStatus> dds_status() const;
  /// Empty where no robot has `gnss`.
  [[nodiscard]] std::vector<GnssFeedStatus> gnss_status() const;
  /// Nothing without `cot`.
  [[nodiscard]] std::optional<CotStatus> cot_status() const;
  /// Nothing without `dis`.
  [[nodiscard]] std::optional<DisOutputStatus> dis_status() const;

 private:
  void watch();
  void tick();
  [[nodiscard]] mavlink::Moment moment_of(HostTime path) const;
  [[nodiscard]] SimTime sim_now() const;
  void take(const Overheard& overheard);
  void take_dds(const HeardPacket& packet, RobotIndex from, HostTime at);
  void take_mavlink(const HeardPacket& packet, RobotIndex from, const mavlink::Moment& at);
  void note_flow(const HeardPacket& packet, RobotIndex from, RobotIndex to, mavlink::Version version, SimTime at);
  void take_frame(const mavlink::Frame& frame, const mavlink::Heard& heard, const mavlink::Moment& at);
  void say_places(HostTime now);
  void take_time(RobotIndex from, std::uint8_t system, const mavlink::Message& message);
  void send_radio_statuses(SimTime now);
  [[nodiscard]] double lost_share(RobotIndex robot) const;
  [[nodiscard]] MavlinkVehicleStatus vehicle_status(RobotIndex robot, SimTime now) const;
  void send_line_statuses();
  bool read_radio(RobotIndex robot, LineStatuses::Host& host) const;
  struct Feed {
    std::optional<SimTime> last_sent{};
    std::uint64_t last_window = 0;
    std::uint64_t sent = 0;  // datagrams
    std::uint64_t refused = 0;
  };
  void send_positions(HostTime now, SimTime sim);
  void send_feeds(SimTime now);
  void send_feed(RobotIndex robot, Feed& feed);
  [[nodiscard]] RadioPair pair(RobotIndex robot, RobotIndex peer) const;
  [[nodiscard]] LinkReading reading(RobotIndex from, RobotIndex to) const;
  [[nodiscard]] std::uint32_t queue_frames(RobotIndex from, RobotIndex to) const;
  bool send(RobotIndex robot, std::span<const std::byte> frame);
  [[nodiscard]] std::string name_of(RobotIndex robot) const;
  [[nodiscard]] std::string body_name(RobotIndex robot) const;

  Gateway gateway_;
  ControlTimer timer_;
  std::vector<std::string> names_;  // by RobotIndex, as what was learned has them
  Bodies bodies_;
  HeardRobots robots_;
  std::optional<std::pair<RobotIndex, std::uint8_t>> timekeeper_;  // pace follow: whose time is followed
  mavlink::Systems systems_;
  DdsParticipants participants_;
  RadioStatuses radios_;
  HostTime watched_{};                           // vehicles, last
  std::function<bool(const std::string&)> say_;  // empty: the gateway is alone, or robots report no positions
  SiteTelemetry to_others_;
  HostTime said_{};  // the last of it
  LineStatuses lines_;
  std::map<std::string, Feed> feeds_;  // by robot
  GnssFeeds gnss_;
  CotOutput cot_;
  DisOutput dis_;
};

}  // namespace hilgate
