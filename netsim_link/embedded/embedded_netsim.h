// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "netsim_link/air_plan.h"
#include "netsim_link/embedded/access_points.h"
#include "netsim_link/embedded/air_changes.h"
#include "netsim_link/embedded/association.h"
#include "netsim_link/embedded/heard_links.h"
#include "netsim_link/embedded/mesh_routing.h"
#include "netsim_link/embedded/radio_medium.h"
#include "netsim_link/netsim.h"

namespace hilgate {

/// The built-in radios: a scene goes through the models of rf_profiles to the state of every link.
///
/// Robots hear one another when their profiles name the same domain; then they share one AirDomain. Scheduled radios
/// have one each, so that they queue and take their time on the air but never wait for others. The contract with the
/// packet path is PER(L) = 1 - exp(-hazard * PhyMode::error_bits(L)); it counts the 22 SERVICE and tail bits of
/// OFDM, which the error model `wifi_table` does not. So its PER is met with a relative error of the hazard of 22 / (8
/// (L + 24)), 0.2 % at 1514 bytes and 3 % at 64, worth 0.001 dB and 0.012 dB of SNR.
///
/// In a medium whose profile has a mesh, MeshRouting gives the tables their routes.
///
/// With access points, robots whose radio shares a domain with one are its stations. Tables then have access points
/// after the robots, and every channel of a domain is an AirDomain.
class EmbeddedNetsim final : public Netsim {
 public:
  /// `radios` by RobotIndex, null for those that are wired to the network, or, without access points, to one another;
  /// `mounts` likewise, or none; `materials` as numbered by the scene's wall crossings. Throws std::runtime_error when
  /// profiles share a domain but not the channel, have more modes than LinkState can number, or cannot be an access
  /// point's.
  EmbeddedNetsim(std::vector<std::shared_ptr<const RadioProfile>> radios, const std::vector<Material>& materials,
                 std::uint64_t seed, std::shared_ptr<const SurveyedFloors> floors = nullptr,
                 const AccessNetwork& network = {}, const std::vector<AntennaMount>& mounts = {},
                 FarPairRule far_pairs = FarPairRule::kWhereMany);

  [[nodiscard]] std::vector<FarPairs> far_pairs() const override;

  [[nodiscard]] std::uint64_t outside_map() const override;
  [[nodiscard]] std::vector<RobotIndex> unoriented() const override;

  /// Modes, domains, stations and, by each sender's profile, the error policies.
  [[nodiscard]] const AirPlan& air_plan() const override { return plan_; }

  /// From here on `threads` work on media of kManyRadios and more, with the same results; 1: the caller's alone. Made
  /// by the calling thread, whose rights and priority they have. Throws std::system_error where they cannot be made.
  void share_work(unsigned threads);

  /// Before the first scene: links between two robots that are both not in `here`, by RobotIndex, are computed by
  /// others, and silent in this one's tables, but for those of meshes, whose routes need them all. Requires a network
  /// without access points.
  void leave_to_others(const std::vector<bool>& here);

  /// Before the air plan is used: what was measured of links, by LinkIndex, null where nothing was. Between robots
  /// without radios link tables have wires, because the packet path plays traces itself; between radios it adds to
  /// them.
  void measured_links(const std::vector<std::shared_ptr<const Impairments>>& links);

  /// Before the first scene: the SINR of frames from one robot to another is that of the trace instead of what the
  /// scene gives; all that follows from an SINR is the same. False, and nothing done, for robots without a common
  /// domain.
  bool measured_sinr(RobotIndex from, RobotIndex to, const std::shared_ptr<const TraceSchedule>& trace);

  /// From the next scene on.
  void change(const AirChanges& changes);

  /// Throws std::runtime_error for a scene of another number of robots or with positions that are no numbers.
  void link_states(const Scene& scene, LinkTable& table) override;

 private:
  void plan_medium(const std::vector<MediumMember>& members, const AccessNetwork& network);
  void join_robots(LinkTable& table) const;
  void join_wires(LinkTable& table) const;
  void update_routes(LinkTable& table);
  void update_media(const Scene& everybody, LinkTable& table);
  void plan_rules(const std::vector<std::shared_ptr<const RadioProfile>>& radios);

  AirPlan plan_;
  std::deque<RadioMedium> media_;
  std::vector<std::uint32_t> without_radio_;  // robots, where there are no access points
  std::vector<bool> here_;                    // leave_to_others(); empty: all
  std::size_t robots_;
  std::size_t numbers_;  // of robots and access points
  ExtendedScene scene_;
  HeardLinks heard_;
  std::optional<Association> association_;
  std::vector<MeshRouting> meshes_;
  std::shared_ptr<const MeshRoutes> routes_;  // of the last scene; null without a mesh
  unsigned threads_ = 1;
};

}  // namespace hilgate
