// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/radio_medium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "physics_link/foreign_numbers.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/numeric/normal.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kHardwareSalt = 0x68'61'72'64'77'61'72'65;  // "hardware"
constexpr std::uint64_t kSightSalt = 0x73'69'67'68'74'00'00'00;     // "sight"

/// A draw of sight lasts as long as the shadowing does.
Shadowing drawn_sight(const RadioChannel& channel) {
  const double correlation_m = channel.shadowing.any() ? channel.shadowing.los.correlation_m : 10;
  return channel.draws_sight ? Shadowing{{{1}, correlation_m}, {{1}, correlation_m}} : Shadowing{};
}

}  // namespace

RadioMedium::RadioMedium(std::vector<MediumMember> members, const std::vector<Material>& materials, std::size_t robots,
                         std::uint64_t seed, std::shared_ptr<const SurveyedFloors> floors)
    : channel_(members.front().profile->channel),
      carrier_(members.front().profile->phy.frequency),
      // Numbered as in the scene, so that a pair's shadowing does not depend on who else is on the medium.
      shadows_(channel_.shadowing, pair_count(robots), seed),
      sights_(drawn_sight(channel_), pair_count(robots), seed ^ kSightSalt),
      fading_(channel_.fading, carrier_.frequency(), pair_count(robots), seed),
      robots_(robots) {
  if (floors) {
    surveyed_.emplace(std::move(floors), carrier_.frequency(), pair_count(robots), seed);
  }
  for (const Material& material : materials) {
    walls_.emplace_back(material, carrier_.frequency());
  }
  std::map<const RadioProfile*, std::shared_ptr<const RateTable>> tables;
  std::map<const RadioProfile*, std::shared_ptr<Minstrel>> learners;
  for (MediumMember& radio : members) {
    const RadioPhy& phy = radio.profile->phy;
    auto& table = tables[radio.profile.get()];
    if (!table) {
      table = std::make_shared<const RateTable>(*radio.profile);
    }
    auto& learner = learners[radio.profile.get()];
    if (!learner && radio.profile->mac.rate_control.type == RateControl::Type::kMinstrel) {
      learner = std::make_shared<Minstrel>(*radio.profile, robots * robots, seed);
    }
    members_.push_back({.radio = radio,
                        .rates = table,
                        .learner = learner,
                        .sends = phy.tx_power + phy.tx_gain - phy.cable_loss,
                        .hears = phy.rx_gain - phy.cable_loss,
                        .own_noise = phy.noise_floor(),
                        .sensitivity = phy.sensitivity.value_or(Dbm{-std::numeric_limits<double>::infinity()}),
                        .least_snr = table->least_usable_snr(),
                        .latency = radio.profile->mac.latency,
                        .multicast_mode = radio.plan_modes[table->multicast_mode()],
                        .combines = radio.profile->mac.combining.has_value(),
                        .acknowledged = radio.profile->policy == ErrorPolicy::kArq});
    spread_hardware(members_.back(), seed);
    members_.back().noise = members_.back().own_noise;
    columns_.robot.push_back(radio.robot.value());
    antennas_.add(phy.antenna, radio.mount);
  }
  const Member& first = members_.front();
  alike_ = are_alike_ = tables.size() == 1 && !first.radio.profile->phy.hardware && !first.learner;
  for (std::vector<double>* column :
       {&columns_.x_m, &columns_.y_m, &columns_.z_m, &columns_.moved_m, &columns_.way_m}) {
    column->resize(members_.size());
  }
  places_.resize(members_.size());
  own_pairs_ = pair_count(members_.size());
  far_ = {.domain = first.radio.profile->mac.domain, .radios = members_.size(), .computed_because = "asked for"};
}

void RadioMedium::spread_hardware(Member& member, std::uint64_t seed) {
  const std::optional<HardwareVariance>& variance = member.radio.profile->phy.hardware;
  if (!variance) {
    return;
  }
  const HardwareSpread spread = hardware_spread(variance->noise_db2, variance->covariance_db2, variance->power_db2);
  FrameRandom random(seed ^ kHardwareSalt, member.radio.robot.value(), 0);
  const double first = draw_normal(random);
  const double second = draw_normal(random);
  member.own_noise += Decibels{spread.t11 * first};
  member.sends += Decibels{spread.t12 * first + spread.t22 * second};
}

void RadioMedium::share_work(std::shared_ptr<WorkCrew> crew) {
  crew_ = std::move(crew);
  work_.resize(crew_ ? crew_->size() : 1);
}

bool RadioMedium::move(const Scene& scene) {
  move_members(scene);
  if (!changes_.jammers.empty()) {
    hear_jammers(scene.at);
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
        shadows_.expect(work.tile->pairs.pair[i]);
        fading_.expect(work.tile->pairs.pair[i]);
      }
      update_tile(work, scene);
      work.tile->write(columns_, robots_, alike_, table.links);
    }
  });
  for (std::size_t i = 0; table.sparse && i < members_.size() * members_.size(); ++i) {
    table.heard.push_back(
        link_of(members_[i / members_.size()].radio.robot, members_[i % members_.size()].radio.robot, robots_).value());
  }
}

