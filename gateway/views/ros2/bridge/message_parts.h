// SPDX-License-Identifier: Apache-2.0
// Parts of messages as the generated types have them: strings and sequences that other code owns.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "ros2_types.h"

namespace hilgate::ros2 {

/// Owns the strings of a message until it has been written.
class Texts {
 public:
  char* keep(std::string text) { return texts_.emplace_back(std::move(text)).data(); }

 private:
  std::deque<std::string> texts_;  // they do not move
};

/// A sequence of a generated type that lends `elements`.
template <class Sequence, class Element>
Sequence lent(std::vector<Element>& elements) {
  const auto length = static_cast<std::uint32_t>(elements.size());
  return {length, length, elements.data(), false};
}

/// A time as ROS 2 has it, of any clock.
inline builtin_interfaces_msg_dds__Time_ time_of(std::chrono::nanoseconds since_epoch) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_epoch);
  return {static_cast<std::int32_t>(whole.count()), static_cast<std::uint32_t>((since_epoch - whole).count())};
}

}  // namespace hilgate::ros2
