// SPDX-License-Identifier: Apache-2.0
// One LTE cell of 20 MHz in band 3 in ns-3, base station and terminal: flows from node 0, a host at the core network,
// to node 1, the terminal, and back. Prints what Flows prints. Losses are those of 3GPP TR 38.901, urban macro cells in
// sight.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/lte-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/propagation-module.h>

#include <array>
#include <string>

#include "flows.h"

int main(int argc, char** argv) {
  double distance = 500;
  double dbm = 23;
  std::string scheduler = "ns3::RrFfMacScheduler";
  std::string flows_text = "0-1:0.00018:1500";
  double from = 0.5;
  double until = 1.5;
  std::uint32_t seed = 1;
  ns3::CommandLine command;
  command.AddValue("distance", "m, of the terminal from the mast", distance);
  command.AddValue("dbm", "power of both", dbm);
  command.AddValue("scheduler", "of the base station", scheduler);
  command.AddValue("flows", "0-1 and 1-0: 0-1:interval:bytes[:start],...", flows_text);
  command.AddValue("from", "s, of what is counted", from);
  command.AddValue("until", "s", until);
  command.AddValue("seed", "run number", seed);
  command.Parse(argc, argv);
  ns3::RngSeedManager::SetRun(seed);
  constexpr std::uint32_t kQueueBytes = 200 * 1500;
  ns3::Config::SetDefault("ns3::LteEnbRrc::EpsBearerToRlcMapping", ns3::StringValue("RlcUmAlways"));
  ns3::Config::SetDefault("ns3::LteRlcUm::MaxTxBufferSize", ns3::UintegerValue(kQueueBytes));
  ns3::Config::SetDefault("ns3::LteEnbPhy::TxPower", ns3::DoubleValue(dbm));
  ns3::Config::SetDefault("ns3::LteUePhy::TxPower", ns3::DoubleValue(dbm));
  ns3::Config::SetDefault("ns3::LteEnbPhy::NoiseFigure", ns3::DoubleValue(9));
  ns3::Config::SetDefault("ns3::LteUePhy::NoiseFigure", ns3::DoubleValue(9));
  ns3::Config::SetDefault("ns3::LteUePhy::EnableUplinkPowerControl", ns3::BooleanValue(false));
  ns3::Config::SetDefault("ns3::LteHelper::UseIdealRrc", ns3::BooleanValue(true));

  auto helper = ns3::CreateObject<ns3::LteHelper>();
  auto core = ns3::CreateObject<ns3::PointToPointEpcHelper>();
  helper->SetEpcHelper(core);
  helper->SetSchedulerType(scheduler);
  helper->SetEnbDeviceAttribute("DlBandwidth", ns3::UintegerValue(100));
  helper->SetEnbDeviceAttribute("UlBandwidth", ns3::UintegerValue(100));
  helper->SetEnbDeviceAttribute("DlEarfcn", ns3::UintegerValue(1575));   // 1842.5 MHz
  helper->SetEnbDeviceAttribute("UlEarfcn", ns3::UintegerValue(19575));  // 1747.5 MHz
  helper->SetUeDeviceAttribute("DlEarfcn", ns3::UintegerValue(1575));
  helper->SetPathlossModelType(ns3::ThreeGppUmaPropagationLossModel::GetTypeId());
  helper->SetPathlossModelAttribute("ShadowingEnabled", ns3::BooleanValue(false));
  helper->SetPathlossModelAttribute("ChannelConditionModel",
                                    ns3::PointerValue(ns3::CreateObject<ns3::AlwaysLosChannelConditionModel>()));
  const ns3::NodeContainer radios = nodes_at("0,0,25;" + std::to_string(distance) + ",0,1.5");
  const ns3::NetDeviceContainer station = helper->InstallEnbDevice(ns3::NodeContainer(radios.Get(0)));
  const ns3::NodeContainer terminal(radios.Get(1));
  const ns3::NetDeviceContainer terminal_device = helper->InstallUeDevice(terminal);

  const ns3::NodeContainer host = nodes_at("0,0,0");
  ns3::InternetStackHelper internet;
  internet.Install(host);
  internet.Install(terminal);
  ns3::PointToPointHelper cable;
  cable.SetDeviceAttribute("DataRate", ns3::StringValue("100Gb/s"));
  ns3::Ipv4AddressHelper addresses("1.0.0.0", "255.0.0.0");
  const auto host_interfaces = addresses.Assign(cable.Install(core->GetPgwNode(), host.Get(0)));
  const auto terminal_interfaces = core->AssignUeIpv4Address(terminal_device);
  ns3::Ipv4StaticRoutingHelper routing;
  routing.GetStaticRouting(host.Get(0)->GetObject<ns3::Ipv4>())
      ->AddNetworkRouteTo(ns3::Ipv4Address("7.0.0.0"), ns3::Ipv4Mask("255.0.0.0"), 1);
  routing.GetStaticRouting(terminal.Get(0)->GetObject<ns3::Ipv4>())
      ->SetDefaultRoute(core->GetUeDefaultGatewayAddress(), 1);
  helper->Attach(terminal_device.Get(0), station.Get(0));

  constexpr std::uint16_t kPort = 9;
  constexpr std::uint32_t kHeaders = 28;  // of IP and UDP
  Flows flows(flows_text, from, until);
  const std::array<ns3::Ptr<ns3::Node>, 2> nodes{host.Get(0), terminal.Get(0)};
  const std::array<ns3::Ipv4Address, 2> ips{host_interfaces.GetAddress(1), terminal_interfaces.GetAddress(0)};
  std::array<ns3::Ptr<ns3::Socket>, 2> sockets;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    sockets[i] = ns3::Socket::CreateSocket(nodes[i], ns3::UdpSocketFactory::GetTypeId());
    sockets[i]->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    sockets[i]->SetRecvCallback([&flows, i](ns3::Ptr<ns3::Socket> socket) {
      while (auto packet = socket->Recv()) {
        flows.received(i == 0 ? "1-0" : "0-1", i, *packet);
      }
    });
  }
  flows.start([&](std::uint32_t source, std::uint32_t to, const ns3::Ptr<ns3::Packet>& packet) {
    packet->RemoveAtEnd(kHeaders);
    sockets[source]->SendTo(packet, 0, ns3::InetSocketAddress(ips[to], kPort));
  });
  ns3::Simulator::Stop(ns3::Seconds(until + 1));
  ns3::Simulator::Run();
  flows.print();
  ns3::Simulator::Destroy();
}
