// SPDX-License-Identifier: Apache-2.0
#include "physics_link/carried_radios.h"

#include <algorithm>

namespace hilgate {

RadioScene::RadioScene(std::vector<std::uint32_t> body_of) : body_of_(std::move(body_of)) {
  radios_.resize(body_of_.empty() ? 0 : std::size_t{*std::ranges::max_element(body_of_)} + 1);
  for (std::uint32_t radio = 0; radio < body_of_.size(); ++radio) {
    radios_[body_of_[radio]].push_back(RobotIndex{radio});
  }
}

void RadioScene::spread(Scene& scene) {
  if (scene.robots.size() != radios_.size()) {
    return;
  }
  spread_.at = scene.at;
  spread_.robots.clear();
  for (const std::uint32_t body : body_of_) {
    spread_.robots.push_back(scene.robots[body]);
  }
  spread_sights(scene.sights);
  std::swap(scene, spread_);
}

void RadioScene::spread_sights(const Sights& of_bodies) {
  spread_.sights.open_all(pair_count(body_of_.size()));
  for (const std::uint32_t pair : of_bodies.told()) {
    const PairEnds bodies = ends_of(pair);
    for (const RobotIndex low : radios_[bodies.low]) {
      for (const RobotIndex high : radios_[bodies.high]) {
        spread_.sights[pair_index(low, high)] = of_bodies[pair];
      }
    }
  }
}

void CarriedRadios::open(Listener listener) {
  listener_ = std::move(listener);
  Listener wrapped = listener_;
  wrapped.ended = [this](PhysicsAnswer& answer) {
    if (answer.has_scene) {
      scene_.spread(answer.scene);
    }
    answer.payload.bytes.clear();
    listener_.ended(answer);
  };
  physics_->open(std::move(wrapped));
}

}  // namespace hilgate
