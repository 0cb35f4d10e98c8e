// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/radio_medium.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "host/large_pages.h"
#include "physics_link/foreign_numbers.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/vector_code.h"

namespace hilgate {
namespace {

constexpr std::size_t kSleepTogether = 256;  // pairs of more than one tile: one has few, and vectors want many
constexpr std::uint32_t kNoMember = std::numeric_limits<std::uint32_t>::max();

// Of each member, `mark` where its way and `way_m` together are as long as the way on which it wakes.
HILGATE_VECTOR_CODE void mark_where_reached(const double* ways_m, double way_m, const double* wakes_m,
                                            std::size_t members, std::uint16_t mark, std::uint16_t* marks) {
#pragma omp simd
  for (std::size_t i = 0; i < members; ++i) {
    const std::uint16_t reached = ways_m[i] + way_m >= wakes_m[i] ? mark : 0;
    marks[i] = static_cast<std::uint16_t>(marks[i] | reached);
  }
}

}  // namespace

RadioMedium::RadioMedium(std::vector<MediumMember> members, const std::vector<Material>& materials, std::size_t robots,
                         std::uint64_t seed, std::shared_ptr<const SurveyedFloors> floors)
    : losses_(*members.front().profile, materials, robots, seed, std::move(floors)),
      links_(std::move(members), robots, seed),
      robots_(robots) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const MediumMember& radio = links_.radio(i);
    columns_.add(radio.robot, radio.base);
    antennas_.add(radio.profile->phy.antenna, radio.mount);
  }
  for (std::vector<double>* column :
       {&columns_.x_m, &columns_.y_m, &columns_.z_m, &columns_.height_m, &columns_.moved_m, &columns_.way_m}) {
    column->resize(links_.size());
  }
  places_.resize(links_.size());
  own_pairs_ = pair_count(links_.size());
  far_ = {.domain = links_.radio(0).profile->mac.domain, .radios = links_.size(), .computed_because = "asked for"};
}

void RadioMedium::change(const AirChanges& changes) {
  changes_ = changes;
  links_.change(changes.path_loss_db, !changes.jammers.empty());
}

bool RadioMedium::measure(RobotIndex from, RobotIndex to, const std::shared_ptr<const TraceSchedule>& trace) {
  const auto member = [this](RobotIndex robot) {
    return static_cast<std::size_t>(std::ranges::find(columns_.robot, robot.value()) - columns_.robot.begin());
  };
  const std::size_t sender = member(from);
  const std::size_t receiver = member(to);
  if (sender == links_.size() || receiver == links_.size() || sender == receiver) {
    return false;
  }
  links_.measure(sender, receiver, trace);
  far_.computed_because = "measured SINRs";
  return true;
}

void RadioMedium::receive_jammers(SimTime at) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    double power_mw = 0;
    for (const Jammer& jammer : changes_.jammers) {
      power_mw += jammer.is_on(at) ? jamming_mw(jammer, i) : 0;
    }
    links_.set_jamming(i, power_mw);
  }
}

double RadioMedium::jamming_mw(const Jammer& jammer, std::size_t member) {
  const RadioPhy& phy = links_.radio(member).profile->phy;
  const double share = jammer.share_in(phy.frequency, phy.bandwidth);
  if (share <= 0) {
    return 0;
  }
  const Decibels loss = losses_.between(jammer.position, place_of(member), changes_.obstacles,
                                        columns_.base_beside(member, changes_.obstacles.above_ground(jammer.position)));
  return share * milliwatts(jammer.power + links_.receive_gain(member) - Decibels{std::max(loss.value, 0.0)});
}

void RadioMedium::share_work(std::shared_ptr<WorkCrew> crew) {
  crew_ = std::move(crew);
  work_.resize(crew_ ? crew_->size() : 1);
}

bool RadioMedium::move(const Scene& scene) {
  move_members(scene);
  links_.play_measured(scene.at);
  if (!changes_.jammers.empty()) {
    receive_jammers(scene.at);
  }
  if (leaves_out()) {
    measure_reach();
  }
  return some_far_ || !here_.empty();
}

void RadioMedium::link_states(const Scene& scene, LinkTable& table) {
  if (some_far_) {
    visit_near(scene, table);
  } else if (!here_.empty()) {
    visit_own(scene, table);
  } else {
    visit_all(scene, table);
  }
  if (leaves_out()) {
    told_before_.assign(scene.sights.told().begin(), scene.sights.told().end());
  }
}

