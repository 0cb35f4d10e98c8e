// SPDX-License-Identifier: Apache-2.0
// Stations of unslotted IEEE 802.15.4 in ns-3 that send one another acknowledged frames. Prints what Flows prints. All
// stations are near one another: no frame is lost but by contention. A frame that is repeated because its
// acknowledgement was lost counts once: ns-3's MAC indicates each repeat, which radios drop by the sequence number.
#include <ns3/core-module.h>
#include <ns3/lr-wpan-module.h>
#include <ns3/network-module.h>
#include <ns3/propagation-module.h>
#include <ns3/spectrum-module.h>

#include <map>
#include <set>
#include <string>

#include "flows.h"

int main(int argc, char** argv) {
  std::string nodes_text = "0,0,0;10,0,0";
  std::string flows_text = "1-0:0.1:100";
  double from = 0.5;
  double until = 10;
  std::uint32_t queue = 8;
  std::uint32_t seed = 1;
  ns3::CommandLine command;
  command.AddValue("nodes", "x,y,z;...", nodes_text);
  command.AddValue("flows", "source-to:interval:bytes[:start],...; bytes of MSDU", flows_text);
  command.AddValue("from", "s, of what is counted", from);
  command.AddValue("until", "s", until);
  command.AddValue("queue", "frames that a station holds", queue);
  command.AddValue("seed", "run number", seed);
  command.Parse(argc, argv);
  ns3::RngSeedManager::SetRun(seed);

  auto channel = ns3::CreateObject<ns3::SingleModelSpectrumChannel>();
  channel->AddPropagationLossModel(ns3::CreateObject<ns3::FriisPropagationLossModel>());
  channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
  ns3::LrWpanHelper helper;
  helper.SetChannel(channel);
  const ns3::NetDeviceContainer devices = helper.Install(nodes_at(nodes_text));
  helper.AssociateToPan(devices, 1);

  Flows flows(flows_text, from, until);
  std::map<std::uint32_t, std::uint32_t> waiting;  // of each source
  std::set<std::uint64_t> seen;                    // frames that have arrived
  std::uint8_t handle = 0;
  const auto mac = [&](std::uint32_t node) {
    return ns3::DynamicCast<ns3::LrWpanNetDevice>(devices.Get(node))->GetMac();
  };
  const auto short_address = [&](std::uint32_t node) { return mac(node)->GetShortAddress(); };
  for (std::uint32_t node = 0; node < devices.GetN(); ++node) {
    mac(node)->SetMcpsDataConfirmCallback([&waiting, node](ns3::McpsDataConfirmParams) { --waiting[node]; });
    mac(node)->SetMcpsDataIndicationCallback(
        [&, node](ns3::McpsDataIndicationParams parameters, ns3::Ptr<ns3::Packet> packet) {
          for (std::uint32_t source = 0; source < devices.GetN(); ++source) {
            if (short_address(source) == parameters.m_srcAddr && seen.insert(packet->GetUid()).second) {
              flows.received(std::to_string(source) + '-' + std::to_string(node), node, *packet);
            }
          }
        });
  }
  flows.start([&](std::uint32_t source, std::uint32_t to, const ns3::Ptr<ns3::Packet>& packet) {
    if (waiting[source] >= queue) {
      return;
    }
    ++waiting[source];
    ns3::McpsDataRequestParams parameters;
    parameters.m_srcAddrMode = ns3::SHORT_ADDR;
    parameters.m_dstAddrMode = ns3::SHORT_ADDR;
    parameters.m_dstPanId = 1;
    parameters.m_dstAddr = short_address(to);
    parameters.m_msduHandle = handle++;
    parameters.m_txOptions = ns3::TX_OPTION_ACK;
    mac(source)->McpsDataRequest(parameters, packet);
  });
  ns3::Simulator::Stop(ns3::Seconds(until + 1));
  ns3::Simulator::Run();
  flows.print();
  ns3::Simulator::Destroy();
}
