// SPDX-License-Identifier: GPL-2.0-only
// A kind of network inside ns-3: devices on the robots' nodes, and how frames get in and their fates out.
#pragma once

#include <ns3/node-container.h>
#include <ns3/propagation-loss-model.h>
#include <ns3/simulator.h>

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "netsim_link/ns3/fates.h"
#include "netsim_link/ns3/scenario.h"
#include "netsim_link/verdict.h"
#include "physics_link/scene.h"

namespace hilgate::ns3net {

// Positions and obstacles of the physics simulator's latest scene, for the models inside ns-3.

class SceneView {
 public:
  explicit SceneView(std::vector<double> wall_losses_db, double blocked_loss_db)
      : wall_losses_db_(std::move(wall_losses_db)), blocked_loss_db_(blocked_loss_db) {}

  /// Robots are known by what stands for their position inside ns-3.
  void know(const void* mobility, RobotIndex robot) { robots_.emplace(mobility, robot); }
  void use(const Scene& scene) { scene_ = scene; }

  /// Null where an end is no robot, or before the first scene of physics.
  [[nodiscard]] const Sight* between(const void* a, const void* b) const {
    const auto one = robots_.find(a);
    const auto other = robots_.find(b);
    if (one == robots_.end() || other == robots_.end() || one->second == other->second || scene_.sights.empty()) {
      return nullptr;
    }
    return &scene_.between(one->second, other->second);
  }

  /// Loss of the walls on the straight line, in addition to that of the distance.
  [[nodiscard]] double walls_db(const Sight& sight) const {
    double loss = sight.line_of_sight || !sight.walls.empty() ? 0 : blocked_loss_db_;
    for (const WallCrossing& wall : sight.walls) {
      loss += wall.material < wall_losses_db_.size() ? wall_losses_db_[wall.material] : 0;
    }
    return loss;
  }

 private:
  std::map<const void*, RobotIndex> robots_;
  Scene scene_;
  std::vector<double> wall_losses_db_;
  double blocked_loss_db_;
};

/// ns-3's time is the gateway's sim time.
inline SimTime sim_now() {
  return SimTime{Nanoseconds{ns3::Simulator::Now().GetNanoSeconds()}};
}

/// What networks are built from.
struct Ground {
  const Scenario& scenario;
  ns3::NodeContainer robots;
  ns3::NodeContainer stations;  // access points, base stations
  std::shared_ptr<const SceneView> view;
  Fates& fates;
};

class Network {
 public:
  virtual ~Network() = default;
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// The frame leaves its sender now; its fates are open.
  virtual void send(const CapturedPacket& packet) = 0;
  /// Frames are cut into so many; see Fates::open().
  [[nodiscard]] virtual std::uint32_t pieces(const CapturedPacket& /*packet*/) const { return 1; }
};

/// The scenario's propagation loss within the scene. `frequency_hz` for models that have none of their own.
ns3::Ptr<ns3::PropagationLossModel> make_loss(const Ground& ground, double frequency_hz);

std::unique_ptr<Network> make_wifi(const Ground& ground);
std::unique_ptr<Network> make_csma(const Ground& ground);
std::unique_ptr<Network> make_lr_wpan(const Ground& ground);
std::unique_ptr<Network> make_lte(const Ground& ground);

}  // namespace hilgate::ns3net
