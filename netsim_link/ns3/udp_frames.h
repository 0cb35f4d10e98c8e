// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include <ns3/ipv4-address.h>
#include <ns3/socket.h>

#include "netsim_link/ns3/network.h"

namespace hilgate::ns3net {

/// Frames as UDP datagrams between the robots' nodes, for networks whose way from one to the other is IP's to find:
/// they are as long as the captured frame's IP packet. Addresses are ns-3's own, not the robots'.
class UdpFrames final : public Network {
 public:
  /// What becomes of frames for a group: one broadcast that goes one hop, or a copy for each robot.
  enum class Groups : std::uint8_t { kBroadcast, kCopies };

  UdpFrames(const Ground& ground, std::vector<ns3::Ipv4Address> addresses, ns3::Ipv4Address broadcast, Groups groups);
  ~UdpFrames() override;

  void send(const CapturedPacket& packet) override;

 private:
  void send_to(const CapturedPacket& packet, ns3::Ipv4Address to);

  Fates& fates_;
  std::vector<ns3::Ipv4Address> addresses_;
  ns3::Ipv4Address broadcast_;
  Groups groups_;
  std::vector<ns3::Ptr<ns3::Socket>> sockets_;
};

/// Frames over the devices, one for each robot: straight, or by the scenario's routing.
std::unique_ptr<Network> make_network_over(const Ground& ground, std::vector<ns3::Ptr<ns3::NetDevice>> devices);

}  // namespace hilgate::ns3net
