// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/work_crew.h"
#include "netsim_link/embedded/air_changes.h"
#include "netsim_link/embedded/antennas.h"
#include "netsim_link/embedded/medium_tile.h"
#include "netsim_link/embedded/near_pairs.h"
#include "netsim_link/embedded/surveyed_air.h"
#include "netsim_link/far_pairs.h"
#include "netsim_link/link_state.h"
#include "physics_link/scene.h"
#include "physics_link/traced_path.h"
#include "rf_profiles/fading/fading.h"
#include "rf_profiles/profile/minstrel.h"
#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/profile/rate_table.h"
#include "rf_profiles/propagation/material.h"
#include "rf_profiles/propagation/shadowing.h"

namespace hilgate {

/// One robot's radio on a medium.
struct MediumMember {
  RobotIndex robot;
  std::shared_ptr<const RadioProfile> profile;
  std::vector<std::uint8_t> plan_modes;  // index in AirPlan::modes of each of the profile's modes
  AntennaMount mount{};
};

/// The air between the radios of one domain: path loss, walls and shadowing per pair, the same both ways; power,
/// noise, choice of rate and errors per link.
class RadioMedium {
 public:
  /// Path loss and shadowing are those of the first member's profile; the caller has checked that all agree.
  /// With surveyed floors their walls stand beside the scene's, and their multipath in the place of the profile's
  /// fading.
  RadioMedium(std::vector<MediumMember> members, const std::vector<Material>& materials, std::size_t robots,
              std::uint64_t seed, std::shared_ptr<const SurveyedFloors> floors);

  /// From the next scene on.
  void change(const AirChanges& changes);

  /// Of kManyRadios and more, the pairs are worked on by these threads, with the same results; null: the caller's
  /// alone.
  void share_work(std::shared_ptr<WorkCrew> crew);

  /// Before the first scene; without it all pairs are computed. A pair is left out where the strongest sender and the
  /// best receiver of the medium could not hear one another at the least path loss of its distance, with shadowing of
  /// four standard deviations and the most fading in its favour, and where its power without these is below a tenth of
  /// the noise. Pairs within that range, but silent by their path loss and shadowing, are silent too.
  void leave_out_far_pairs(FarPairRule rule);
  /// Before the first scene: pairs of which no end is in `here`, by RobotIndex, are left alone, those of all others the
  /// same. Without it no pair is.
  void leave_to_others(const std::vector<bool>& here);
  [[nodiscard]] bool leaves_out() const { return far_.computed_because.empty(); }
  [[nodiscard]] const FarPairs& far_pairs() const { return far_; }

  /// Members are where the scene has them; true when some pairs will be left out.
  bool move(const Scene& scene);
  /// Behind move(): writes the links between members; leaves all others alone. Of a sparse table the links that it
  /// writes are heard; where pairs are left out, all links between members are silent before.
  void link_states(const Scene& scene, LinkTable& table);

  /// Pairs so far that had an end outside the surveyed map, and so were in free space.
  [[nodiscard]] std::uint64_t outside_map() const { return surveyed_ ? surveyed_->outside() : 0; }
  /// Appends those with directional antennas whose orientation the last scene did not tell.
  void append_unoriented(std::vector<RobotIndex>& robots) const;

