// SPDX-License-Identifier: Apache-2.0
// Goodput by access category of EDCA in ns-3: ad hoc stations of 802.11a within 5 m of one another that send to a sink,
// 1000 bytes of UDP each, saturated. --stations: for each one the categories that it sends, e.g. "o,o,e,e" or "oiek"
// (o: voice, i: video, e: best effort, k: background). Prints Mbit/s of each category, of all stations together.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/wifi-module.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  std::string stations = "o,e";
  double mbps = 30;
  double seconds = 4;
  std::string mode = "OfdmRate54Mbps";
  std::uint32_t seed = 1;
  ns3::CommandLine command;
  command.AddValue("stations", "categories of each station", stations);
  command.AddValue("mbps", "offered by each category of each station", mbps);
  command.AddValue("seconds", "that are counted, after 1 s", seconds);
  command.AddValue("mode", "of frames", mode);
  command.AddValue("seed", "run number", seed);
  command.Parse(argc, argv);
  ns3::RngSeedManager::SetRun(seed);

  std::vector<std::string> senders;
  std::stringstream list(stations);
  for (std::string one; std::getline(list, one, ',');) {
    senders.push_back(one);
  }
  ns3::NodeContainer nodes;
  nodes.Create(senders.size() + 1);  // the last one is the sink
  ns3::YansWifiPhyHelper phy;
  ns3::YansWifiChannelHelper channel = ns3::YansWifiChannelHelper::Default();
  phy.SetChannel(channel.Create());
  ns3::WifiMacHelper mac;
  mac.SetType("ns3::AdhocWifiMac", "QosSupported", ns3::BooleanValue(true));
  ns3::WifiHelper wifi;
  wifi.SetStandard(ns3::WIFI_STANDARD_80211a);
  wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", ns3::StringValue(mode), "ControlMode",
                               ns3::StringValue("OfdmRate24Mbps"));
  ns3::NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
  ns3::MobilityHelper mobility;
  mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", ns3::DoubleValue(1), "DeltaY",
                                ns3::DoubleValue(1), "GridWidth", ns3::UintegerValue(3));
  mobility.Install(nodes);
  ns3::InternetStackHelper internet;
  internet.Install(nodes);
  ns3::Ipv4AddressHelper addresses;
  addresses.SetBase("10.0.0.0", "255.255.255.0");
  auto interfaces = addresses.Assign(devices);

  const std::map<char, std::uint8_t> tos{{'o', 0xC0}, {'i', 0x80}, {'e', 0x00}, {'k', 0x20}};
  std::map<char, std::uint64_t> bytes;
  std::vector<ns3::Ptr<ns3::Socket>> sockets;
  std::vector<std::unique_ptr<std::function<void()>>> loops;
  static constexpr std::uint32_t kPayload = 1000;
  const ns3::Time interval = ns3::Seconds(kPayload * 8 / (mbps * 1e6));
  const std::uint32_t sink = senders.size();
  for (const auto& [category, value] : tos) {
    auto socket = ns3::Socket::CreateSocket(nodes.Get(sink), ns3::UdpSocketFactory::GetTypeId());
    socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), category));
    const char name = category;
    socket->SetRecvCallback([&bytes, name](ns3::Ptr<ns3::Socket> from) {
      while (auto packet = from->Recv()) {
        bytes[name] += ns3::Simulator::Now() > ns3::Seconds(1) ? packet->GetSize() : 0;
      }
    });
    sockets.push_back(socket);
  }
  for (std::uint32_t i = 0; i < senders.size(); ++i) {
    for (const char category : senders[i]) {
      auto socket = ns3::Socket::CreateSocket(nodes.Get(i), ns3::UdpSocketFactory::GetTypeId());
      ns3::InetSocketAddress to(interfaces.GetAddress(sink), category);
      to.SetTos(tos.at(category));
      socket->SetIpTos(tos.at(category));
      socket->Connect(to);
      sockets.push_back(socket);
      loops.push_back(std::make_unique<std::function<void()>>());
      auto* loop = loops.back().get();
      *loop = [socket, interval, loop] {
        socket->Send(ns3::Create<ns3::Packet>(kPayload));
        ns3::Simulator::Schedule(interval, *loop);
      };
      ns3::Simulator::Schedule(ns3::Seconds(0.3 + 0.00013 * loops.size()), *loop);
    }
  }
  ns3::Simulator::Stop(ns3::Seconds(1 + seconds));
  ns3::Simulator::Run();
  for (const char category : {'o', 'i', 'e', 'k'}) {
    std::cout << category << ' ' << bytes[category] * 8 / seconds / 1e6 << ' ';
  }
  std::cout << '\n';
  ns3::Simulator::Destroy();
}
