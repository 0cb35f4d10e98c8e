// SPDX-License-Identifier: GPL-2.0-only
#include <ns3/channel-condition-model.h>
#include <ns3/constant-position-mobility-model.h>
#include <ns3/cost231-propagation-loss-model.h>
#include <ns3/double.h>
#include <ns3/itu-r-1411-los-propagation-loss-model.h>
#include <ns3/mobility-model.h>
#include <ns3/propagation-loss-model.h>
#include <ns3/three-gpp-propagation-loss-model.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "netsim_link/ns3/network.h"
#include "netsim_link/ns3/parts.h"
#include "physics_link/traced_path.h"

namespace hilgate::ns3net {
namespace {

// The physics simulator's geometry inside ns-3: a propagation loss that takes another model's for the distance, with
// the losses of walls, or where paths were traced, for each path's length with the losses of its transitions, the
// powers of the paths added; and the line of sight for those models of ns-3 that ask for it (3GPP TR 38.901's).

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

const ShortNames kModels = {
    {"friis", "ns3::FriisPropagationLossModel"},
    {"log_distance", "ns3::LogDistancePropagationLossModel"},
    {"three_log_distance", "ns3::ThreeLogDistancePropagationLossModel"},
    {"two_ray_ground", "ns3::TwoRayGroundPropagationLossModel"},
    {"range", "ns3::RangePropagationLossModel"},
    {"cost231", "ns3::Cost231PropagationLossModel"},
    {"itu_p1411_los", "ns3::ItuR1411LosPropagationLossModel"},
    {"tgpp_rma", "ns3::ThreeGppRmaPropagationLossModel"},
    {"tgpp_uma", "ns3::ThreeGppUmaPropagationLossModel"},
    {"tgpp_umi", "ns3::ThreeGppUmiStreetCanyonPropagationLossModel"},
    {"tgpp_inh", "ns3::ThreeGppIndoorOfficePropagationLossModel"},
};

}  // namespace

ns3::Ptr<ns3::PropagationLossModel> make_loss(const Ground& ground, double frequency_hz) {
  key_being_built() = "propagation";
  ns3::ObjectFactory factory = factory_of(ground.scenario, ground.scenario.propagation, "log_distance", kModels,
                                          ns3::PropagationLossModel::GetTypeId());
  const auto& settings = ground.scenario.propagation.settings;
  const bool tuned =
      std::any_of(settings.begin(), settings.end(), [](const auto& each) { return each.first == "Frequency"; });
  if (!tuned) {
    set_if_known(factory, "Frequency", ns3::DoubleValue(frequency_hz));
  }
  auto model = factory.Create<ns3::PropagationLossModel>();
  if (auto tgpp = ns3::DynamicCast<ns3::ThreeGppPropagationLossModel>(model)) {
    tgpp->SetChannelConditionModel(ns3::CreateObject<SceneSight>(ground.view));
  }
  return ns3::CreateObject<SceneLoss>(ground.view, model);
}

}  // namespace hilgate::ns3net
