// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/packet_mark.h"

namespace hilgate::ns3net {

// ns-3 finds the constructor of a tag by its type.
NS_OBJECT_ENSURE_REGISTERED(PacketMark);

ns3::TypeId PacketMark::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("hilgate::PacketMark").SetParent<ns3::Tag>().AddConstructor<PacketMark>();
  return id;
}

void PacketMark::Serialize(ns3::TagBuffer buffer) const {
  buffer.WriteU64(packet_);
  buffer.WriteU32(piece_);
}

void PacketMark::Deserialize(ns3::TagBuffer buffer) {
  packet_ = buffer.ReadU64();
  piece_ = buffer.ReadU32();
}

void PacketMark::Print(std::ostream& out) const {
  out << "frame " << packet_ << " piece " << piece_;
}

}  // namespace hilgate::ns3net
