// SPDX-License-Identifier: Apache-2.0
// Whom a sender meets in a domain, by the newest signals. An event of a medium goes over these members instead of over
// all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "path/air/transmitters.h"

namespace hilgate {

/// Of one domain. A sender's audience is looked up when it is first asked for after signals or members have changed.
/// Does not allocate after reserve().
class Audiences {
 public:
  /// `transmitters` and `members`, which are indices of transmitters and increase, must outlive it.
  Audiences(Transmitters& transmitters, const std::vector<std::uint32_t>& members, float carrier_sense_dbm)
      : transmitters_(transmitters), members_(members), carrier_sense_dbm_(carrier_sense_dbm) {}

  /// Makes room for so many members.
  void reserve(std::size_t most);
  /// Members have come or gone.
  void members_changed() { ++member_changes_; }

  /// Calls each(member) for the members that sense `robot`, and for those that are its own.
  template <class Each>
  void each_sensing(std::uint32_t robot, Each each) {
    const Row row = row_of(robot);
    for (std::size_t word = 0; word < words_; ++word) {
      each_of(row.sensing[word], word, each);
    }
  }
  /// Calls each(member) for the receivers, each the first member of its robot, that one of `starting`, which are
  /// indices of transmitters, can reach.
  template <class Each>
  void each_reached(std::span<const std::uint32_t> starting, Each each) {
    for (const std::uint32_t sender : starting) {
      row_of(transmitters_[sender].robot);
    }
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t any = 0;
      for (const std::uint32_t sender : starting) {
        any |= row_at(transmitters_[sender].robot).reached[word];
      }
      each_of(any, word, each);
    }
  }

 private:
  /// A bit for each place in `members`.
  struct Row {
    std::uint64_t* sensing;
    std::uint64_t* reached;
  };
  static constexpr std::size_t kBits = 64;

  template <class Each>
  void each_of(std::uint64_t bits, std::size_t word, Each& each) const {
    for (; bits != 0; bits &= bits - 1) {
      each(members_[word * kBits + static_cast<std::size_t>(std::countr_zero(bits))]);
    }
  }
  [[nodiscard]] Row row_at(std::size_t number) {
    std::uint64_t* const row = bits_.data() + 2 * words_ * number;
    return {row, row + words_};
  }
  Row row_of(std::uint32_t robot) {
    const std::size_t number = std::min<std::size_t>(robot, transmitters_.robots());
    const std::uint64_t newest = transmitters_.powers().changes() + member_changes_;
    if (looked_up_[number] != newest) {
      look_up(robot, row_at(number));
      looked_up_[number] = number < transmitters_.robots() ? newest : 0;
    }
    return row_at(number);
  }
  void look_up(std::uint32_t robot, const Row& row) const;

  Transmitters& transmitters_;
  const std::vector<std::uint32_t>& members_;
  const float carrier_sense_dbm_;
  std::size_t words_ = 0;                 // of a row
  std::uint64_t member_changes_ = 1;      // a row that was never looked up is out of date
  std::vector<std::uint64_t> looked_up_;  // by robot: changes of signals and members when its row was looked up
  std::vector<std::uint64_t> bits_;       // by robot: its row; one more, for robots without a transmitter
};

}  // namespace hilgate
