// SPDX-License-Identifier: Apache-2.0
// A medium of which others compute a part: of each pair that is not theirs, what would be computed without them.
#include <algorithm>

#include "netsim_link/embedded/radio_medium.h"

namespace hilgate {

void RadioMedium::leave_to_others(const std::vector<bool>& here) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    here_.push_back(here[columns_.robot[i]] ? 1 : 0);
    if (here_.back() != 0) {
      locals_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  own_pairs_ = pair_count(members_.size()) - pair_count(members_.size() - locals_.size());
  if (locals_.size() == members_.size()) {
    here_.clear();
  }
}

void RadioMedium::visit_own(const Scene& scene, LinkTable& table) {
  heard_.resize((members_.size() + MediumTile::kSide - 1) / MediumTile::kSide);
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
  for (std::size_t high = first; high < std::min(first + MediumTile::kSide, members_.size()); ++high) {
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
  tile.write_added(columns_, robots_, alike_, table.links, heard_[block]);
  tile.clear();
}

}  // namespace hilgate
