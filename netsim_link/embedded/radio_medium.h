// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/work_crew.h"
#include "netsim_link/embedded/air_changes.h"
#include "netsim_link/embedded/antennas.h"
#include "netsim_link/embedded/link_budget.h"
#include "netsim_link/embedded/medium_tile.h"
#include "netsim_link/embedded/near_pairs.h"
#include "netsim_link/embedded/pair_losses.h"
#include "netsim_link/embedded/silent_pairs.h"
#include "netsim_link/link_state.h"
#include "netsim_link/netsim.h"
#include "physics_link/scene.h"

namespace hilgate {

/// The air between the radios of one domain: losses per pair (PairLosses), link states from them (LinkBudget), and
/// which pairs a window visits.
class RadioMedium {
 public:
  /// Path loss and shadowing are those of the first member's profile; the caller has checked that all agree.
  /// With surveyed floors, their walls add to the scene's, and their multipath replaces the profile's fading.
  RadioMedium(std::vector<MediumMember> members, const std::vector<Material>& materials, std::size_t robots,
              std::uint64_t seed, std::shared_ptr<const SurveyedFloors> floors);
  RadioMedium(const RadioMedium&) = delete;
  RadioMedium& operator=(const RadioMedium&) = delete;

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
  /// Before the first scene: the SINR of frames from one robot to another is that of the trace, and all pairs are
  /// computed, however far apart. False, and nothing done, where one of them is no member.
  bool measure(RobotIndex from, RobotIndex to, const std::shared_ptr<const TraceSchedule>& trace);
  [[nodiscard]] bool is_mesh() const { return links_.radio(0).profile->mac.mesh.has_value(); }
  [[nodiscard]] bool leaves_out() const { return far_.computed_because.empty(); }
  [[nodiscard]] const FarPairs& far_pairs() const { return far_; }

  /// Members are where the scene has them; true when some pairs will be left out.
  bool move(const Scene& scene);
  /// After move(): writes the links between members; leaves all others alone. Of a sparse table the links that it
  /// writes are heard; where pairs are left out, all links between members are silent before.
  void link_states(const Scene& scene, LinkTable& table);

  /// Pairs so far that had an end outside the surveyed map, and so were in free space.
  [[nodiscard]] std::uint64_t outside_map() const {
    return losses_.survey() != nullptr ? losses_.survey()->outside() : 0;
  }
  /// Appends those with directional antennas whose orientation the last scene did not tell.
  void append_unoriented(std::vector<RobotIndex>& robots) const;

 private:
  static constexpr std::size_t kHighs = MediumTile::kSide;  // greater members of pairs, visited together
  using Marks = std::uint16_t;                              // a bit each of these
  /// A pair that is to be visited wherever its ends are.
  struct Change {
    std::uint32_t low = 0;  // member
    Marks high = 0;         // of the block
  };
  /// A pair that wakes, or is to be visited in any case.
  struct Candidate {
    std::uint32_t low = 0;
    std::uint32_t high : 31 = 0;
    std::uint32_t told : 1 = 0;
  };
  enum class Ways : std::uint8_t { kUnknown, kBegin, kKept };  // of pairs; they begin in a window that computes all
  void move_members(const Scene& scene);
  /// What one thread works with.
  struct Work {
    std::unique_ptr<MediumTile> tile = std::make_unique<MediumTile>();  // the one at hand
    PairLosses::Scratch losses;
    // Where far pairs are left out:
    std::vector<Marks> marks;         // by member: of those visited together, which may be near and audible
    std::vector<Marks> told;          // likewise, which are visited in any case
    std::vector<std::uint32_t> lows;  // near one
    std::vector<Candidate> candidates;
    SilentPairs::Sleepers sleepers;
    std::uint64_t visited = 0, heard = 0;  // pairs of this window
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
  void measure_reach();
  void visit_near(const Scene& scene, LinkTable& table);
  void visit_near_block(Work& work, std::size_t block, const Scene& scene, LinkTable& table);
  void mark_awake(Work& work, std::size_t first, std::size_t end) const;
  void expect(std::uint32_t pair) const;
  void catch_up_shadowing(const MediumTile& tile, PairBatch& pairs);
  void catch_up_fading(const MediumTile& tile, PairBatch& pairs);
  void find_changes(const Sights& sights);
  void add_change(std::size_t pair, bool sees);
  void visit_added(Work& work, std::size_t block, const Scene& scene, LinkTable& table);
  void drop_silent(Work& work, bool faded);
  void add_antenna_gains(MediumTile& tile) const;
  void receive_jammers(SimTime at);
  [[nodiscard]] double jamming_mw(const Jammer& jammer, std::size_t member);
  /// Where its antenna is.
  [[nodiscard]] Vec3 place_of(std::size_t member) const {
    return {columns_.x_m[member], columns_.y_m[member], columns_.z_m[member]};
  }

  PairLosses losses_;
  LinkBudget links_;
  MemberColumns columns_;                          // of the members
  Antennas antennas_;                              // likewise
  std::vector<SurveyedAir::Place> places_;         // by member, where there is a survey
  std::vector<Work> work_ = std::vector<Work>(1);  // by thread
  std::shared_ptr<WorkCrew> crew_;
  AirChanges changes_;
  SimTime at_{};
  double passed_s_ = 0;  // since the last scene
  std::size_t robots_;
  bool moved_before_ = false;

  // Where pairs are left to others:
  std::vector<std::uint8_t> here_;     // by member; empty: none is left
  std::vector<std::uint32_t> locals_;  // members that are here, in their order
  std::size_t own_pairs_ = 0;          // that are not left

  // Where far pairs are left out: their history along their ways, shadowing and fading is caught up when they come near
  // again.
  FarPairs far_;
  NearPairs near_;
  SilentPairs silent_{losses_, columns_};
  std::vector<std::uint8_t> seen_sight_;  // by pair: line of sight last passed to its shadowing
  double turned_m_per_s_ = 0;             // that surroundings in motion add to a way
  double run_s_ = 0;                      // since the first scene
  Ways ways_ = Ways::kUnknown;
  bool some_far_ = false;                          // in this window
  std::vector<std::vector<std::uint32_t>> heard_;  // links of this window, by block
  std::vector<std::vector<Change>> changes_seen_;  // likewise
  std::vector<std::uint32_t> told_before_;         // pairs with a sight of their own in the last scene
  std::vector<std::uint32_t> member_of_;           // by robot
};

template <class Visit>
void RadioMedium::share(Visit visit) {
  const std::size_t blocks = (links_.size() + MediumTile::kSide - 1) / MediumTile::kSide;
  std::atomic<std::size_t> taken{0};
  const auto take_blocks = [&](unsigned thread) {
    for (std::size_t n = taken++; n < blocks; n = taken++) {
      visit(work_[thread], blocks - 1 - n);  // the greatest have the most pairs
    }
  };
  if (crew_ && links_.size() >= kManyRadios) {
    crew_->run(take_blocks);
  } else {
    take_blocks(0);
  }
}

}  // namespace hilgate