void RadioMedium::visit_all(const Scene& scene, LinkTable& table) {
  share([&](Work& work, std::size_t block) {
    const std::size_t high = block * MediumTile::kSide;
    for (std::size_t low = 0; low <= high; low += MediumTile::kSide) {
      work.tile->place(columns_, high, low);
      for (std::size_t i = 0; i < work.tile->pairs.size; ++i) {
        losses_.expect(work.tile->pairs.pair[i]);
      }
      update_tile(work, scene);
      work.tile->write(columns_, robots_, links_.is_symmetric(), table.links);
    }
  });
  for (std::size_t i = 0; table.sparse && i < links_.size() * links_.size(); ++i) {
    table.heard.push_back(
        link_of(links_.radio(i / links_.size()).robot, links_.radio(i % links_.size()).robot, robots_).value());
  }
}

void RadioMedium::move_members(const Scene& scene) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Pose& pose = scene.robots[columns_.robot[i]];
    const Vec3 now = antennas_.place(i, pose);
    if (!is_bounded(now)) {  // no source lets that pass
      throw std::runtime_error(
          fmt::format("the scene has robot {} at ({}, {}, {}) m; coordinates must be finite and within {:g} m",
                      columns_.robot[i], now.x, now.y, now.z, kWorldReach));
    }
    const Vec3 before{columns_.x_m[i], columns_.y_m[i], columns_.z_m[i]};
    columns_.moved_m[i] = moved_before_ ? distance_m(before, now) : 0;
    if (const SurveyedAir* const survey = losses_.survey()) {
      places_[i] = survey->place_of({now, columns_.moved_m[i], std::atan2(now.y - before.y, now.x - before.x)});
    }
    columns_.way_m[i] += columns_.moved_m[i];
    columns_.x_m[i] = now.x;
    columns_.y_m[i] = now.y;
    columns_.z_m[i] = now.z;
    columns_.height_m[i] = changes_.obstacles.above_ground(now);
  }
  passed_s_ = moved_before_ ? std::max(0.0, std::chrono::duration<double>(scene.at - at_).count()) : 0;
  run_s_ += passed_s_;
  at_ = scene.at;
  moved_before_ = true;
}

void RadioMedium::update_tile(Work& work, const Scene& scene) {
  MediumTile& tile = *work.tile;
  PairLosses::look(tile, scene);
  if (losses_.channel().draws_sight) {
    losses_.draw_sights(tile, work.losses);
  }
  if (losses_.survey() != nullptr) {
    losses_.look_up(tile, places_);
  } else {
    tile.walls_db.fill(0);
    if (ways_ != Ways::kUnknown) {
      catch_up_fading(tile, tile.pairs);
    }
    losses_.fade(tile, work.losses, ways_ == Ways::kKept ? 0 : passed_s_);
  }
  if (ways_ != Ways::kUnknown) {
    catch_up_shadowing(tile, tile.pairs);
  }
  losses_.lose(tile, work.losses, columns_, changes_.obstacles.ground().get());
  finish_pairs(work, scene);
}

void RadioMedium::finish_pairs(Work& work, const Scene& scene) {
  MediumTile& tile = *work.tile;
  losses_.add_between(tile, work.losses, scene, columns_);
  add_antenna_gains(tile);
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    tile.loss_db[i] += tile.shadow_db[i] - tile.fading_db[i] + tile.walls_db[i];
  }
  links_.fill(tile, at_);
}

void RadioMedium::add_antenna_gains(MediumTile& tile) const {
  if (!antennas_.any()) {
    return;
  }
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const std::size_t low = tile.low(i);
    const std::size_t high = tile.high(i);
    tile.loss_db[i] -= antennas_.gain(low, place_of(low), high, place_of(high)).value;
  }
}

void RadioMedium::append_unoriented(std::vector<RobotIndex>& robots) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (antennas_.blind(i)) {
      robots.push_back(links_.radio(i).robot);
    }
  }
}

