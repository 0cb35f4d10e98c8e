// SPDX-License-Identifier: GPL-2.0-only
// The physics simulator's geometry inside ns-3: a propagation loss that takes another model's for the distance, with
// the losses of walls, or where paths were traced, for each path's length with the losses of its transitions, the
// powers of the paths added; and the line of sight for those models of ns-3 that ask for it (3GPP TR 38.901's).
#pragma once

#include <memory>

#include <ns3/channel-condition-model.h>
#include <ns3/mobility-model.h>
#include <ns3/propagation-loss-model.h>

#include "netsim_link/ns3/scene_view.h"

namespace hilgate::ns3net {

class SceneLoss final : public ns3::PropagationLossModel {
 public:
  SceneLoss(std::shared_ptr<const SceneView> view, ns3::Ptr<ns3::PropagationLossModel> otherwise)
      : view_(std::move(view)), otherwise_(std::move(otherwise)) {}
  static ns3::TypeId GetTypeId();
  [[nodiscard]] ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }

 private:
  double DoCalcRxPower(double tx_power_dbm, ns3::Ptr<ns3::MobilityModel> a,
                       ns3::Ptr<ns3::MobilityModel> b) const override;
  /// For a path longer than the straight line, models that only know nodes (3GPP's) are asked for the straight line,
  /// and the excess spreads as in free space.
  [[nodiscard]] double traced_power_dbm(double tx_power_dbm, const ns3::Ptr<ns3::MobilityModel>& a,
                                        const ns3::Ptr<ns3::MobilityModel>& b, const std::vector<Path>& paths) const;
  int64_t DoAssignStreams(int64_t stream) override { return otherwise_->AssignStreams(stream); }

  std::shared_ptr<const SceneView> view_;
  ns3::Ptr<ns3::PropagationLossModel> otherwise_;
};

class SceneSight final : public ns3::ChannelConditionModel {
 public:
  explicit SceneSight(std::shared_ptr<const SceneView> view) : view_(std::move(view)) {}
  static ns3::TypeId GetTypeId();
  [[nodiscard]] ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }

  [[nodiscard]] ns3::Ptr<ns3::ChannelCondition> GetChannelCondition(
      ns3::Ptr<const ns3::MobilityModel> a, ns3::Ptr<const ns3::MobilityModel> b) const override;
  int64_t AssignStreams(int64_t /*stream*/) override { return 0; }

 private:
  std::shared_ptr<const SceneView> view_;
};

}  // namespace hilgate::ns3net
