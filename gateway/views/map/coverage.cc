// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/map/coverage.h"

#include <fmt/format.h>

#include <stdexcept>

#include "netsim_link/embedded/embedded_netsim.h"
#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

constexpr std::size_t kEnds = 2;

// A radio without what is drawn: what it is like on average.
std::shared_ptr<const RadioProfile> mean_of(const RadioProfile& profile) {
  auto mean = std::make_shared<RadioProfile>(profile);
  mean->channel.shadowing = {};
  mean->channel.fading = {};
  mean->channel.draws_sight = false;
  mean->phy.hardware.reset();
  if (mean->mac.rate_control.type == RateControl::Type::kMinstrel) {
    mean->mac.rate_control.type = RateControl::Type::kIdeal;  // what it learns
  }
  return mean;
}

void look(const std::vector<Obstacle>& obstacles, Scene& scene) {
  Sight& sight = scene.sights[0];
  sight.walls.clear();
  const Segment ray{scene.robots[0].position, scene.robots[1].position};
  for (const Obstacle& obstacle : obstacles) {
    append_crossings(ray, obstacle, sight.walls);
  }
  sight.line_of_sight = sight.walls.empty();
}

}  // namespace

std::vector<CoverageCell> coverage_of(const CoverageQuestion& question, const CellGrid& grid) {
  if (question.sender->mac.domain != question.receiver->mac.domain) {
    throw std::runtime_error(fmt::format("the radios {} and {} never hear one another: their domains are '{}' and '{}'",
                                         question.sender->id, question.receiver->id, question.sender->mac.domain,
                                         question.receiver->mac.domain));
  }
  const auto sender = mean_of(*question.sender);
  const auto receiver = question.sender == question.receiver ? sender : mean_of(*question.receiver);
  EmbeddedNetsim netsim({sender, receiver}, question.materials, 1, question.floors, {}, {question.mount, {}});
  Scene scene{.robots = {question.from, Pose{}}, .sights = Sights(1)};
  LinkTable table;
  std::vector<CoverageCell> cells;
  cells.reserve(grid.size());
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    scene.robots[1].position = grid.middle(cell, question.height_m);
    look(question.obstacles, scene);
    netsim.link_states(scene, table);
    const LinkReading link = read_link(table, netsim.air_plan(), kEnds, RobotIndex{0}, RobotIndex{1});
    cells.push_back({.reachable = link.reachable,
                     .line_of_sight = link.line_of_sight,
                     .snr_db = link.snr_db,
                     .frame_loss = link.reachable ? link.frame_loss : 1});
  }
  return cells;
}

}  // namespace hilgate
