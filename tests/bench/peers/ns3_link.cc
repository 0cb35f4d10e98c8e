// SPDX-License-Identifier: GPL-2.0-only
// ns-3 between two interfaces: real frames go in at the one and come out at the other, and on their way is a channel
// with a delay, in ns-3's real-time simulator. side_by_side.py runs it.
//
// FdNetDevice and not TapBridge: in each of its modes TapBridge starts ns3-tap-creator from the folder in which ns-3
// was built, and Debian's packages do not have that program. Both read in a thread of their own and bridge to a device
// of ns-3.

// Before <linux/if_packet.h>, whose macros have names of ns-3's.
#include "ns3/bridge-helper.h"
#include "ns3/fd-net-device.h"
#include "ns3/global-value.h"
#include "ns3/mac48-address.h"
#include "ns3/node-container.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace {

// As ns-3's own EmuFdNetDeviceHelper opens it.
int open_interface(const char* name) {
  const int made = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(::if_nametoindex(name));
  packet_mreq promiscuous{};
  promiscuous.mr_ifindex = address.sll_ifindex;
  promiscuous.mr_type = PACKET_MR_PROMISC;
  const int on = 1;
  if (address.sll_ifindex == 0 || ::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::setsockopt(made, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous) != 0 ||
      ::setsockopt(made, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0) {
    std::cerr << "ns3_link: interface '" << name << "': " << std::strerror(errno) << "\n";
    std::exit(1);
  }
  return made;
}

// A node that has the interface bridged to the channel.
void plug_in(const ns3::Ptr<ns3::Node>& node, const char* interface, const ns3::Ptr<ns3::SimpleChannel>& channel) {
  const auto outside = ns3::CreateObject<ns3::FdNetDevice>();
  outside->SetAddress(ns3::Mac48Address::Allocate());
  outside->SetFileDescriptor(open_interface(interface));
  node->AddDevice(outside);
  const auto inside = ns3::CreateObject<ns3::SimpleNetDevice>();
  inside->SetAddress(ns3::Mac48Address::Allocate());
  node->AddDevice(inside);
  inside->SetChannel(channel);
  ns3::NetDeviceContainer ports(outside);
  ports.Add(inside);
  ns3::BridgeHelper().Install(node, ports);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: ns3_link INTERFACE INTERFACE MICROSECONDS\n";
    return 2;
  }
  ns3::GlobalValue::Bind("SimulatorImplementationType", ns3::StringValue("ns3::RealtimeSimulatorImpl"));
  const auto channel = ns3::CreateObject<ns3::SimpleChannel>();
  channel->SetAttribute("Delay", ns3::TimeValue(ns3::MicroSeconds(std::strtoull(argv[3], nullptr, 10))));
  ns3::NodeContainer nodes(2);
  plug_in(nodes.Get(0), argv[1], channel);
  plug_in(nodes.Get(1), argv[2], channel);
  ns3::Simulator::Schedule(ns3::MilliSeconds(1), [] { std::cout << "running" << std::endl; });
  ns3::Simulator::Run();  // until it is killed
  return 0;
}
