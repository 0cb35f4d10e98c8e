// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include <ns3/net-device.h>

#include "netsim_link/ns3/network.h"

namespace hilgate::ns3net {

/// A packet that stands for `bytes` bytes of the frame, marked, with the priority of its traffic class.
ns3::Ptr<ns3::Packet> marked_packet(const CapturedPacket& packet, std::uint32_t bytes, std::uint32_t piece = 0);

/// What the robots' frames travel under.
inline constexpr std::uint16_t kFrameType = 0x88B5;  // IEEE 802: for local experiments

/// Frames straight between devices, one for each robot: as the robots' own kernels would send them.
class DeviceFrames : public Network {
 public:
  /// `frame_type` as the devices deliver it; 0: any.
  DeviceFrames(Fates& fates, std::vector<ns3::Ptr<ns3::NetDevice>> devices, std::uint16_t frame_type);

  void send(const CapturedPacket& packet) override;

 protected:
  /// False when the device refuses at once.
  bool send_piece(const CapturedPacket& packet, std::uint32_t bytes, std::uint32_t piece);
  void refuse(const CapturedPacket& packet);

 private:
  Fates& fates_;
  std::vector<ns3::Ptr<ns3::NetDevice>> devices_;
};

}  // namespace hilgate::ns3net
