// SPDX-License-Identifier: Apache-2.0
// Scene: physics' answer at a window: poses, sights and the obstacles between robots.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/id.h"
#include "physics_link/place.h"

namespace hilgate {

// What lies between robots, pair by pair. Pairs are unordered: what one end sees of the other, the other sees too.

/// A wall that the straight ray between two robots crosses.
struct WallCrossing {
  std::uint32_t material = 0;  // index into the materials the physics source was built with
  double thickness_m = 0;      // along the ray
  double incidence_rad = 0;    // from the normal of the face entered
};

/// A point of a path that a physics simulator traced, with the loss of the transition there: of a reflection, or of the
/// wall that the path enters or leaves. traced_path.h computes the loss of a path.
struct PathPoint {
  Vec3 at;
  double loss_db = 0;  // at least 0
};
using Path = std::vector<PathPoint>;

/// What lies between two robots.
struct Sight {
  bool line_of_sight = true;
  std::vector<WallCrossing> walls;  // empty in line of sight
  std::vector<Path> paths;          // empty unless the physics source traces rays
};

/// Number of unordered pairs of n robots.
constexpr std::size_t pair_count(std::size_t n) {
  return n * (n - (n > 0 ? 1 : 0)) / 2;
}

/// Index of the unordered pair {a, b} in a table of pair_count() entries. Requires a != b.
constexpr std::size_t pair_index(RobotIndex a, RobotIndex b) {
  const std::size_t low = a < b ? a.value() : b.value();
  const std::size_t high = a < b ? b.value() : a.value();
  assert(low < high);
  return high * (high - 1) / 2 + low;
}

/// The robots of a pair, the smaller first.
struct PairEnds {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};
/// Of a pair_index(), at most 2^32.
PairEnds ends_of(std::size_t pair);

/// A sight for each pair_index(). Pairs with nothing between them cost four bytes each, and are not visited to begin
/// anew; those that have a sight of their own are listed.
class Sights {
 public:
  Sights() = default;
  explicit Sights(std::size_t pairs) : place_(pairs) {}
  Sights(std::initializer_list<Sight> sights);

  [[nodiscard]] std::size_t size() const { return place_.size(); }
  [[nodiscard]] bool empty() const { return place_.empty(); }
  /// Keeps what is there; pairs that come have nothing between them.
  void resize(std::size_t pairs);
  /// As many pairs, with nothing between any.
  void open_all(std::size_t pairs);
  /// Nothing is between these. Keeps the storage of what was, for others.
  void open(std::size_t pair);

  [[nodiscard]] const Sight& operator[](std::size_t pair) const {
    return place_[pair] == 0 ? kOpen : told_[place_[pair] - 1];
  }
  /// The pair will soon be asked for: fetches from memory where that is found.
  void expect(std::size_t pair) const { __builtin_prefetch(&place_[pair]); }
  /// To be changed: the pair is one of told() from here on, until open().
  Sight& operator[](std::size_t pair);
  [[nodiscard]] bool is_told(std::size_t pair) const { return place_[pair] != 0; }

  /// Pairs with a sight of their own, in any order, and these sights in the same one.
  [[nodiscard]] std::span<const std::uint32_t> told() const { return pairs_; }
  [[nodiscard]] std::span<const Sight> told_sights() const { return {told_.data(), pairs_.size()}; }
  [[nodiscard]] std::span<Sight> told_sights() {
    mark_ = 0;
    return {told_.data(), pairs_.size()};
  }

  /// The number that mark() has given them, which copies share; 0 once anything may have been changed since.
  [[nodiscard]] std::uint64_t mark() const { return mark_; }
  void mark(std::uint64_t number) { mark_ = number; }

 private:
  static const Sight kOpen;
  std::vector<std::uint32_t> place_;  // by pair: in `told_`, from 1 on; 0: nothing is between
  std::vector<std::uint32_t> pairs_;  // of the first of `told_`
  std::vector<Sight> told_;           // and some that are not in use, for their storage
  std::uint64_t mark_ = 0;
};

struct Scene {
  SimTime at{};
  std::vector<Pose> robots;  // by RobotIndex
  Sights sights;             // by pair_index

  [[nodiscard]] const Sight& between(RobotIndex a, RobotIndex b) const { return sights[pair_index(a, b)]; }
};

}  // namespace hilgate
