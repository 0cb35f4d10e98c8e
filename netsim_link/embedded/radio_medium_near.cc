// SPDX-License-Identifier: Apache-2.0
// Which pairs of a medium of many radios are looked at in a window: those that are neither asleep nor too far apart.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "netsim_link/embedded/radio_medium.h"
#include "rf_profiles/numeric/vector_code.h"

namespace hilgate {
namespace {

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

void RadioMedium::visit_near(const Scene& scene, LinkTable& table) {
  near_.sort(columns_, far_.reach_m);
  heard_.resize((members_.size() + kHighs - 1) / kHighs);
  find_changes(scene.sights);
  for (Work& work : work_) {
    work.marks.resize(members_.size());
    work.told.resize(members_.size());
    work.visited = work.heard = 0;
  }
  share([&](Work& work, std::size_t block) { visit_near_block(work, block, scene, table); });
  for (const std::vector<std::uint32_t>& heard : heard_) {
    table.heard.insert(table.heard.end(), heard.begin(), heard.end());
  }
  for (const Work& work : work_) {
    far_.visited += work.visited;
    far_.heard += work.heard;
  }
}

void RadioMedium::visit_near_block(Work& work, std::size_t block, const Scene& scene, LinkTable& table) {
  const std::size_t first = block * kHighs;
  const std::size_t end = std::min(first + kHighs, members_.size());
  heard_[block].clear();
  work.tile->clear();
  std::fill_n(work.marks.begin(), end, Marks{0});
  std::fill_n(work.told.begin(), end, Marks{0});
  mark_awake(work, first, end);
  for (const Change& change : changes_seen_[block]) {
    work.told[change.low] = static_cast<Marks>(work.told[change.low] | change.high);
  }
  // Low by low, so that what is kept of pairs, and their links, is met in the order in which it lies in memory.
  for (std::size_t low = 0; low < end; ++low) {
    for (unsigned marks = work.marks[low] | work.told[low]; marks != 0; marks &= marks - 1) {
      const auto place = static_cast<unsigned>(std::countr_zero(marks));
      const std::size_t high = first + place;
      if ((work.told[low] >> place & 1U) != 0 || is_within_reach(low, high)) {
        work.tile->add(columns_, high, low);
        expect(work.tile->pairs.pair[work.tile->pairs.size - 1]);
        if (work.tile->full()) {
          visit_added(work, block, scene, table);
        }
      }
    }
  }
  visit_added(work, block, scene, table);
}

// What is kept of most pairs is far from the processor.
void RadioMedium::expect(std::uint32_t pair) const {
  shadows_.expect(pair);
  __builtin_prefetch(&asked_[pair], 1);
  __builtin_prefetch(&seen_sight_[pair], 1);
}

void RadioMedium::mark_awake(Work& work, std::size_t first, std::size_t end) const {
  for (std::size_t high = first; high < end; ++high) {
    const auto mark = static_cast<Marks>(1U << (high - first));
    const double way_m = columns_.way_m[high];
    const double* const wakes = wake_way_.data() + pair_count(high);
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

// Who is too far away sleeps until both ends together can have come near enough. One that rises to where it may be
// heard farther away is woken (renew_heights()).
bool RadioMedium::is_within_reach(std::size_t low, std::size_t high) {
  const double east = columns_.x_m[low] - columns_.x_m[high];
  const double north = columns_.y_m[low] - columns_.y_m[high];
  const double above = columns_.z_m[low] - columns_.z_m[high];
  const double square = east * east + north * north + above * above;
  if (square <= far_.reach_m * far_.reach_m) {
    return true;
  }
  if (has_height_class(low) && has_height_class(high)) {
    wake_way(low, high) = way_of(low, high) + (std::sqrt(square) - far_.reach_m) * kNotLater;
  }
  return false;
}

}  // namespace hilgate
