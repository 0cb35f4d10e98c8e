// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/coverage.h"

#include <fmt/format.h>

#include <stdexcept>

#include "netsim_link/embedded/embedded_netsim.h"
#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

constexpr std::size_t kTwoEnds = 2;

// A radio without what is drawn: what it is like on average. Others forward nothing for it.
std::shared_ptr<const RadioProfile> mean_radio(const RadioProfile& profile) {
  auto mean = std::make_shared<RadioProfile>(profile);
  mean->channel.shadowing = {};
  mean->channel.fading = {};
  mean->channel.draws_sight = false;
  mean->phy.hardware.reset();
  mean->mac.mesh.reset();
  if (mean->mac.rate_control.type == RateControl::Type::kMinstrel) {
    mean->mac.rate_control.type = RateControl::Type::kIdeal;  // what it learns
  }
  return mean;
}

void look_between(const Obstacles& obstacles, Scene& scene) {
  Sight& sight = scene.sights[0];
  sight.walls.clear();
  const Segment ray{scene.robots[0].position, scene.robots[1].position};
  sight.line_of_sight = !obstacles.append_between(ray, sight.walls);
}

}  // namespace

std::vector<CoverageCell> coverage_of(const CoverageQuestion& question, const CellGrid& grid,
                                      const std::function<bool()>& goes_on) {
  if (question.sender->mac.domain != question.receiver->mac.domain) {
    throw std::runtime_error(fmt::format("the radios {} and {} never hear one another: their domains are '{}' and '{}'",
                                         question.sender->id, question.receiver->id, question.sender->mac.domain,
                                         question.receiver->mac.domain));
  }
  const auto sender = mean_radio(*question.sender);
  const auto receiver = question.sender == question.receiver ? sender : mean_radio(*question.receiver);
  EmbeddedNetsim netsim({sender, receiver}, question.materials, 1, question.floors, {}, {question.mount, {}});
  netsim.change({.jammers = {}, .obstacles = question.obstacles, .path_loss_db = {}});
  Scene scene{.robots = {question.from, Pose{}}, .sights = Sights(1)};
  LinkTable table;
  std::vector<CoverageCell> cells;
  cells.reserve(grid.size());
  for (std::size_t cell = 0; cell < grid.size() && goes_on(); ++cell) {
    Vec3& place = scene.robots[1].position;
    place = grid.middle(cell, question.height_m);
    place.z += place.z - question.obstacles.above_ground(place);  // the height is above ground
    look_between(question.obstacles, scene);
    netsim.link_states(scene, table);
    const LinkReading link = read_link(table, netsim.air_plan(), kTwoEnds, RobotIndex{0}, RobotIndex{1});
    cells.push_back({.reachable = link.reachable,
                     .line_of_sight = link.line_of_sight,
                     .snr_db = link.snr_db,
                     .frame_loss = link.reachable ? link.frame_loss : 1});
  }
  return cells;
}

}  // namespace hilgate
