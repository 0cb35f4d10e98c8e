// SPDX-License-Identifier: Apache-2.0
// Goodput of a UDP flow over a line of stations of IEEE 802.11s in ns-3: for each half second that carried some,
// Mbit/s. reference.py prints the medians that ../air_rows.py has.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mesh-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/wifi-module.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  std::uint32_t hops = 1;
  double spacing = 100;
  std::uint32_t payload = 1472;
  double mbps = 40;
  double seconds = 10;
  std::uint32_t seed = 1;
  std::string mode = "ideal";
  ns3::CommandLine command;
  command.AddValue("hops", "links of the line", hops);
  command.AddValue("spacing", "m between stations", spacing);
  command.AddValue("payload", "bytes of UDP", payload);
  command.AddValue("mbps", "offered, Mbit/s of payload", mbps);
  command.AddValue("seconds", "that are counted, after 8 s", seconds);
  command.AddValue("seed", "run number", seed);
  command.AddValue("mode", "ideal, or a mode such as OfdmRate6Mbps", mode);
  command.Parse(argc, argv);
  ns3::RngSeedManager::SetRun(seed);

  ns3::NodeContainer nodes;
  nodes.Create(hops + 1);
  ns3::YansWifiPhyHelper phy;
  ns3::YansWifiChannelHelper channel;
  channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
  channel.AddPropagationLoss("ns3::FriisPropagationLossModel", "Frequency", ns3::DoubleValue(5.18e9));
  phy.SetChannel(channel.Create());
  ns3::MeshHelper mesh = ns3::MeshHelper::Default();
  mesh.SetStackInstaller("ns3::Dot11sStack");
  mesh.SetSpreadInterfaceChannels(ns3::MeshHelper::ZERO_CHANNEL);
  mesh.SetStandard(ns3::WIFI_STANDARD_80211a);
  mesh.SetMacType("RandomStart", ns3::TimeValue(ns3::Seconds(0.1)), "BeaconInterval", ns3::TimeValue(ns3::Seconds(2)));
  if (mode == "ideal") {
    mesh.SetRemoteStationManager("ns3::IdealWifiManager");
  } else {
    mesh.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", ns3::StringValue(mode));
  }
  ns3::NetDeviceContainer devices = mesh.Install(phy, nodes);

  ns3::MobilityHelper mobility;
  auto positions = ns3::CreateObject<ns3::ListPositionAllocator>();
  for (std::uint32_t i = 0; i <= hops; ++i) {
    positions->Add(ns3::Vector(spacing * i, 0, 10));
  }
  mobility.SetPositionAllocator(positions);
  mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
  mobility.Install(nodes);

  ns3::InternetStackHelper internet;
  internet.Install(nodes);
  ns3::Ipv4AddressHelper addresses;
  addresses.SetBase("10.0.0.0", "255.255.255.0");
  auto interfaces = addresses.Assign(devices);

  constexpr std::uint16_t kPort = 9;
  auto sink = ns3::Socket::CreateSocket(nodes.Get(hops), ns3::UdpSocketFactory::GetTypeId());
  sink->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
  std::uint64_t bytes = 0;
  sink->SetRecvCallback([&](ns3::Ptr<ns3::Socket> socket) {
    while (auto packet = socket->Recv()) {
      bytes += packet->GetSize();
    }
  });
  auto source = ns3::Socket::CreateSocket(nodes.Get(0), ns3::UdpSocketFactory::GetTypeId());
  source->Connect(ns3::InetSocketAddress(interfaces.GetAddress(hops), kPort));
  const ns3::Time interval = ns3::Seconds(payload * 8 / (mbps * 1e6));
  std::function<void()> send = [&] {
    source->Send(ns3::Create<ns3::Packet>(payload));
    ns3::Simulator::Schedule(interval, send);
  };
  ns3::Simulator::Schedule(ns3::Seconds(6), send);
  std::function<void()> print = [&] {
    constexpr double kSpan = 0.5;
    if (bytes > 0 && ns3::Simulator::Now() > ns3::Seconds(8)) {
      std::cout << bytes * 8 / kSpan / 1e6 << std::endl;
    }
    bytes = 0;
    ns3::Simulator::Schedule(ns3::Seconds(kSpan), print);
  };
  ns3::Simulator::Schedule(ns3::Seconds(8), print);
  ns3::Simulator::Stop(ns3::Seconds(8 + seconds));
  ns3::Simulator::Run();
  ns3::Simulator::Destroy();
}
