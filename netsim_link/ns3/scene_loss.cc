// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/scene_loss.h"

namespace hilgate::ns3net {

ns3::TypeId SceneLoss::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("hilgate::SceneLoss").SetParent<ns3::PropagationLossModel>();
  return id;
}

double SceneLoss::DoCalcRxPower(double tx_power_dbm, ns3::Ptr<ns3::MobilityModel> a,
                                ns3::Ptr<ns3::MobilityModel> b) const {
  const Sight* sight = view_->between(ns3::PeekPointer(a), ns3::PeekPointer(b));
  if (sight == nullptr) {
    return otherwise_->CalcRxPower(tx_power_dbm, a, b);
  }
  if (const auto traced = SceneView::traced_loss_db(*sight)) {
    return tx_power_dbm - *traced;
  }
  return otherwise_->CalcRxPower(tx_power_dbm, a, b) - view_->walls_db(*sight);
}

ns3::TypeId SceneSight::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("hilgate::SceneSight").SetParent<ns3::ChannelConditionModel>();
  return id;
}

ns3::Ptr<ns3::ChannelCondition> SceneSight::GetChannelCondition(ns3::Ptr<const ns3::MobilityModel> a,
                                                                ns3::Ptr<const ns3::MobilityModel> b) const {
  const Sight* sight = view_->between(ns3::PeekPointer(a), ns3::PeekPointer(b));
  const bool sees = sight == nullptr || sight->line_of_sight;
  return ns3::CreateObject<ns3::ChannelCondition>(sees ? ns3::ChannelCondition::LOS : ns3::ChannelCondition::NLOS);
}

}  // namespace hilgate::ns3net
