// SPDX-License-Identifier: Apache-2.0
// A medium of many radios leaves out pairs that are too far apart to hear one another. They catch up in what goes on
// along their ways, shadowing and fading, when they come near again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "netsim_link/embedded/radio_medium.h"

namespace hilgate {
namespace {

constexpr double kShadowMargin = 4;   // standard deviations
constexpr double kDisturbs = 10;      // dB below a receiver's noise: weaker signals do not disturb others
constexpr double kRoundingDb = 0.01;  // of formulas as vector code
constexpr double kInfiniteReach = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNoMember = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::string RadioMedium::why_all_pairs(FarPairRule rule) const {
  if (rule == FarPairRule::kNever) {
    return "asked for";
  }
  if (rule == FarPairRule::kWhereMany && members_.size() < kManyRadios) {
    return fmt::format("fewer than {} radios", kManyRadios);
  }
  if (surveyed_) {
    return "surveyed map";
  }
  if (channel_.draws_sight) {
    return "line of sight is drawn";
  }
  if (std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.learner != nullptr; })) {
    return "rate control minstrel";
  }
  if (!greatest_range_m(channel_.path_loss, Decibels{0}, 0, carrier_)) {
    return fmt::format("path loss {}", name(channel_.path_loss));
  }
  return {};
}

void RadioMedium::leave_out_far_pairs(FarPairRule rule) {
  far_.computed_because = why_all_pairs(rule);
  if (!leaves_out()) {
    return;
  }
  asked_.resize(pair_count(robots_));
  seen_sight_.resize(pair_count(robots_), 1);
  wake_way_.resize(pair_count(members_.size()), kHasNotSlept);
  member_of_.assign(robots_, kNoMember);
  for (std::uint32_t member = 0; member < members_.size(); ++member) {
    member_of_[columns_.robot[member]] = member;
  }
  shadows_.keep_ahead();
  fading_gain_ = fading_.greatest_gain();
  turned_m_per_s_ = channel_.fading.doppler.value * kLightSpeed / carrier_.hz;
}

// As if the strongest sender were everywhere, and the best receiver.
void RadioMedium::find_limits() {
  Dbm sent{-std::numeric_limits<double>::infinity()};
  Decibels least_snr{std::numeric_limits<double>::infinity()};
  Decibels antenna{0};
  for (const Member& member : members_) {
    sent = std::max(sent, member.sends);
    least_snr = std::min(least_snr, member.least_snr);
    antenna = std::max(antenna, greatest_gain(member.radio.profile->phy.antenna));
  }
  double audible = -std::numeric_limits<double>::infinity();
  double disturbing = audible;
  for (const Member& member : members_) {
    Dbm least = std::max(member.own_noise + least_snr, member.sensitivity);
    if (const std::optional<Dbm>& senses = member.radio.profile->mac.carrier_sense) {
      least = std::min(least, *senses);
    }
    const Dbm strongest = sent + member.hears + antenna + antenna;
    audible = std::max(audible, (strongest - least).value);
    disturbing = std::max(disturbing, (strongest - member.own_noise).value + kDisturbs);
  }
  audible_loss_db_ = audible;
  disturbing_loss_db_ = disturbing;
}

double RadioMedium::reach_m() const {
  const double longest_m = members_.empty() ? 0 : *std::max_element(columns_.moved_m.begin(), columns_.moved_m.end());
  const bool leapt = shadows_.any() && 2 * longest_m >= shadows_.leap_m();
  if (leapt || !changes_.path_loss_db.empty()) {
    return kInfiniteReach;
  }
  const Shadowing& shadowing = channel_.shadowing;
  const double shadow_db = kShadowMargin * std::max(shadowing.los.sigma, shadowing.nlos.sigma).value;
  const double loss_db = std::max(audible_loss_db_ + shadow_db + fading_gain_.value, disturbing_loss_db_) + kRoundingDb;
  const auto highest =
      static_cast<std::size_t>(std::max_element(height_class_.begin(), height_class_.end()) - height_class_.begin());
  const double highest_m = has_height_class(highest) ? heights_m_[height_class_[highest]]
                                                     : *std::max_element(columns_.z_m.begin(), columns_.z_m.end());
  return greatest_range_m(channel_.path_loss, {loss_db}, highest_m, carrier_).value_or(kInfiniteReach);
}