void RadioMedium::move_members(const Scene& scene) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Pose& pose = scene.robots[columns_.robot[i]];
    const Vec3 now = antennas_.place(i, pose);
    if (!is_bounded(now)) {  // no source lets that pass
      throw std::runtime_error(
          fmt::format("the scene has robot {} at ({}, {}, {}) m; coordinates must be finite and within {:g} m",
                      columns_.robot[i], now.x, now.y, now.z, kWorldReach));
    }
    const Vec3 before{columns_.x_m[i], columns_.y_m[i], columns_.z_m[i]};
    columns_.moved_m[i] = moved_before_ ? distance_m(before, now) : 0;
    if (surveyed_) {
      places_[i] = surveyed_->place_of({now, columns_.moved_m[i], std::atan2(now.y - before.y, now.x - before.x)});
    }
    columns_.way_m[i] += columns_.moved_m[i];
    columns_.x_m[i] = now.x;
    columns_.y_m[i] = now.y;
    columns_.z_m[i] = now.z;
  }
  passed_s_ = moved_before_ ? std::max(0.0, std::chrono::duration<double>(scene.at - at_).count()) : 0;
  run_s_ += passed_s_;
  at_ = scene.at;
  moved_before_ = true;
}

void RadioMedium::update_tile(Work& work, const Scene& scene) {
  MediumTile& tile = *work.tile;
  PairBatch& pairs = tile.pairs;
  look(tile, scene);
  if (channel_.draws_sight) {
    draw_sights(work);
  }
  if (surveyed_) {
    look_up(tile);
  } else {
    tile.walls_db.fill(0);
    if (ways_ != Ways::kUnknown) {
      catch_up_fading(tile, pairs);
    }
    fading_.update(pairs, ways_ == Ways::kKept ? 0 : passed_s_, tile.in_use(tile.fading_db));
  }
  if (ways_ != Ways::kUnknown) {
    catch_up_shadowing(tile, pairs);
  }
  shadows_.update(pairs, tile.in_use(tile.shadow_db), work.draws);
  path_loss_db(channel_.path_loss, pairs, carrier_, tile.in_use(tile.loss_db));
  finish_pairs(work, scene);
}

void RadioMedium::finish_pairs(Work& work, const Scene& scene) {
  MediumTile& tile = *work.tile;
  note_between(work);
  take_what_lies_between(work, scene);
  add_antenna_gains(tile);
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    tile.loss_db[i] += tile.shadow_db[i] - tile.fading_db[i] + tile.walls_db[i];
  }
  fill_states(tile);
}

void RadioMedium::look(MediumTile& tile, const Scene& scene) {
  PairBatch& pairs = tile.pairs;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const Sight& sight = scene.sights[pairs.pair[i]];
    tile.sight[i] = &sight;
    pairs.line_of_sight[i] = sight.line_of_sight ? 1 : 0;
  }
}

void RadioMedium::note_between(Work& work) {
  work.between.clear();
  for (std::size_t i = 0; i < work.tile->pairs.size; ++i) {
    const Sight& sight = *work.tile->sight[i];
    if (!sight.walls.empty() || !sight.paths.empty()) {
      work.between.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

void RadioMedium::draw_sights(Work& work) {
  MediumTile& tile = *work.tile;
  PairBatch& pairs = tile.pairs;
  const PairBatch::Column<std::uint64_t> of_scene = pairs.line_of_sight;
  pairs.line_of_sight.fill(1);  // one distance of correlation for all
  sights_.update(pairs, tile.in_use(tile.shadow_db), work.draws);
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const double uniform = 0.5 * std::erfc(-tile.shadow_db[i] / std::sqrt(2.0));
    const PairGeometry geometry{pairs.d2d_m[i], pairs.d3d_m[i], pairs.high_m[i], pairs.low_m[i], true};
    pairs.line_of_sight[i] =
        of_scene[i] != 0 && uniform < line_of_sight_probability(channel_.path_loss, geometry) ? 1 : 0;
  }
}

void RadioMedium::look_up(MediumTile& tile) {
  PairBatch& pairs = tile.pairs;
  std::array<SurveyedAir::Query, PairBatch::kMost> queries;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    queries[i] = {pairs.pair[i], &places_[tile.low(i)], &places_[tile.high(i)]};
  }
  surveyed_->update(std::span(queries.data(), pairs.size), tile.in_use(tile.walls_db), tile.in_use(tile.fading_db));
  for (std::size_t i = 0; i < pairs.size; ++i) {
    pairs.line_of_sight[i] = pairs.line_of_sight[i] != 0 && tile.walls_db[i] == 0 ? 1 : 0;
  }
}

}  // namespace hilgate
