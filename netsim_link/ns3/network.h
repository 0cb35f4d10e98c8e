// SPDX-License-Identifier: GPL-2.0-only
// A kind of network inside ns-3: devices on the robots' nodes, and how frames get in and their fates out.
#pragma once

#include <memory>
#include <optional>

#include <ns3/node-container.h>
#include <ns3/propagation-loss-model.h>
#include <ns3/simulator.h>

#include "netsim_link/ns3/fates.h"
#include "netsim_link/ns3/scenario.h"
#include "netsim_link/ns3/scene_view.h"
#include "netsim_link/verdict.h"

namespace hilgate::ns3net {

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