// Where most pairs hear one another, squares of the table of pairs cost less than pairs one by one, and nobody's way
// need be known. The first window with pairs that may be silent computes all, and begins to keep the ways.
void RadioMedium::measure_reach() {
  find_limits();
  renew_heights();
  far_.reach_m = reach_m();
  const auto extent = [](const std::vector<double>& column) {
    const auto [least, most] = std::minmax_element(column.begin(), column.end());
    return *most - *least;
  };
  const double across_m = std::hypot(extent(columns_.x_m), extent(columns_.y_m), extent(columns_.z_m));
  some_far_ = std::isfinite(far_.reach_m) && across_m > std::min(far_.reach_m, mean_range_m());
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
    const double way = way_of(tile.low(i), tile.high(i));
    double& asked_at = asked_[pairs.pair[i]].shadow_way_m;
    if (ways_ == Ways::kKept) {
      pairs.moved_m[i] = way - asked_at;
    }
    asked_at = way;
    double& wakes = wake_way(tile.low(i), tile.high(i));
    wakes = std::min(wakes, 0.0);
    seen_sight_[pairs.pair[i]] = pairs.line_of_sight[i] != 0 ? 1 : 0;
  }
}

void RadioMedium::catch_up_fading(const MediumTile& tile, PairBatch& pairs) {
  const double turned_m = turned_m_per_s_ * run_s_;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const double way = way_of(tile.low(i), tile.high(i)) + turned_m;
    double& asked_at = asked_[pairs.pair[i]].fading_way_m;
    if (ways_ == Ways::kKept) {
      pairs.moved_m[i] = way - asked_at;
    }
    asked_at = way;
  }
}

// Each change of sight counts in the shadowing, and traced paths may carry farther than the model. Who has not been out
// of sight since the last scene is in sight as he was.
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
    seen_sight_[pair] = sees ? 1 : 0;  // it is visited by nobody, and no change any more
    return;
  }
  changes_seen_[high / kHighs].push_back({low, static_cast<Marks>(1U << (high % kHighs))});
}

void RadioMedium::visit_added(Work& work, std::size_t block, const Scene& scene, LinkTable& table) {
  MediumTile& tile = *work.tile;
  PairBatch& pairs = tile.pairs;
  work.visited += pairs.size;
  tile.measure(columns_);
  look(tile, scene);
  catch_up_shadowing(tile, pairs);
  shadows_.update(pairs, tile.in_use(tile.shadow_db), work.draws);
  path_loss_db(channel_.path_loss, pairs, carrier_, tile.in_use(tile.loss_db));
  drop_silent(work);
  catch_up_fading(tile, pairs);
  tile.walls_db.fill(0);
  fading_.update(pairs, 0, tile.in_use(tile.fading_db));
  drop_faded(tile);
  tile.expect_links(columns_, robots_, table.links);
  finish_pairs(work, scene);
  work.heard += pairs.size;
  tile.write_added(columns_, robots_, alike_, table.links, heard_[block]);
  tile.clear();
}

double RadioMedium::faded_loss_db() const {
  return audible_loss_db_ + fading_gain_.value + kRoundingDb;
}

// Of those that are near enough: who cannot be heard at the height of its fading, and does not disturb others either.
void RadioMedium::drop_silent(Work& work) {
  MediumTile& tile = *work.tile;
  const double audible_db = faded_loss_db();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const bool audible = tile.loss_db[i] + tile.shadow_db[i] <= audible_db;
    if (audible || tile.loss_db[i] <= disturbing_loss_db_ || !tile.sight[i]->paths.empty()) {
      fading_.expect(tile.pairs.pair[i]);
      tile.move(i, kept++);
    } else {
      consider_sleep(work, i);
    }
  }
  tile.pairs.size = kept;
  put_to_sleep(work);
}

// Of what is left, who cannot be heard in this window's fading.
void RadioMedium::drop_faded(MediumTile& tile) const {
  const double audible_db = audible_loss_db_ + kRoundingDb;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const bool audible = tile.loss_db[i] + tile.shadow_db[i] - tile.fading_db[i] <= audible_db;
    if (audible || tile.loss_db[i] <= disturbing_loss_db_ || !tile.sight[i]->paths.empty()) {
      tile.move(i, kept++);
    }
  }
  tile.pairs.size = kept;
}

}  // namespace hilgate