void RadioMedium::leave_to_others(const std::vector<bool>& here) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    here_.push_back(here[columns_.robot[i]] ? 1 : 0);
    if (here_.back() != 0) {
      locals_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  own_pairs_ = pair_count(links_.size()) - pair_count(links_.size() - locals_.size());
  if (locals_.size() == links_.size()) {
    here_.clear();
  }
}

void RadioMedium::visit_own(const Scene& scene, LinkTable& table) {
  heard_.resize((links_.size() + MediumTile::kSide - 1) / MediumTile::kSide);
  share([&](Work& work, std::size_t block) { visit_own_block(work, block, scene, table); });
  for (const std::vector<std::uint32_t>& heard : heard_) {
    table.heard.insert(table.heard.end(), heard.begin(), heard.end());
  }
}

void RadioMedium::visit_own_block(Work& work, std::size_t block, const Scene& scene, LinkTable& table) {
  heard_[block].clear();
  work.tile->clear();
  const auto add = [&](std::size_t high, std::size_t low) {
    work.tile->add(columns_, high, low);
    if (work.tile->full()) {
      update_own(work, block, scene, table);
    }
  };
  const std::size_t first = block * MediumTile::kSide;
  for (std::size_t high = first; high < std::min(first + MediumTile::kSide, links_.size()); ++high) {
    if (here_[high] != 0) {
      for (std::size_t low = 0; low < high; ++low) {
        add(high, low);
      }
    } else {
      for (auto low = locals_.begin(); low != locals_.end() && *low < high; ++low) {
        add(high, *low);
      }
    }
  }
  update_own(work, block, scene, table);
}

void RadioMedium::update_own(Work& work, std::size_t block, const Scene& scene, LinkTable& table) {
  MediumTile& tile = *work.tile;
  tile.measure(columns_);
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    tile.pairs.moved_m[i] = tile.pairs.stride_m[i];
  }
  update_tile(work, scene);
  tile.write_added(columns_, robots_, links_.is_symmetric(), table.links, heard_[block]);
  tile.clear();
}

std::string RadioMedium::why_all_pairs(FarPairRule rule) const {
  if (rule == FarPairRule::kNever) {
    return "asked for";
  }
  if (rule == FarPairRule::kWhereMany && links_.size() < kManyRadios) {
    return fmt::format("fewer than {} radios", kManyRadios);
  }
  if (losses_.survey() != nullptr) {
    return "surveyed map";
  }
  if (losses_.channel().draws_sight) {
    return "line of sight is drawn";
  }
  if (links_.learns()) {
    return "rate control minstrel";
  }
  if (!greatest_range_m(losses_.channel().path_loss, Decibels{0}, 0, losses_.carrier())) {
    return fmt::format("path loss {}", name(losses_.channel().path_loss));
  }
  return {};
}

void RadioMedium::leave_out_far_pairs(FarPairRule rule) {
  far_.computed_because = why_all_pairs(rule);
  if (!leaves_out()) {
    return;
  }
  seen_sight_.resize(pair_count(robots_), 1);
  member_of_.assign(robots_, kNoMember);
  for (std::uint32_t member = 0; member < links_.size(); ++member) {
    member_of_[columns_.robot[member]] = member;
  }
  silent_.begin();
  turned_m_per_s_ = losses_.channel().fading.doppler.value * kLightSpeed / losses_.carrier().hz;
}

// Where most pairs hear one another, the full table of pairs costs less than pairs one by one, and the ways of members
// need not be known. The first window with pairs that may be silent computes all pairs and begins to keep the ways.
void RadioMedium::measure_reach() {
  silent_.renew(links_.limits());
  far_.reach_m = changes_.path_loss_db.empty() ? silent_.reach_m() : std::numeric_limits<double>::infinity();
  const auto extent = [](const std::vector<double>& column) {
    const auto [least, most] = std::minmax_element(column.begin(), column.end());
    return *most - *least;
  };
  const double across_m = std::hypot(extent(columns_.x_m), extent(columns_.y_m), extent(columns_.z_m));
  some_far_ = std::isfinite(far_.reach_m) && across_m > std::min(far_.reach_m, silent_.mean_range_m());
  if (ways_ == Ways::kBegin) {
    ways_ = Ways::kKept;
  }
  if (some_far_ && ways_ == Ways::kUnknown) {
    ways_ = Ways::kBegin;
    some_far_ = false;
  }
  far_.visited = far_.heard = some_far_ ? 0 : own_pairs_;
}

