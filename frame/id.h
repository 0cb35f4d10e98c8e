// SPDX-License-Identifier: Apache-2.0
// Small integer names that do not mix: a RobotSlot is no LinkSlot, though both are numbers.
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>

namespace hilgate {

/// An index into a dense table of things named by Tag. Explicit both ways on purpose.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t value) : value_(value) {}
  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t value_ = 0;
};

struct RobotIndexTag;
/// A robot (an endpoint of links) in one configuration, its scenes and its link tables: its index in the
/// configuration's list, from 0. Access points follow the robots.
using RobotIndex = Id<RobotIndexTag>;

struct RobotTag;
/// A robot in the packet path: its slot, which it keeps over changes of the configuration. TableRobots has which robot
/// of the configuration it is.
using RobotSlot = Id<RobotTag>;

/// An index or none, in the size of an index: for tables that are read for every frame. `Index` is an Id.
template <class Index>
class OptionalIndex {
 public:
  constexpr OptionalIndex() = default;
  constexpr OptionalIndex(Index index) : raw_(index.value()) { assert(raw_ != kNone); }

  constexpr explicit operator bool() const { return raw_ != kNone; }
  /// Only where there is one.
  [[nodiscard]] constexpr Index value() const {
    assert(raw_ != kNone);
    return Index{raw_};
  }
  friend constexpr bool operator==(OptionalIndex, OptionalIndex) = default;

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  std::uint32_t raw_ = kNone;
};

}  // namespace hilgate
