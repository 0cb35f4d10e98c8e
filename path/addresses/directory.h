// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "frame/address.h"
#include "frame/drop_reason.h"
#include "frame/flat_table.h"
#include "frame/frame.h"
#include "frame/headers.h"
#include "frame/id.h"
#include "path/addresses/learned_macs.h"
#include "path/fate/link_fates.h"

// Addresses: which robot sent a frame, and which robots could receive it.

namespace hilgate {

template <>
struct FlatHash<IpAddress> {
  std::uint64_t operator()(const IpAddress& ip) const { return ip.high() ^ (ip.low() * 0xFF51AFD7ED558CCDULL); }
};

/// The first IPv4 address, host byte order; 0 without one.
std::uint32_t first_ipv4(std::span<const IpAddress> addresses);

/// What the path knows of a robot.
struct RobotEntry {
  PortSlot port;
  std::vector<MacAddress> macs;  // empty: every sender on its port is this robot
  std::vector<IpAddress> ips;
  bool present = true;               // false: its slot is empty; frames on their way to it still leave by its port
  bool isolated = false;             // has one MAC; the network at its port isolates it from the other robots there
  VlanId vlan = 0;                   // likewise, by VLANs: its own on its port
  bool line = false;                 // at a serial line: exchanges frames with others at such lines only
  std::vector<MacAddress> shared{};  // of `macs`: those that robots of other ports have, too
  bool judged = true;                // by a network simulator: its packets to others of these, where there is one
  std::uint32_t body = 0;  // robots with the same number are radios of one body, without links between them; 0: alone
};

/// Answers for the packet loop; built on the control thread, then used by one thread only. Does not allocate after
/// construction: addresses learned of robots without configured MACs fill reserved room, each robot its own.
///
/// Learned and shared addresses move, as in a switch: each is at the robot that has sent from it last. A configured
/// address that is not shared never moves, nor does a learned one become another's that has configured addresses.
class Directory {
 public:
  /// Requires what configuration validation guarantees: no address twice but a shared one, which no two robots of a
  /// port have, and a robot without MACs alone on its port.
  explicit Directory(std::span<const RobotEntry> robots);

  /// The sender of a frame that arrived at `now`, or why it has none.
  std::variant<RobotSlot, DropReason> sender(PortSlot ingress, const EthernetHeader& ethernet, HostTime now = {});
  /// Whether an address has moved to another robot since this was asked last: what was remembered of it holds no more.
  [[nodiscard]] bool take_move() { return std::exchange(moved_, false); }

  /// All robots that could receive the frame: its unicast receiver, or all robots for a group address. A shared address
  /// that no robot has sent from reaches all who share it. Robots on the sender's own port exchange frames by wire and
  /// are left out, unless they are isolated; so are radios of the sender's body. Empty: no receiver. Serial lines and
  /// networks do not exchange frames. The span is valid until the next call.
  std::span<const RobotSlot> receivers(RobotSlot sender, std::span<const std::byte> bytes,
                                       const EthernetHeader& ethernet);

  /// Whether frames from one robot to the other pass the gateway.
  [[nodiscard]] bool pass(RobotSlot from, RobotSlot to) const {
    const bool one_body = bodies_[from.value()] != 0 && bodies_[from.value()] == bodies_[to.value()];
    return lines_[from.value()] == lines_[to.value()] && !one_body &&
           (ports_[from.value()] != ports_[to.value()] || (isolated_[from.value()] && from != to));
  }
  /// Whether the address is one robot's, configured or learned.
  [[nodiscard]] bool knows(MacAddress mac) const { return robot_at(mac).has_value(); }
  /// Takes over which robots the addresses of another directory were at, as far as they are here: learned addresses of
  /// robots without configured ones, and shared addresses.
  void learn_from(const Directory& other);
  /// Whose address it is by configuration.
  [[nodiscard]] std::optional<RobotSlot> owner_of(const IpAddress& ip) const {
    const RobotSlot* const robot = ips_.find(ip);
    return robot != nullptr ? std::optional(*robot) : std::nullopt;
  }
  /// The address to send to the robot: configured, or the last it has sent from.
  [[nodiscard]] std::optional<MacAddress> mac_of(RobotSlot robot) const { return own_macs_[robot.value()]; }
  [[nodiscard]] PortSlot port_of(RobotSlot robot) const { return ports_[robot.value()]; }
  [[nodiscard]] std::size_t robots() const { return ports_.size(); }
  /// Whether the robot is at a serial line.
  [[nodiscard]] bool on_line(RobotSlot robot) const { return lines_[robot.value()]; }
  /// The robot alone at the serial line of that port; none when it is no such port, or has no robot.
  [[nodiscard]] OptionalIndex<RobotSlot> at_line(PortSlot port) const;
  /// All who could hear what the robot sends to everybody.
  [[nodiscard]] std::span<const RobotSlot> hearers(RobotSlot sender) const { return others_[sender.value()]; }

