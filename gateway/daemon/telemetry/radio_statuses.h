// SPDX-License-Identifier: Apache-2.0
// RADIO_STATUS for vehicles and ground stations, as pairs of SiK radios between them would send it.
//
// A SiK radio sends its own host a RADIO_STATUS about once a second, as system 51 and component 68, in the version that
// it hears. Power and noise are in steps of 1/1.9 dB above -127 dBm (radio-models 9). Here each way between two robots
// that MAVLink was heard on is such a pair of radios; the frame goes out by the robot's port as if it came from its
// peer, because that is whom the robot's socket listens to.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "clock/time.h"
#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/daemon/telemetry/heard_packet.h"
#include "gateway/daemon/telemetry/link_reading.h"
#include "physics_link/mavlink/messages.h"

namespace hilgate {

/// A power in SiK's scale, [0, 254].
std::uint8_t sik_level(double dbm);

/// What is known of a robot's way to its peer and back.
struct RadioPair {
  LinkReading heard;               // peer to robot
  LinkReading heard_there;         // robot to peer
  LinkCounts in;                   // peer to robot
  LinkCounts out;                  // robot to peer
  std::uint32_t queue_frames = 0;  // of the robot, towards its peer; 0: none
};
mavlink::RadioStatus radio_status(const RadioPair& pair);

/// Control thread.
class RadioStatuses {
 public:
  struct Peer {
    UdpEnds ends{};  // towards the robot
    mavlink::Version version = mavlink::Version::k2;
    HostTime last_heard{};
    HostTime last_sent{};
    std::uint8_t sequence = 0;
    std::uint64_t sent = 0;
    std::uint64_t refused = 0;  // too many frames waited to be sent
    mavlink::RadioStatus status{};
  };
  using Way = std::pair<RobotIndex, RobotIndex>;  // robot, peer

  /// MAVLink by UDP from one robot to another.
  void note(RobotIndex from, RobotIndex to, const UdpEnds& ends, mavlink::Version version, HostTime at);

  /// Sends what is due: `wants(robot)`, `pair(robot, peer)` what is known, `send(robot, frame)` false when it cannot
  /// be.
  template <class Wants, class Pair, class Send>
  void send_due(HostTime now, Wants wants, Pair pair, Send send) {
    for (auto& [way, peer] : peers_) {
      if (wants(way.first) && is_due(peer, now)) {
        peer.status = radio_status(pair(way.first, way.second));
        if (send(way.first, frame_for(peer))) {
          ++peer.sent;
          ++peer.sequence;
        } else {
          ++peer.refused;
        }
        peer.last_sent = now;
      }
    }
  }

  [[nodiscard]] const std::map<Way, Peer>& peers() const { return peers_; }

 private:
  [[nodiscard]] static bool is_due(const Peer& peer, HostTime now);
  [[nodiscard]] static std::vector<std::byte> frame_for(const Peer& peer);

  std::map<Way, Peer> peers_;
};

}  // namespace hilgate
