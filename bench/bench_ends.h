// SPDX-License-Identifier: Apache-2.0
// Where traffic of a bench begins and ends, whatever lies between.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "host/file_descriptor.h"
#include "host/netns.h"

namespace hilgate {

/// Robot n of a bench sends and receives at an interface of a namespace. Robot 0 is the sender of streams.
class BenchEnds {
 public:
  static constexpr std::size_t kRobots = 2;
  struct End {
    FileDescriptor netns;
    std::string interface;
  };

  BenchEnds(End sender, End receiver) : ends_{std::move(sender), std::move(receiver)} {}

  /// The calling thread moves there until the end of the scope.
  [[nodiscard]] NetnsScope enter_robot(std::size_t n) const { return NetnsScope(ends_.at(n).netns); }
  [[nodiscard]] const std::string& robot_end(std::size_t n) const { return ends_.at(n).interface; }

 protected:
  [[nodiscard]] int robot_netns(std::size_t n) const { return ends_.at(n).netns.get(); }

 private:
  std::array<End, kRobots> ends_;
};

}  // namespace hilgate
