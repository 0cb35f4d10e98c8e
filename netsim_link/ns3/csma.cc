// SPDX-License-Identifier: GPL-2.0-only
// Ethernet as on a coaxial cable: all robots on one wire.
#include <algorithm>

#include <ns3/csma-helper.h>
#include <ns3/csma-net-device.h>
#include <ns3/data-rate.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <fmt/format.h>

#include "netsim_link/ns3/packet_mark.h"
#include "netsim_link/ns3/parts.h"
#include "netsim_link/ns3/udp_frames.h"

namespace hilgate::ns3net {
namespace {

constexpr std::uint32_t kMtu = 9216;  // the gateway has a limit of its own

void on_begin(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->trying(mark.packet(), sim_now()); });
}
void on_end(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->sent(mark.packet(), sim_now()); });
}
void on_queue_full(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet,
                [&](const PacketMark& mark) { fates->given_up(mark.packet(), AirDrop::kQueueFull, sim_now()); });
}
void on_collision(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet,
                [&](const PacketMark& mark) { fates->given_up(mark.packet(), AirDrop::kCollision, sim_now()); });
}

std::vector<ns3::Ptr<ns3::NetDevice>> csma_devices(const Ground& ground) {
  const CsmaScenario& csma = ground.scenario.csma;
  key_being_built() = "network.rate";
  ns3::CsmaHelper helper;
  helper.SetChannelAttribute("DataRate", ns3::StringValue(csma.rate));
  helper.SetChannelAttribute("Delay", ns3::TimeValue(ns3::NanoSeconds(static_cast<std::uint64_t>(csma.delay.count()))));
  helper.SetDeviceAttribute("Mtu", ns3::UintegerValue(kMtu));
  const ns3::NetDeviceContainer devices = helper.Install(ground.robots);
  std::vector<ns3::Ptr<ns3::NetDevice>> robots;
  for (std::uint32_t i = 0; i < devices.GetN(); ++i) {
    const auto device = devices.Get(i);
    device->TraceConnectWithoutContext("PhyTxBegin", ns3::MakeBoundCallback(&on_begin, &ground.fates));
    device->TraceConnectWithoutContext("PhyTxEnd", ns3::MakeBoundCallback(&on_end, &ground.fates));
    device->TraceConnectWithoutContext("MacTxDrop", ns3::MakeBoundCallback(&on_queue_full, &ground.fates));
    device->TraceConnectWithoutContext("PhyTxDrop", ns3::MakeBoundCallback(&on_collision, &ground.fates));
    robots.push_back(device);
  }
  return robots;
}

}  // namespace

std::unique_ptr<Network> make_csma(const Ground& ground) {
  return make_network_over(ground, csma_devices(ground));
}

}  // namespace hilgate::ns3net