 private:
  struct Member {
    MediumMember radio;
    std::shared_ptr<const RateTable> rates;
    std::shared_ptr<Minstrel> learner;  // of all members with the profile; null: the table decides
    Dbm sends{};                        // power and gains, cable taken off
    Decibels hears{};
    Dbm own_noise{};  // of the receiver itself
    Dbm noise{};      // with that of jammers, of the window at hand
    Dbm sensitivity{};
    Decibels least_snr{};  // that its own frames are of any use at
    Nanoseconds latency{0};
    std::uint8_t multicast_mode = 0;  // of the plan
    bool combines = false;
    bool acknowledged = false;
  };
  static constexpr std::size_t kHighs = MediumTile::kSide;  // greater members of pairs, visited together
  using Marks = std::uint16_t;                              // a bit each of these
  /// A pair that is to be visited wherever its ends are.
  struct Change {
    std::uint32_t low = 0;  // member
    Marks high = 0;         // of the block
  };
  enum class Ways : std::uint8_t { kUnknown, kBegin, kKept };  // of pairs; they begin in a window that computes all
  void move_members(const Scene& scene);
  /// What one thread works with.
  struct Work {
    std::unique_ptr<MediumTile> tile = std::make_unique<MediumTile>();  // the one at hand
    std::vector<std::uint32_t> between;                                 // pairs of the tile with walls or traced paths
    WallBatch wall_batch;
    std::vector<TracedRay> rays;  // of one pair, while its loss is computed
    ShadowField::Scratch draws;
    // Where far pairs are left out:
    std::vector<Marks> marks;                     // by member: of those visited together, who may be near and heard
    std::vector<Marks> told;                      // likewise, who are to be visited in any case
    std::vector<std::uint32_t> lows;              // near one
    std::vector<ShadowField::Prospect> sleepers;  // of the tile at hand
    std::vector<double*> sleeper_wakes;           // where it is kept until when each sleeps
    std::vector<double> sleeper_ways_m;           // their ways
    std::uint64_t visited = 0, heard = 0;         // pairs of this window
  };
  /// Calls visit(work, block) for each block of members that are the greater ones of their pairs, on all threads.
  template <class Visit>
  void share(Visit visit);
  void visit_all(const Scene& scene, LinkTable& table);
  void visit_own(const Scene& scene, LinkTable& table);
  void visit_own_block(Work& work, std::size_t block, const Scene& scene, LinkTable& table);
  [[nodiscard]] bool is_left(std::size_t low, std::size_t high) const {
    return !here_.empty() && here_[low] == 0 && here_[high] == 0;
  }
  void update_tile(Work& work, const Scene& scene);
  void update_own(Work& work, std::size_t block, const Scene& scene, LinkTable& table);
  void finish_pairs(Work& work, const Scene& scene);
  [[nodiscard]] std::string why_all_pairs(FarPairRule rule) const;
  void find_limits();
  [[nodiscard]] double reach_m() const;
  void measure_reach();
  void visit_near(const Scene& scene, LinkTable& table);
  void visit_near_block(Work& work, std::size_t block, const Scene& scene, LinkTable& table);
  void mark_awake(Work& work, std::size_t first, std::size_t end) const;
  [[nodiscard]] bool is_within_reach(std::size_t low, std::size_t high);
  void expect(std::uint32_t pair) const;
  /// Whether its antenna is below some height; others may rise and be heard farther away without being noticed.
  [[nodiscard]] bool has_height_class(std::size_t member) const {
    return height_class_[member] + 1U < heights_m_.size();
  }
  [[nodiscard]] double& wake_way(std::size_t low, std::size_t high) { return wake_way_[pair_count(high) + low]; }
  [[nodiscard]] double way_of(std::size_t low, std::size_t high) const {
    return columns_.way_m[low] + columns_.way_m[high];
  }
  void catch_up_shadowing(const MediumTile& tile, PairBatch& pairs);
  void catch_up_fading(const MediumTile& tile, PairBatch& pairs);
  void find_changes(const Sights& sights);
  void add_change(std::size_t pair, bool sees);
  void visit_added(Work& work, std::size_t block, const Scene& scene, LinkTable& table);
  void drop_silent(Work& work);
  void drop_faded(MediumTile& tile) const;
  [[nodiscard]] double faded_loss_db() const;  // the most that is audible at the height of the fading
  [[nodiscard]] double range_m(double loss_db, std::size_t height);
  [[nodiscard]] double mean_range_m();
  [[nodiscard]] double least_shadow_db(double d3d_m, std::size_t height);
  [[nodiscard]] double find_least_shadow_db(double d3d_m, std::size_t height);
  void renew_heights();
  void find_equal_classes();
  void wake_pairs_of(std::size_t member);
  void consider_sleep(Work& work, std::size_t i);
  void put_to_sleep(Work& work);
  static void look(MediumTile& tile, const Scene& scene);
  static void note_between(Work& work);
  void draw_sights(Work& work);
  void look_up(MediumTile& tile);
  void take_what_lies_between(Work& work, const Scene& scene);
  /// Of pair `i` of the tile, whose traced paths' powers add: each spreads over its own length by the channel's
  /// path loss and pays its transitions. In place of the path loss and the walls.
  [[nodiscard]] Decibels traced_loss(Work& work, const Scene& scene, std::size_t i) const;
  void add_antenna_gains(MediumTile& tile) const;
  void hear_jammers(SimTime at);
  [[nodiscard]] double jamming_mw(const Jammer& jammer, std::size_t member);
  /// Between their connectors, where the tile's pair `i` is theirs.
  [[nodiscard]] Decibels loss_from(const Member& sender, const Member& receiver, double pair_db) const;
  void fill_states(MediumTile& tile);
  void fill_alike(MediumTile& tile) const;
  static void spread_hardware(Member& member, std::uint64_t seed);
  /// What arrives of a sender, and what its frames meet there.
  struct Level {
    Dbm rssi;
    Decibels snr;
    RateTable::Answer answer;
    double distance_m;
    bool line_of_sight;
  };
  static void set_state(LinkState& state, const Member& sender, const Member& receiver, const Level& level,
                        const RateTable::Choice& choice);
  void set_link(LinkState& state, const Member& sender, const Member& receiver, const MediumTile& tile, std::size_t i);
  RateTable::Choice learnt(const Member& sender, const Member& receiver, Decibels snr);
  [[nodiscard]] const WallLoss& wall_of(const WallCrossing& wall) const;

