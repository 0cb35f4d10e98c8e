// SPDX-License-Identifier: GPL-2.0-only
// LTE: robots are user equipment, base stations have the scenario's positions, and what one robot sends to another goes
// through the core network, which has no broadcast: a frame for a group becomes a copy for each.
#include <utility>

#include <ns3/double.h>
#include <ns3/ff-mac-scheduler.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/lte-enb-net-device.h>
#include <ns3/lte-handover-algorithm.h>
#include <ns3/lte-helper.h>
#include <ns3/lte-spectrum-value-helper.h>
#include <ns3/lte-ue-net-device.h>
#include <ns3/point-to-point-epc-helper.h>
#include <ns3/single-model-spectrum-channel.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include "netsim_link/ns3/parts.h"
#include "netsim_link/ns3/udp_frames.h"

namespace hilgate::ns3net {
namespace {

const ShortNames kSchedulers = {{"pf", "ns3::PfFfMacScheduler"}, {"rr", "ns3::RrFfMacScheduler"}};
const ShortNames kHandovers = {{"none", "ns3::NoOpHandoverAlgorithm"},
                               {"a3", "ns3::A3RsrpHandoverAlgorithm"},
                               {"a2a4", "ns3::A2A4RsrqHandoverAlgorithm"}};
constexpr std::uint32_t kDownlink = 100;  // E-UTRA channel numbers: ns-3's defaults, in band 1
constexpr std::uint32_t kUplink = 18100;
constexpr double kEverywhere = 1e12;  // metres

// The helper takes types by name and attributes one by one; what is set has been checked.
void configure(const Ground& ground, ns3::LteHelper& helper) {
  const Scenario& scenario = ground.scenario;
  key_being_built() = "network.scheduler";
  const ns3::ObjectFactory scheduler =
      factory_of(scenario, scenario.lte.scheduler, "pf", kSchedulers, ns3::FfMacScheduler::GetTypeId());
  helper.SetSchedulerType(scheduler.GetTypeId().GetName());
  for (const auto& [name, value] : scenario.lte.scheduler.settings) {
    helper.SetSchedulerAttribute(name, ns3::StringValue(value));
  }
  key_being_built() = "network.handover";
  const ns3::ObjectFactory handover =
      factory_of(scenario, scenario.lte.handover, scenario.stations.size() > 1 ? "a3" : "none", kHandovers,
                 ns3::LteHandoverAlgorithm::GetTypeId());
  helper.SetHandoverAlgorithmType(handover.GetTypeId().GetName());
  for (const auto& [name, value] : scenario.lte.handover.settings) {
    helper.SetHandoverAlgorithmAttribute(name, ns3::StringValue(value));
  }
  // The helper's own path loss takes nothing away; ours is added to it.
  helper.SetPathlossModelType(ns3::RangePropagationLossModel::GetTypeId());
  helper.SetPathlossModelAttribute("MaxRange", ns3::DoubleValue(kEverywhere));
  key_being_built() = "network.resource_blocks";
  helper.SetEnbDeviceAttribute("DlBandwidth", ns3::UintegerValue(scenario.lte.resource_blocks));
  helper.SetEnbDeviceAttribute("UlBandwidth", ns3::UintegerValue(scenario.lte.resource_blocks));
}

// The helpers own objects that the devices keep using.
class Lte final : public Network {
 public:
  Lte(ns3::Ptr<ns3::LteHelper> helper, ns3::Ptr<ns3::PointToPointEpcHelper> core, std::unique_ptr<Network> frames)
      : helper_(std::move(helper)), core_(std::move(core)), frames_(std::move(frames)) {}
  void send(const CapturedPacket& packet) override { frames_->send(packet); }

 private:
  ns3::Ptr<ns3::LteHelper> helper_;
  ns3::Ptr<ns3::PointToPointEpcHelper> core_;
  std::unique_ptr<Network> frames_;
};

}  // namespace

std::unique_ptr<Network> make_lte(const Ground& ground) {
  auto helper = ns3::CreateObject<ns3::LteHelper>();
  auto core = ns3::CreateObject<ns3::PointToPointEpcHelper>();
  helper->SetEpcHelper(core);
  configure(ground, *helper);
  const ns3::NetDeviceContainer stations = helper->InstallEnbDevice(ground.stations);
  const ns3::NetDeviceContainer robots = helper->InstallUeDevice(ground.robots);
  for (const auto& [channel, number] : {std::pair{helper->GetDownlinkSpectrumChannel(), kDownlink},
                                        std::pair{helper->GetUplinkSpectrumChannel(), kUplink}}) {
    channel->AddPropagationLossModel(make_loss(ground, ns3::LteSpectrumValueHelper::GetCarrierFrequency(number)));
  }
  key_being_built() = "network";
  ns3::InternetStackHelper stack;
  stack.Install(ground.robots);
  const ns3::Ipv4InterfaceContainer interfaces = core->AssignUeIpv4Address(robots);
  ns3::Ipv4StaticRoutingHelper routes;
  for (std::uint32_t i = 0; i < ground.robots.GetN(); ++i) {
    routes.GetStaticRouting(ground.robots.Get(i)->GetObject<ns3::Ipv4>())
        ->SetDefaultRoute(core->GetUeDefaultGatewayAddress(), 1);
  }
  helper->AttachToClosestEnb(robots, stations);
  if (ground.stations.GetN() > 1) {
    helper->AddX2Interface(ground.stations);
  }
  std::vector<ns3::Ipv4Address> addresses;
  for (std::uint32_t i = 0; i < interfaces.GetN(); ++i) {
    addresses.push_back(interfaces.GetAddress(i));
  }
  return std::make_unique<Lte>(helper, core,
                               std::make_unique<UdpFrames>(ground, std::move(addresses), ns3::Ipv4Address::GetAny(),
                                                           UdpFrames::Groups::kCopies));
}

}  // namespace hilgate::ns3net