void RadioMedium::catch_up_shadowing(const MediumTile& tile, PairBatch& pairs) {
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const double way = silent_.way_of(tile.low(i), tile.high(i));
    double& asked_at = silent_.asked(tile.low(i), tile.high(i)).shadow_m;
    if (ways_ == Ways::kKept) {
      pairs.moved_m[i] = way - asked_at;
    }
    asked_at = way;
    const std::uint8_t sight = pairs.line_of_sight[i] != 0 ? 1 : 0;
    std::uint8_t& seen_sight = seen_sight_[pairs.pair[i]];
    silent_.visited(tile.low(i), tile.high(i), !some_far_ || seen_sight != sight);
    seen_sight = sight;
  }
}

void RadioMedium::catch_up_fading(const MediumTile& tile, PairBatch& pairs) {
  const double turned_m = turned_m_per_s_ * run_s_;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const double way = silent_.way_of(tile.low(i), tile.high(i)) + turned_m;
    double& asked_at = silent_.asked(tile.low(i), tile.high(i)).fading_m;
    if (ways_ == Ways::kKept) {
      pairs.moved_m[i] = way - asked_at;
    }
    asked_at = way;
  }
}

// Each change of sight counts in the shadowing, and traced paths may carry farther than the model. A pair that was not
// out of sight since the last scene is still in sight.
void RadioMedium::find_changes(const Sights& sights) {
  changes_seen_.resize(heard_.size());
  for (std::vector<Change>& of_block : changes_seen_) {
    of_block.clear();
  }
  const std::span<const std::uint32_t> told = sights.told();
  for (std::size_t i = 0; i < told.size(); ++i) {
    const Sight& sight = sights.told_sights()[i];
    if (sight.line_of_sight != (seen_sight_[told[i]] != 0) || !sight.paths.empty()) {
      add_change(told[i], sight.line_of_sight);
    }
  }
  for (const std::uint32_t pair : told_before_) {
    if (seen_sight_[pair] == 0 && !sights.is_told(pair)) {
      add_change(pair, true);
    }
  }
}

void RadioMedium::add_change(std::size_t pair, bool sees) {
  const PairEnds robots = ends_of(pair);
  const std::uint32_t low = member_of_[robots.low];
  const std::uint32_t high = member_of_[robots.high];
  if (low == kNoMember || high == kNoMember || is_left(low, high)) {
    seen_sight_[pair] = sees ? 1 : 0;  // never visited, so no change is pending
    return;
  }
  changes_seen_[high / kHighs].push_back({low, static_cast<Marks>(1U << (high % kHighs))});
}

void RadioMedium::visit_added(Work& work, std::size_t block, const Scene& scene, LinkTable& table) {
  MediumTile& tile = *work.tile;
  PairBatch& pairs = tile.pairs;
  work.visited += pairs.size;
  tile.measure(columns_);
  PairLosses::look(tile, scene);
  catch_up_shadowing(tile, pairs);
  losses_.lose(tile, work.losses, columns_, changes_.obstacles.ground().get());
  drop_silent(work, false);
  catch_up_fading(tile, pairs);
  tile.walls_db.fill(0);
  losses_.fade(tile, work.losses, 0);
  drop_silent(work, true);
  tile.expect_links(columns_, robots_, table.links);
  finish_pairs(work, scene);
  work.heard += pairs.size;
  tile.write_added(columns_, robots_, links_.is_symmetric(), table.links, heard_[block]);
  tile.clear();
}

// Drops the pairs below sensitivity that do not disturb others either: in this window's fading, or before that is known
// (`faded`: false) at its peak.
void RadioMedium::drop_silent(Work& work, bool faded) {
  MediumTile& tile = *work.tile;
  const double audible_db = faded ? silent_.audible_loss_db() : silent_.faded_loss_db();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const std::uint32_t pair = tile.pairs.pair[i];
    const bool audible = tile.loss_db[i] + tile.shadow_db[i] - (faded ? tile.fading_db[i] : 0) <= audible_db;
    if (audible || tile.loss_db[i] <= silent_.disturbing_loss_db() || !tile.sight[i]->paths.empty()) {
      losses_.fading().expect(pair);
      tile.move(i, kept++);
    } else if (silent_.is_awake(tile.low(i), tile.high(i))) {
      silent_.consider(work.sleepers, tile, i);
    }
  }
  tile.pairs.size = kept;
  if (work.sleepers.prospects.size() >= kSleepTogether) {
    silent_.put_to_sleep(work.sleepers, work.losses.draws);
  }
}

