// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/scene_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ns3/constant-position-mobility-model.h>
#include <ns3/three-gpp-propagation-loss-model.h>

#include "physics_link/traced_path.h"

namespace hilgate::ns3net {
namespace {

Vec3 position_of(const ns3::MobilityModel& mobility) {
  const ns3::Vector at = mobility.GetPosition();
  return {at.x, at.y, at.z};
}

/// `b` moved away from `a` at its height, until the two are `length_m` apart. Right above one another: along x.
ns3::Ptr<ns3::MobilityModel> unfolded(const Vec3& a, const Vec3& b, double length_m) {
  const double rise_m = b.z - a.z;
  const double along_m = std::sqrt(std::max(length_m * length_m - rise_m * rise_m, 0.0));
  const double flat_m = std::hypot(b.x - a.x, b.y - a.y);
  const double x = flat_m > 0 ? (b.x - a.x) / flat_m : 1;
  const double y = flat_m > 0 ? (b.y - a.y) / flat_m : 0;
  auto moved = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
  moved->SetPosition({a.x + x * along_m, a.y + y * along_m, b.z});
  return moved;
}

}  // namespace

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
  if (!sight->paths.empty()) {
    return traced_power_dbm(tx_power_dbm, a, b, sight->paths);
  }
  return otherwise_->CalcRxPower(tx_power_dbm, a, b) - view_->walls_db(*sight);
}

double SceneLoss::traced_power_dbm(double tx_power_dbm, const ns3::Ptr<ns3::MobilityModel>& a,
                                   const ns3::Ptr<ns3::MobilityModel>& b, const std::vector<Path>& paths) const {
  const Vec3 from = position_of(*a);
  const Vec3 to = position_of(*b);
  const double straight_m = std::max(a->GetDistanceFrom(b), 1e-3);
  // The models of 3GPP know their ends by node and cannot be asked about another position.
  const bool by_node = ns3::DynamicCast<ns3::ThreeGppPropagationLossModel>(otherwise_) != nullptr;
  std::vector<TracedRay> rays;
  rays_between(paths, from, to, rays);
  double power = 0;
  for (const TracedRay& ray : rays) {
    const double longer = ray.length_m / straight_m;
    double dbm = -ray.transitions.value;
    if (longer <= 1 + 1e-9) {
      dbm += otherwise_->CalcRxPower(tx_power_dbm, a, b);
    } else if (by_node) {
      dbm += otherwise_->CalcRxPower(tx_power_dbm, a, b) - 20 * std::log10(longer);
    } else {
      dbm += otherwise_->CalcRxPower(tx_power_dbm, a, unfolded(from, to, ray.length_m));
    }
    power += std::pow(10.0, dbm / 10);
  }
  return 10 * std::log10(power);
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
