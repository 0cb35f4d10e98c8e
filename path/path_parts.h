// SPDX-License-Identifier: Apache-2.0
// What a new configuration replaces in a running path: who is who, what the air is like, media and queues.
//
// The control thread builds new parts; the packet loop has them take over what goes on from the old ones, and swaps.
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
  kAccessPoint,  // the way over access points (path/relays.h)
  kOtherCore,    // either of the two, where the medium is decided, on another core or at another gateway (home_stage.h)
};

/// Whether a robot that asks for another's address is answered at its own port (neighbour_answers.h).
enum class AnswerNeighbour : std::uint8_t {
  kNo,
  kBeside,   // and its question goes to the air
  kInstead,  // its radio carries no such questions
};

struct PathParts {
  /// Robots here are slots (PathSettings::robots). The feed has robots^2 links of its own table and must outlive the
  /// parts. Parts that are to replace `old` have its number of slots.
  PathParts(const PathSettings& settings, std::size_t ports, LinkTableFeed& feed, const PathParts* old = nullptr)
      : directory(settings.robots),
        fates(settings.seed, settings.air, settings.table_robots(), feed),
        medium(settings.air, settings.seed, old == nullptr ? 0 : old->medium.capacity()),
        rates(settings.air.rules, settings.hold_frames),
        infrastructure(settings),
        trunks(settings.robots, ports),
        flows(ports),
        ptp(settings.ptp),
        passed_on(settings.passed_on) {
    ptp.resize(ports, PtpPassage::kThroughAir);
    for (std::size_t slot = 0; slot < settings.air.stations.size(); ++slot) {
      first_step.push_back(settings.air.role(slot) != AirRole::kNone ? FirstStep::kAccessPoint
                           : settings.air.stations[slot]             ? FirstStep::kMedium
                                                                     : FirstStep::kDirect);
      const bool serial = settings.air.stations[slot] && settings.air.stations[slot]->serial;
      answers.push_back(serial                        ? AnswerNeighbour::kInstead
                        : settings.answers_neighbours ? AnswerNeighbour::kBeside
                                                      : AnswerNeighbour::kNo);
      icmp_mtu.push_back(settings.air.stations[slot] ? settings.air.stations[slot]->icmp_mtu : 0);
    }
    step_at_home = first_step;
    for (const RobotEntry& robot : settings.robots) {
      ipv4.push_back(first_ipv4(robot.ips));
      speakers.push_back(speaker(robot));
      addressing.push_back(addressing_of(robot));
      gone.push_back(!robot.present);
    }
  }

  Directory directory;
  LinkFates fates;
  Medium medium;
  RateQueues rates;
  Infrastructure infrastructure;
  Trunks trunks;
  std::vector<FlowCache> flows;          // by PortId
  std::vector<PtpPassage> ptp;           // by PortId
  std::vector<FirstStep> first_step;     // by slot
  std::vector<FirstStep> step_at_home;   // by slot: the same where its medium is decided
  std::vector<AnswerNeighbour> answers;  // by slot
  std::vector<std::uint32_t> ipv4;       // by slot, 0 without
  std::vector<std::uint32_t> icmp_mtu;   // by slot: Station::icmp_mtu
  std::vector<TooBigSpeaker> speakers;   // by slot
  std::vector<Addressing> addressing;    // by slot
  std::vector<bool> gone;                // by slot: nobody has it
  std::vector<AirRing*> home;            // by slot: the way to its medium's core; for those with kOtherCore
  std::vector<const std::atomic<bool>*> decided_here;  // by slot: Crossings::decided_here
  std::vector<RobotId> passed_on;                      // PathSettings::passed_on, until these parts took over

  /// The link between two slots, and its ends.
  [[nodiscard]] LinkId link_between(RobotId from, RobotId to) const { return link_of(from, to, directory.robots()); }
  [[nodiscard]] RobotId sender_of(LinkId link) const {
    return RobotId{static_cast<std::uint32_t>(link.value() / directory.robots())};
  }
  [[nodiscard]] RobotId receiver_of(LinkId link) const {
    return RobotId{static_cast<std::uint32_t>(link.value() % directory.robots())};
  }
  /// The port that the link's receiver is on.
  [[nodiscard]] PortId port_to(LinkId link) const { return directory.port_of(receiver_of(link)); }
  /// What the link's frames are given at their release.
  [[nodiscard]] const Addressing& addressing_to(LinkId link) const { return addressing[receiver_of(link).value()]; }
  /// What becomes of PTP of the robot's port.
  [[nodiscard]] PtpPassage ptp_of(RobotId robot) const { return ptp[directory.port_of(robot).value()]; }

  /// Whether the frames of a robot with kOtherCore are decided on this core just now.
  [[nodiscard]] bool is_decided_here(RobotId robot) const {
    return robot.value() < decided_here.size() && decided_here[robot.value()] != nullptr &&
           decided_here[robot.value()]->load(std::memory_order_relaxed);
  }

  /// Media are decided on other cores (Crossings::to_home, Crossings::decided_here). Before the parts are used.
  void set_homes(const Crossings& crossings) {
    home = crossings.to_home;
    decided_here = crossings.decided_here;
    const std::vector<AirRing*>& to_home = home;
    for (std::size_t slot = 0; slot < to_home.size(); ++slot) {
      if (to_home[slot] != nullptr) {
        first_step[slot] = FirstStep::kOtherCore;
      }
    }
  }

  /// What links and stations remember, and what addresses were learned. Leaves queues alone.
  void take_over(PathParts& old) noexcept {
    directory.learn_from(old.directory);
    fates.take_over(old.fates);
    for (const RobotId robot : passed_on) {
      fates.begin_anew(robot);
    }
    passed_on.clear();
    fates.take_table();
    medium.set_signals(fates.signals());
    for (std::size_t slot = 0; slot < addressing.size(); ++slot) {
      // What is on its way to a robot that is gone leaves as it would have.
      addressing[slot] = gone[slot] ? old.addressing[slot] : addressing[slot];
    }
  }

 private:
  static TooBigSpeaker speaker(const RobotEntry& robot) {
    const auto ipv6 = std::find_if(robot.ips.begin(), robot.ips.end(), [](const IpAddress& ip) { return !ip.is_v4(); });
    return robot.macs.empty() || ipv6 == robot.ips.end() ? TooBigSpeaker{} : TooBigSpeaker{robot.macs.front(), *ipv6};
  }
};

}  // namespace hilgate