void RadioMedium::visit_near(const Scene& scene, LinkTable& table) {
  near_.sort(columns_, far_.reach_m);
  heard_.resize((links_.size() + kHighs - 1) / kHighs);
  find_changes(scene.sights);
  for (Work& work : work_) {
    work.marks.resize(links_.size());
    work.told.resize(links_.size());
    work.visited = work.heard = 0;
  }
  share([&](Work& work, std::size_t block) { visit_near_block(work, block, scene, table); });
  for (const std::vector<std::uint32_t>& heard : heard_) {
    table.heard.insert(table.heard.end(), heard.begin(), heard.end());
  }
  for (Work& work : work_) {
    silent_.put_to_sleep(work.sleepers, work.losses.draws);
    far_.visited += work.visited;
    far_.heard += work.heard;
  }
}

void RadioMedium::visit_near_block(Work& work, std::size_t block, const Scene& scene, LinkTable& table) {
  const std::size_t first = block * kHighs;
  const std::size_t end = std::min(first + kHighs, links_.size());
  heard_[block].clear();
  work.tile->clear();
  std::fill_n(work.marks.begin(), end, Marks{0});
  std::fill_n(work.told.begin(), end, Marks{0});
  mark_awake(work, first, end);
  for (const Change& change : changes_seen_[block]) {
    work.told[change.low] = static_cast<Marks>(work.told[change.low] | change.high);
  }
  // Low by low, so that what is kept of pairs, and their links, is met in the order in which it lies in memory.
  work.candidates.clear();
  for (std::size_t low = 0; low < end; ++low) {
    for (unsigned marks = work.marks[low] | work.told[low]; marks != 0; marks &= marks - 1) {
      const auto place = static_cast<unsigned>(std::countr_zero(marks));
      silent_.expect(low, first + place);
      work.candidates.push_back({.low = static_cast<std::uint32_t>(low),
                                 .high = static_cast<std::uint32_t>(first + place) & 0x7FFF'FFFFU,
                                 .told = work.told[low] >> place & 1U});
    }
  }
  for (const Candidate& pair : work.candidates) {
    if (pair.told != 0 ||
        (!silent_.sleeps_on(pair.low, pair.high) && silent_.is_within(far_.reach_m, pair.low, pair.high))) {
      work.tile->add(columns_, pair.high, pair.low);
      const std::uint32_t number = work.tile->pairs.pair[work.tile->pairs.size - 1];
      scene.sights.expect(number);
      expect(number);
      if (work.tile->full()) {
        visit_added(work, block, scene, table);
      }
    }
  }
  visit_added(work, block, scene, table);
}

// What is kept of most pairs is far from the processor.
void RadioMedium::expect(std::uint32_t pair) const {
  losses_.shadows().expect(pair);
  __builtin_prefetch(&seen_sight_[pair], 1);
}

void RadioMedium::mark_awake(Work& work, std::size_t first, std::size_t end) const {
  for (std::size_t high = first; high < end; ++high) {
    const auto mark = static_cast<Marks>(1U << (high - first));
    const double way_m = columns_.way_m[high];
    const double* const wakes = silent_.wakes_of(high);
    const auto mark_if_awake = [&](std::span<const std::uint32_t> lows) {
      for (const std::uint32_t low : lows) {
        if (columns_.way_m[low] + way_m >= wakes[low]) {
          work.marks[low] = static_cast<Marks>(work.marks[low] | mark);
        }
      }
    };
    const bool is_here = here_.empty() || here_[high] != 0;
    if (near_.leaves_out_most()) {
      mark_if_awake(is_here ? near_.lows_of(columns_, high, work.lows)
                            : near_.lows_of(columns_, high, locals_, work.lows));
    } else if (is_here) {
      mark_where_reached(columns_.way_m.data(), way_m, wakes, high, mark, work.marks.data());
    } else {
      const auto below = std::lower_bound(locals_.begin(), locals_.end(), high);
      mark_if_awake({locals_.begin(), below});
    }
  }
}

}  // namespace hilgate
