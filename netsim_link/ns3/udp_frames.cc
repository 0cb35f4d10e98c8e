// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/udp_frames.h"

#include <algorithm>

#include <ns3/aodv-helper.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/olsr-helper.h>
#include <ns3/udp-socket-factory.h>

#include "netsim_link/ns3/packet_mark.h"
#include "netsim_link/ns3/parts.h"

namespace hilgate::ns3net {
namespace {

constexpr std::uint16_t kPort = 4867;
constexpr std::uint32_t kHeaders = 14 + 20 + 8;  // Ethernet, IPv4 and UDP, which ns-3's layers add again

void on_readable(Fates* fates, RobotIndex robot, ns3::Ptr<ns3::Socket> socket) {
  while (const auto packet = socket->Recv()) {
    for_each_mark(*packet, [&](const PacketMark& mark) { fates->received(mark.packet(), robot, 0, sim_now()); });
  }
}

// Routing that knows no way, a time to live that ran out.
void on_ip_drop(Fates* fates, const ns3::Ipv4Header& /*header*/, ns3::Ptr<const ns3::Packet> packet,
                ns3::Ipv4L3Protocol::DropReason /*reason*/, ns3::Ptr<ns3::Ipv4> /*ip*/, std::uint32_t /*interface*/) {
  for_each_mark(*packet,
                [&](const PacketMark& mark) { fates->given_up(mark.packet(), AirDrop::kOutOfRange, sim_now()); });
}

}  // namespace

UdpFrames::UdpFrames(const Ground& ground, std::vector<ns3::Ipv4Address> addresses, ns3::Ipv4Address broadcast,
                     Groups groups)
    : fates_(ground.fates), addresses_(std::move(addresses)), broadcast_(broadcast), groups_(groups) {
  for (std::uint32_t i = 0; i < ground.robots.GetN(); ++i) {
    const auto node = ground.robots.Get(i);
    auto socket = ns3::Socket::CreateSocket(node, ns3::UdpSocketFactory::GetTypeId());
    socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    socket->SetAllowBroadcast(true);
    socket->SetRecvCallback(ns3::MakeBoundCallback(&on_readable, &fates_, RobotIndex{i}));
    node->GetObject<ns3::Ipv4L3Protocol>()->TraceConnectWithoutContext("Drop",
                                                                       ns3::MakeBoundCallback(&on_ip_drop, &fates_));
    sockets_.push_back(socket);
  }
}

UdpFrames::~UdpFrames() {
  for (const auto& socket : sockets_) {
    socket->SetRecvCallback(ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>>());
    socket->Close();
  }
}

void UdpFrames::send(const CapturedPacket& packet) {
  if (packet.receiver) {
    return send_to(packet, addresses_[packet.receiver->value()]);
  }
  if (groups_ == Groups::kBroadcast) {
    return send_to(packet, broadcast_);
  }
  for (std::uint32_t i = 0; i < addresses_.size(); ++i) {
    if (RobotIndex{i} != packet.sender) {
      send_to(packet, addresses_[i]);
    }
  }
}

void UdpFrames::send_to(const CapturedPacket& packet, ns3::Ipv4Address to) {
  const auto& socket = sockets_[packet.sender.value()];
  socket->SetIpTos(packet.traffic_class);
  const std::uint32_t bytes = std::max(packet.length, kHeaders + 1) - kHeaders;
  if (socket->SendTo(marked_packet(packet, bytes), 0, ns3::InetSocketAddress(to, kPort)) < 0) {
    fates_.given_up(packet.id, AirDrop::kOutOfRange, sim_now());
  }
}

std::unique_ptr<Network> make_network_over(const Ground& ground, std::vector<ns3::Ptr<ns3::NetDevice>> devices) {
  if (ground.scenario.routing == Routing::kNone) {
    return std::make_unique<DeviceFrames>(ground.fates, std::move(devices), kFrameType);
  }
  key_being_built() = "network.routing";
  ns3::InternetStackHelper stack;
  if (ground.scenario.routing == Routing::kOlsr) {
    stack.SetRoutingHelper(ns3::OlsrHelper());
  } else {
    stack.SetRoutingHelper(ns3::AodvHelper());
  }
  stack.Install(ground.robots);
  ns3::NetDeviceContainer all;
  for (const auto& device : devices) {
    all.Add(device);
  }
  ns3::Ipv4AddressHelper numbers("10.0.0.0", "255.255.0.0");
  const ns3::Ipv4InterfaceContainer interfaces = numbers.Assign(all);
  std::vector<ns3::Ipv4Address> addresses;
  for (std::uint32_t i = 0; i < interfaces.GetN(); ++i) {
    addresses.push_back(interfaces.GetAddress(i));
  }
  return std::make_unique<UdpFrames>(ground, std::move(addresses), ns3::Ipv4Address::GetBroadcast(),
                                     UdpFrames::Groups::kBroadcast);
}

}  // namespace hilgate::ns3net
