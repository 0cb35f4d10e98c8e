// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>

#include <ns3/cost231-propagation-loss-model.h>
#include <ns3/double.h>
#include <ns3/itu-r-1411-los-propagation-loss-model.h>
#include <ns3/three-gpp-propagation-loss-model.h>

#include "netsim_link/ns3/network.h"
#include "netsim_link/ns3/parts.h"
#include "netsim_link/ns3/scene_loss.h"

namespace hilgate::ns3net {
namespace {

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
