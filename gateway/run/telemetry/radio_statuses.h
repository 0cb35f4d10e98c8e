// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/telemetry/heard_packet.h"
#include "netsim_link/link_reading.h"
#include "physics_link/mavlink/messages.h"

// RADIO_STATUS for vehicles and ground stations, as pairs of SiK radios between them would send it.
//
// A SiK radio sends its own host a RADIO_STATUS about once a second, as system 51 and component 68, in the version that
// it receives. Power and noise are in steps of 1/1.9 dB above -127 dBm (SiK firmware). Here each direction between two
// robots on which MAVLink was received is such a pair of radios; each flow of datagrams on it gets a frame of its own,
// which leaves by the robot's port as if it came from its peer, because the robot's socket listens to that peer. A
// stream of TCP gets none: its sequence numbers are its ends' own, and a segment more than they count would break it.
//
// What a radio knows of its peer came in the peer's packets: without any for 3 s it is forgotten and goes out as 0 (SiK
// firmware, tdm.c, link_update), which ArduPilot's failsafe looks for. All these times are of simulation time: vehicles
// judge by their own clock how often a RADIO_STATUS comes (PX4: a radio is lost after a few seconds without one).

namespace hilgate {

/// What is known of a robot's way to its peer and back.
struct RadioPair {
  LinkReading heard;               // peer to robot
  LinkReading heard_there;         // robot to peer
  LinkCounts in;                   // peer to robot
  LinkCounts out;                  // robot to peer
  std::uint32_t queue_frames = 0;  // of the robot, towards its peer; 0: none
  std::uint32_t queue_bytes = 0;   // of a radio behind a serial port; 0: it counts frames
  std::uint64_t queued_bytes = 0;
};
mavlink::RadioStatus radio_status(const RadioPair& pair);

/// The RADIO_STATUS that a radio sends to one receiver, as SiK's firmware does.
struct RadioReports {
  mavlink::Version version = mavlink::Version::k2;
  std::optional<SimTime> last_linked{};  // packets of the other end's radio get through
  std::uint8_t sequence = 0;
  std::uint64_t sent = 0;
  std::uint64_t refused = 0;  // too many frames waited to be sent
  mavlink::RadioStatus status{};

  /// The link at `now`. When nothing has come from the other end for 3 s, nothing is reported of it, 0 (radio/tdm.c,
  /// link_update): ArduPilot's failsafe looks for that.
  void note(const RadioPair& pair, bool linked, SimTime now);
  [[nodiscard]] std::string message() const;
  /// Whether the message could be sent.
  void note_sent(bool taken);
};

/// Control thread.
class RadioStatuses {
 public:
  /// A flow of datagrams to a robot from its peer.
  struct Flow {
    RobotIndex robot{};
    RobotIndex peer{};
    UdpEnds ends{};  // towards the robot
    friend auto operator<=>(const Flow&, const Flow&) = default;
  };
  struct Peer : RadioReports {
    SimTime last_heard{};
    std::optional<SimTime> last_sent{};
  };
  using Way = std::pair<RobotIndex, RobotIndex>;  // robot, peer
  /// Who receives: sequences count for each, whichever peer a status is about and seems to come from. All of them are
  /// of one system and component, whose sequence a receiver checks (PX4, per MAVLink instance).
  using Receiver = std::tuple<RobotIndex, IpAddress, std::uint16_t>;

  /// MAVLink by UDP from one robot to another. Flows are the first speaker's; of more than kMostOfRobot the oldest of
  /// its own ends, of more than kMost in all the oldest of the robot that has most.
  void note(RobotIndex from, RobotIndex to, const UdpEnds& ends, mavlink::Version version, SimTime at);
  /// MAVLink by TCP. True when these two were not known to speak so.
  bool note_stream(RobotIndex from, RobotIndex to);

  /// Sends what is due: `takes(robot)`, `pair(robot, peer)` what is known, `send(robot, frame)` false when it cannot
  /// be.
  template <class Takes, class Pair, class Send>
  void send_due(SimTime now, Takes takes, Pair pair, Send send) {
    for (auto& [speaker, flows] : shares_) {
      for (auto& [flow, peer] : flows) {
        if (takes(flow.robot) && is_due(peer, now)) {
          note_status(pair(flow.robot, flow.peer), now, peer);
          std::uint8_t& sequence = sequences_[receiver_of(flow)];
          peer.sequence = sequence;
          peer.note_sent(send(flow.robot, udp_frame(flow.ends, peer.message())));
          sequence = peer.sequence;
          peer.last_sent = now;
        }
      }
    }
  }

  [[nodiscard]] std::map<Flow, Peer> flows() const;
  /// Robots that use TCP: both directions of each.
  [[nodiscard]] const std::set<Way>& streams() const { return streams_; }

 private:
  using Flows = std::map<Flow, Peer>;
  using Shares = std::map<RobotIndex, Flows>;  // by who spoke first
  static constexpr std::size_t kMost = 2048;
  static constexpr std::size_t kMostOfRobot = 64;

  [[nodiscard]] static Receiver receiver_of(const Flow& flow) { return {flow.robot, flow.ends.to, flow.ends.to_port}; }
  [[nodiscard]] static bool is_due(const Peer& peer, SimTime now);
  static void note_status(const RadioPair& pair, SimTime now, Peer& peer);
  Peer& peer_of(const Flow& flow, RobotIndex speaker);
  [[nodiscard]] Peer* known(const Flow& flow);
  void make_room_for(RobotIndex speaker);
  void forget_oldest(Flows& flows);

  Shares shares_;
  std::map<Receiver, std::uint8_t> sequences_;
  std::set<Way> streams_;
};

}  // namespace hilgate

// RADIO_STATUS for robots at serial lines, as a telemetry radio puts it into their stream.
//
// SiK's firmware (radio/tdm.c, radio/packet.c, radio/mavlink.c) reports to its own host after each HEARTBEAT that the
// host sends, in the host's version, from system 51, component 68; `txbuf` is what is free of the buffer between line
// and radio.

namespace hilgate {

/// Control thread.
class LineStatuses {
 public:
  struct Host : RadioReports {
    bool due = false;
    RobotIndex peer{};  // subject of the last one
  };

  /// The robot has sent a HEARTBEAT to its radio.
  void heartbeat(RobotIndex robot, mavlink::Version version);

  /// Sends what is due: `tell(robot, Host&)` fills in peer and status, or returns false when there is nothing to send;
  /// `send(robot, message)` is false when it cannot be sent.
  template <class Tell, class Send>
  void send_due(Tell tell, Send send) {
    for (auto& [robot, host] : hosts_) {
      if (host.due && tell(robot, host)) {
        host.note_sent(send(robot, host.message()));
      }
      host.due = false;
    }
  }

  [[nodiscard]] const std::map<RobotIndex, Host>& hosts() const { return hosts_; }

 private:
  std::map<RobotIndex, Host> hosts_;
};

/// A robot's links to one other.
struct PeerReading {
  std::string peer;
  LinkReading rx;  // reception of its peer
  LinkReading tx;  // reception at its peer
};

/// The datagrams with the links of a robot, each of at most `most` bytes and a JSON object of its own:
///   {"robot", "sim_time_s", "window", "part", "parts",
///    "links": [{"peer", "rx": {"reachable", "rssi_dbm", "snr_db", "rate_mbps", "loss"}, "tx": {...}}]}
/// Powers of links without a radio are left out. `most` is at least 600.
std::vector<std::string> feed_datagrams(const std::string& robot, SimTime at, std::uint64_t window,
                                        const std::vector<PeerReading>& peers, std::size_t most);

}  // namespace hilgate
