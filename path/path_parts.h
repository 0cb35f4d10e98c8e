// SPDX-License-Identifier: Apache-2.0
// What a new configuration replaces in a running path: addresses, the state of the air, media and queues.
//
// The control thread builds new parts; the packet loop has them take over the state of the old ones, and swaps.
// Frames keep their fates: what waits for a medium or in a queue moves with it, what is held is not touched.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "path/addresses/directory.h"
#include "path/addresses/trunks.h"
#include "path/air/infrastructure.h"
#include "path/air/medium.h"
#include "path/answers/packet_too_big.h"
#include "path/cores/crossings.h"
#include "path/fate/link_fates.h"
#include "path/flow_cache.h"
#include "path/hold/rate_queues.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// What a robot's frames meet first.
enum class FirstStep : std::uint8_t {
  kDirect,       // the link's rules
  kMedium,       // a medium that it shares with the receivers
  kMesh,         // a medium whose stations forward frames (path/mesh_relays.h)
  kAccessPoint,  // the way over access points (path/relays.h)
  kOtherCore,    // any of the three, where the medium is decided, on another core or at another gateway (home_stage.h)
};

/// Whether a robot that asks for another's address is answered at its own port (NeighbourAnswers).
enum class AnswerNeighbour : std::uint8_t {
  kNo,
  kBeside,   // and its question goes to the air
  kInstead,  // its radio carries no such questions
};

/// A robot in the path, from the configuration. Links are between slots.
struct PathSlot {
  FirstStep first_step = FirstStep::kDirect;
  FirstStep step_at_home = FirstStep::kDirect;  // the same where its medium is decided
  AnswerNeighbour answers = AnswerNeighbour::kNo;
  bool is_gone = false;        // no robot has it
  bool judged = true;          // RobotEntry::judged
  std::uint32_t ipv4 = 0;      // 0 without
  std::uint32_t icmp_mtu = 0;  // Station::icmp_mtu
  Addressing addressing{};
  TooBigSpeaker speaker{};
  AirRing* home = nullptr;                          // the way to its medium's core; with kOtherCore
  const std::atomic<bool>* decided_here = nullptr;  // Crossings::decided_here; null: it is not at another gateway
};

struct PathParts {
  /// Robots here are slots (PathSettings::robots). The feed has robots^2 links of its own table and must outlive the
  /// parts. Parts that are to replace `old` have its number of slots.
  PathParts(const PathSettings& settings, std::size_t ports, LinkTableFeed& feed, const PathParts* old = nullptr)
      : directory(settings.robots),
        fates(settings.seed, settings.air, settings.table_robots(), feed),
        medium(settings.air, settings.seed, old == nullptr ? 0 : old->medium.capacity()),
        rates(settings.air.rules, settings.hold_frames, settings.seed),
        infrastructure(settings),
        trunks(settings.robots, ports),
        slots(std::max(settings.robots.size(), settings.air.stations.size())),
        flows(ports),
        ptp(settings.ptp),
        passed_on(settings.passed_on) {
    ptp.resize(ports, PtpPassage::kThroughAir);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      slots[slot] = slot_of(settings, slot);
    }
  }

  Directory directory;
  LinkFates fates;
  Medium medium;
  RateQueues rates;
  Infrastructure infrastructure;
  Trunks trunks;
  std::vector<PathSlot> slots;       // by RobotSlot
  std::vector<FlowCache> flows;      // by PortSlot
  std::vector<PtpPassage> ptp;       // likewise
  std::vector<RobotSlot> passed_on;  // PathSettings::passed_on, until these parts took over

  [[nodiscard]] const PathSlot& slot(RobotSlot robot) const { return slots[robot.value()]; }
  /// The link between two slots, and its ends.
  [[nodiscard]] LinkSlot link_between(RobotSlot from, RobotSlot to) const {
    return link_of(from, to, directory.robots());
  }
  [[nodiscard]] RobotSlot sender_of(LinkSlot link) const {
    return RobotSlot{static_cast<std::uint32_t>(link.value() / directory.robots())};
  }
  [[nodiscard]] RobotSlot receiver_of(LinkSlot link) const {
    return RobotSlot{static_cast<std::uint32_t>(link.value() % directory.robots())};
  }
  /// The port that the link's receiver is on.
  [[nodiscard]] PortSlot port_to(LinkSlot link) const { return directory.port_of(receiver_of(link)); }
  /// What the link's frames are given at their release.
  [[nodiscard]] const Addressing& addressing_to(LinkSlot link) const { return slot(receiver_of(link)).addressing; }
  /// What becomes of PTP of the robot's port.
  [[nodiscard]] PtpPassage ptp_of(RobotSlot robot) const { return ptp[directory.port_of(robot).value()]; }

  /// Whether the frames of a robot with kOtherCore are decided on this core just now.
  [[nodiscard]] bool is_decided_here(RobotSlot robot) const {
    const std::atomic<bool>* const decided = slot(robot).decided_here;
    return decided != nullptr && decided->load(std::memory_order_relaxed);
  }

  /// Media are decided on other cores (Crossings::to_home, Crossings::decided_here). Before the parts are used.
  void set_homes(const Crossings& crossings) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      PathSlot& slot = slots[i];
      slot.home = i < crossings.to_home.size() ? crossings.to_home[i] : nullptr;
      slot.decided_here = i < crossings.decided_here.size() ? crossings.decided_here[i] : nullptr;
      if (slot.home != nullptr) {
        slot.first_step = FirstStep::kOtherCore;
      }
    }
  }

  /// What links and stations remember, and what addresses were learned. Leaves queues alone.
  void take_over(PathParts& old) noexcept {
    directory.learn_from(old.directory);
    fates.take_over(old.fates);
    for (const RobotSlot robot : passed_on) {
      fates.begin_anew(robot);
    }
    passed_on.clear();
    fates.take_table();
    medium.set_signals(fates.signals());
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      if (slots[slot].is_gone) {  // what is on its way to its robot leaves as it would have
        slots[slot].addressing = old.slots[slot].addressing;
      }
    }
  }

 private:
  static PathSlot slot_of(const PathSettings& settings, std::size_t slot) {
    PathSlot made;
    if (slot < settings.air.stations.size()) {
      const auto& station = settings.air.stations[slot];
      made.first_step = settings.air.role(slot) != AirRole::kNone    ? FirstStep::kAccessPoint
                        : !station                                   ? FirstStep::kDirect
                        : settings.air.domains[station->domain].mesh ? FirstStep::kMesh
                                                                     : FirstStep::kMedium;
      made.step_at_home = made.first_step;
      made.answers = station && station->serial    ? AnswerNeighbour::kInstead
                     : settings.answers_neighbours ? AnswerNeighbour::kBeside
                                                   : AnswerNeighbour::kNo;
      made.icmp_mtu = station ? station->icmp_mtu : 0;
    }
    if (slot < settings.robots.size()) {
      const RobotEntry& robot = settings.robots[slot];
      made.ipv4 = first_ipv4(robot.ips);
      made.judged = robot.judged;
      made.speaker = speaker(robot);
      made.addressing = addressing_of(robot);
      made.is_gone = !robot.present;
    }
    return made;
  }
  static TooBigSpeaker speaker(const RobotEntry& robot) {
    const auto ipv6 = std::find_if(robot.ips.begin(), robot.ips.end(), [](const IpAddress& ip) { return !ip.is_v4(); });
    return robot.macs.empty() || ipv6 == robot.ips.end() ? TooBigSpeaker{} : TooBigSpeaker{robot.macs.front(), *ipv6};
  }
};

}  // namespace hilgate
