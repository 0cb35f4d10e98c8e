// SPDX-License-Identifier: Apache-2.0
#include "physics_link/scene.h"

#include <algorithm>
#include <utility>

namespace hilgate {
namespace {

void clear(Sight& sight) {
  sight.line_of_sight = true;
  sight.walls.clear();
  sight.paths.clear();
}

}  // namespace

const Sight Sights::kOpen{};

PairEnds ends_of(std::size_t pair) {
  auto high = static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(pair))) / 2);
  while (pair_count(high) > pair) {  // rounding
    --high;
  }
  while (pair_count(high + 1) <= pair) {
    ++high;
  }
  return {static_cast<std::uint32_t>(pair - pair_count(high)), static_cast<std::uint32_t>(high)};
}

Sights::Sights(std::initializer_list<Sight> sights) : place_(sights.size()) {
  std::size_t pair = 0;
  for (const Sight& sight : sights) {
    (*this)[pair++] = sight;
  }
}

void Sights::resize(std::size_t pairs) {
  for (std::size_t pair = pairs; pair < place_.size(); ++pair) {
    open(pair);
  }
  mark_ = place_.size() == pairs ? mark_ : 0;
  place_.resize(pairs);
}

void Sights::open_all(std::size_t pairs) {
  mark_ = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    clear(told_[i]);
    place_[pairs_[i]] = 0;
  }
  pairs_.clear();
  place_.resize(pairs);
}

void Sights::open(std::size_t pair) {
  if (place_[pair] == 0) {
    return;
  }
  mark_ = 0;
  const std::uint32_t place = place_[pair];
  clear(told_[place - 1]);
  std::swap(told_[place - 1], told_[pairs_.size() - 1]);
  place_[pairs_.back()] = place;
  pairs_[place - 1] = pairs_.back();
  pairs_.pop_back();
  place_[pair] = 0;
}

Sight& Sights::operator[](std::size_t pair) {
  mark_ = 0;
  if (place_[pair] == 0) {
    pairs_.push_back(static_cast<std::uint32_t>(pair));
    place_[pair] = static_cast<std::uint32_t>(pairs_.size());
    if (told_.size() < pairs_.size()) {
      told_.emplace_back();
    }
  }
  return told_[place_[pair] - 1];
}

}  // namespace hilgate
