// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "netsim_link/network_codec.h"
#include "netsim_link/rosnetsim/rosnetsim_network.h"
#include "physics_link/connection/gzip.h"
#include "physics_link/rosnetsim/rosnetsim_physics.h"

namespace hilgate {

/// When the simulator's end lists a packet for a coordinator that gets no release times and releases a packet as soon
/// as it reads it in an END.
enum class Listing : std::uint8_t {
  kInStep,    // in the END of the step in which it arrives, as this protocol's simulators do: up to a step early
  kNotEarly,  // in the END of the first step that begins after its release time
};

struct RosNetSimNetworkOptions {
  std::vector<std::uint32_t> robot_ips{};  // by RobotIndex, host byte order
  rosnetsim::SightRule sight = rosnetsim::SightRule::kTwoHops;
  int gzip_level = 1;
  bool check_window = true;  // report, once, an END that names another window; it counts all the same
  /// Send capture and release times in nanoseconds, fields 100 and 101; the simulator's end to who sends them itself.
  bool extensions = false;
  // Simulator's end only.
  Nanoseconds window{0};  // the wire carries no length
  Listing listing = Listing::kInStep;
};

/// ROS-NetSim's network link: packets go out by id, addresses and length; a packet listed in an END is released as the
/// END is read, unless the extension carries a release time.
class RosNetSimNetworkCodec final : public NetworkCodec {
 public:
  explicit RosNetSimNetworkCodec(RosNetSimNetworkOptions options);

  void encode_begin(const NetworkQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, NetworkAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedNetworkQuestion& question) override;
  void encode_end(const NetworkAnswer& answer, std::string& body) override;
  [[nodiscard]] std::string shortcoming() const override;

 private:
  void pack(bool extensions, std::string& body);
  void take_channels(const NetworkQuestion& question);
  [[nodiscard]] rosnetsim::PacketKey key_of(const CapturedPacket& packet) const;
  [[nodiscard]] std::uint64_t full_id(std::uint32_t wire_id) const;
  MaybeFault read_delivery(const rosnetsim::Delivered& delivered, NetworkAnswer& answer) const;
  [[nodiscard]] std::optional<CapturedPacket> packet_of(const rosnetsim::Offered& offered) const;
  MaybeFault refuse(const rosnetsim::PacketKey& key);
  void list_due();
  void list_cleared();

  RosNetSimNetworkOptions options_;
  rosnetsim::Addresses robots_;
  Gzip gzip_;
  Step step_;
  rosnetsim::NetworkUpdate update_;
  std::string plain_;
  std::string channels_;  // packed; the latest from physics
  std::uint64_t last_id_ = 0;
  bool told_window_ = false;  // an END that names another window has been reported
  // Simulator's end: the coordinator releases what an END lists at once, so a verdict waits here for its step.
  bool told_captures_ = false;  // the coordinator sends capture times and so understands release times
  std::unordered_map<std::uint64_t, rosnetsim::PacketKey> keys_;
  std::vector<Verdict> waiting_;
  std::vector<std::uint64_t> forgotten_;
  std::uint64_t offered_ = 0;  // packets
  std::uint64_t refused_ = 0;
  rosnetsim::PacketKey first_refused_;
};

}  // namespace hilgate
