// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "path/frame_path.h"
#include "tests/world/world_memory.h"
#include "tests/world/world_plan.h"
#include "tests/world/world_port.h"

namespace hilgate::test {

/// The packet paths of a gateway, one for each core, from its start to its end.
class WorldCores {
 public:
  using Path = FramePath<WorldPort, WorldMemory>;

  WorldCores(const WorldPlan& plan, const PathSettings& settings, const LinkTable& table,
             const std::vector<std::unique_ptr<WorldPort>>& ports, WorldMemory& memory);

  [[nodiscard]] std::size_t size() const { return cores_.size(); }
  Path& path(std::size_t core) { return *cores_[core].path; }
  void publish(const LinkTable& table);
  /// As gateway/run/planes/path_plane.h does it.
  void change(const PathSettings& settings, const LinkTable& table, HostTime now);
  void drain();

  /// Of all cores, with what is between them held.
  [[nodiscard]] const PathTotals& totals();
  [[nodiscard]] std::vector<LinkCounts> links() const;
  /// Deliveries that may be held at most.
  [[nodiscard]] std::size_t most_held() const { return most_held_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Core {
    std::unique_ptr<LinkTableFeed> feed;
    std::unique_ptr<Path> path;
  };

  std::vector<std::size_t> core_of_port_;
  std::vector<std::size_t> homes_;  // by place: the cores of media
  std::size_t most_held_;
  std::unique_ptr<CrossingRings> rings_;
  std::vector<Core> cores_;
  PathTotals sum_;
};

}  // namespace hilgate::test
