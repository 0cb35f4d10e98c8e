// SPDX-License-Identifier: GPL-2.0-only
// Which captured frame a packet inside ns-3 stands for. A byte tag, so that it stays with the bytes through
// aggregation, fragmentation, relays and routers.
#pragma once

#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/tag.h>

#include <cstdint>
#include <vector>

#include "netsim_link/ns3/network.h"

namespace hilgate::ns3net {

class PacketMark final : public ns3::Tag {
 public:
  PacketMark() = default;
  PacketMark(std::uint64_t packet, std::uint32_t piece) : packet_(packet), piece_(piece) {}
  static ns3::TypeId GetTypeId();
  [[nodiscard]] ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }

  [[nodiscard]] std::uint32_t GetSerializedSize() const override { return 12; }
  void Serialize(ns3::TagBuffer buffer) const override;
  void Deserialize(ns3::TagBuffer buffer) override;
  void Print(std::ostream& out) const override;

  [[nodiscard]] std::uint64_t packet() const { return packet_; }
  [[nodiscard]] std::uint32_t piece() const { return piece_; }

 private:
  std::uint64_t packet_ = 0;
  std::uint32_t piece_ = 0;
};

/// Hands each mark on `packet` to each(const PacketMark&): none on ns-3's own packets, several on aggregates.
template <class Each>
void for_each_mark(const ns3::Packet& packet, Each each) {
  static const ns3::TypeId kType = PacketMark::GetTypeId();
  ns3::ByteTagIterator tags = packet.GetByteTagIterator();
  while (tags.HasNext()) {
    const ns3::ByteTagIterator::Item item = tags.Next();
    if (item.GetTypeId() == kType) {
      PacketMark mark;
      item.GetTag(mark);
      each(mark);
    }
  }
}

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