  std::vector<Member> members_;
  MemberColumns columns_;  // of members_
  Antennas antennas_;      // likewise
  std::vector<WallLoss> walls_;
  RadioChannel channel_;
  Carrier carrier_;
  ShadowField shadows_;
  ShadowField sights_;  // standard normal; says by its probability whether a pair has line of sight
  FadingField fading_;
  std::optional<SurveyedAir> surveyed_;
  std::vector<SurveyedAir::Place> places_;         // by member, where there is a survey
  std::vector<Work> work_ = std::vector<Work>(1);  // by thread
  std::shared_ptr<WorkCrew> crew_;
  AirChanges changes_;
  std::vector<WallCrossing> crossings_;  // of one jammer's way, while its loss is computed
  SimTime at_{};
  double passed_s_ = 0;  // since the last scene
  std::size_t robots_;
  bool are_alike_ = false;  // members, in all that they are
  bool alike_ = false;      // what members are to one another does not depend on who sends
  bool moved_before_ = false;

  // Where pairs are left to others:
  std::vector<std::uint8_t> here_;     // by member; empty: none is left
  std::vector<std::uint32_t> locals_;  // members that are here, in their order
  std::size_t own_pairs_ = 0;          // that are not left

  // Where far pairs are left out:
  FarPairs far_;
  NearPairs near_;
  struct Asked {
    double shadow_way_m = 0;  // of both ends, when the pair's shadowing was asked for last
    double fading_way_m = 0;  // likewise of its fading, with what the surroundings moved
  };
  std::vector<Asked> asked_;                     // by pair
  std::vector<std::uint8_t> seen_sight_;         // by pair: line of sight, as its shadowing was told last
  static constexpr double kHasNotSlept = -1;     // since all were woken
  static constexpr double kNotLater = 1 - 1e-9;  // rounding wakes nobody too late
  std::vector<double> wake_way_;            // by members, the greater first: asleep until way_of() both is that long
  std::vector<double> heights_m_;           // of antennas, by class: up to it
  std::vector<std::uint8_t> height_class_;  // by member
  std::vector<std::uint8_t> equal_class_;   // of two classes
  std::vector<double> ranges_m_;            // by height, and loss in steps; not a number: not asked for yet
  std::vector<double> least_shadows_db_;    // by height, and distance in steps; likewise
  double ranges_for_audible_db_ = 0, ranges_for_disturbing_db_ = 0;
  double audible_loss_db_ = 0;  // at most, between some two members
  double disturbing_loss_db_ = 0;
  Decibels fading_gain_{};     // the most
  double turned_m_per_s_ = 0;  // that surroundings in motion add to a way
  double run_s_ = 0;           // since the first scene
  Ways ways_ = Ways::kUnknown;
  bool some_far_ = false;                          // in this window
  std::vector<std::vector<std::uint32_t>> heard_;  // links of this window, by block
  std::vector<std::vector<Change>> changes_seen_;  // likewise
  std::vector<std::uint32_t> told_before_;         // pairs with a sight of their own in the last scene
  std::vector<std::uint32_t> member_of_;           // by robot
};

template <class Visit>
void RadioMedium::share(Visit visit) {
  const std::size_t blocks = (members_.size() + MediumTile::kSide - 1) / MediumTile::kSide;
  std::atomic<std::size_t> taken{0};
  const auto take_blocks = [&](unsigned thread) {
    for (std::size_t n = taken++; n < blocks; n = taken++) {
      visit(work_[thread], blocks - 1 - n);  // the greatest have the most pairs
    }
  };
  if (crew_ && members_.size() >= kManyRadios) {
    crew_->run(take_blocks);
  } else {
    take_blocks(0);
  }
}

inline Decibels RadioMedium::loss_from(const Member& sender, const Member& receiver, double pair_db) const {
  if (!changes_.path_loss_db.empty()) {
    const double given = changes_.path_loss_db[link_of(sender.radio.robot, receiver.radio.robot, robots_).value()];
    if (!std::isnan(given)) {
      return {given};
    }
  }
  return {pair_db};
}

}  // namespace hilgate