 private:
  struct Shared {
    MacAddress mac;
    std::vector<RobotSlot> robots{};  // that share it
    OptionalIndex<RobotSlot> at{};    // who has sent from it last
  };

  [[nodiscard]] std::optional<RobotSlot> robot_at(MacAddress mac) const;
  std::variant<RobotSlot, DropReason> sender_of(Shared& shared, PortSlot ingress);
  void share(const RobotEntry& entry, RobotSlot robot);
  void learn(MacAddress mac, RobotSlot robot, HostTime now);

  std::vector<PortSlot> ports_;                       // by RobotSlot
  std::vector<bool> isolated_;                        // by RobotSlot
  std::vector<bool> lines_;                           // by RobotSlot: at a serial line
  std::vector<std::uint32_t> bodies_;                 // by RobotSlot: RobotEntry::body
  std::vector<std::vector<RobotSlot>> others_;        // by RobotSlot: receivers of its group frames
  std::vector<OptionalIndex<RobotSlot>> at_lines_;    // by PortSlot
  FlatTable<std::uint32_t, RobotSlot> open_ports_;    // ports whose only robot has no MACs
  FlatTable<MacAddress, RobotSlot> macs_;             // that are not shared
  FlatTable<MacAddress, std::uint32_t> shared_macs_;  // index in shared_
  std::vector<Shared> shared_;
  LearnedMacs learned_;
  FlatTable<IpAddress, RobotSlot> ips_;
  std::vector<std::optional<MacAddress>> own_macs_;  // by RobotSlot
  std::vector<RobotSlot> some_;                      // what receivers() has answered; has room for all robots
  bool moved_ = false;
};

}  // namespace hilgate

// What a robot's attachment to its port requires of the frames sent to it.

namespace hilgate {

struct Addressing {
  /// Replaces a group address, as access points do it: the other robots at the port do not receive the frame, nor does
  /// its sender, which would take an answer to itself for another's. Null: group addresses stay.
  MacAddress instead_of_group{};
  VlanId vlan = 0;  // whose tag the frame gets

  /// Whether any frame does not go out as it came in.
  [[nodiscard]] bool any() const { return vlan != 0 || instead_of_group != MacAddress{}; }
  /// Whether the frame does not go out as it came in. `head`: its first bytes, the Ethernet header at least.
  [[nodiscard]] bool changes(std::span<const std::byte> head) const { return vlan != 0 || replaces_address(head); }
  [[nodiscard]] bool replaces_address(std::span<const std::byte> head) const {
    return instead_of_group != MacAddress{} && MacAddress::from_wire(head.data()).is_group();
  }
};

inline Addressing addressing_of(const RobotEntry& robot) {
  return {.instead_of_group = robot.isolated && !robot.macs.empty() ? robot.macs.front() : MacAddress{},
          .vlan = robot.vlan};
}

/// Consecutive frames of one port with the same sender and the same receivers. Valid until the next burst.
struct FlowRun {
  std::span<const Frame> frames;  // at least one
  RobotSlot from{};
  std::span<const RobotSlot> to{};  // empty: the frame has been dropped
  std::uint32_t payload = 0;        // offset of the bytes behind the MAC header
  bool group = false;               // multicast or broadcast
  bool ptp = false;                 // PTP that does not go through the air

  /// One of the frames.
  [[nodiscard]] Sending sending(const Frame& frame) const { return {frame, from, payload, group}; }
};

}  // namespace hilgate
