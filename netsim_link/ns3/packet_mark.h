// SPDX-License-Identifier: GPL-2.0-only
// Which captured frame a packet inside ns-3 stands for. A byte tag, so that it stays with the bytes through
// aggregation, fragmentation, relays and routers.
#pragma once

#include <cstdint>

#include <ns3/packet.h>
#include <ns3/tag.h>

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

}  // namespace hilgate::ns3net
