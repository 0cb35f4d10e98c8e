// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/packet_mark.h"

#include <ns3/node.h>
#include <ns3/socket.h>

#include <algorithm>

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

namespace {

constexpr std::uint32_t kEthernetHeader = 14;  // the devices have headers of their own
constexpr unsigned kPrecedence = 5;  // the upper three bits of a traffic class are the user priority (RFC 8325, 2.3)

void on_receive(Fates* fates, RobotIndex robot, ns3::Ptr<ns3::NetDevice> /*device*/, ns3::Ptr<const ns3::Packet> packet,
                std::uint16_t /*type*/, const ns3::Address& /*from*/, const ns3::Address& /*to*/,
                ns3::NetDevice::PacketType /*what*/) {
  for_each_mark(*packet,
                [&](const PacketMark& mark) { fates->received(mark.packet(), robot, mark.piece(), sim_now()); });
}

}  // namespace

ns3::Ptr<ns3::Packet> marked_packet(const CapturedPacket& packet, std::uint32_t bytes, std::uint32_t piece) {
  auto made = ns3::Create<ns3::Packet>(bytes);
  made->AddByteTag(PacketMark(packet.id, piece));
  ns3::SocketPriorityTag priority;
  priority.SetPriority(static_cast<std::uint8_t>(packet.traffic_class >> kPrecedence));
  made->AddPacketTag(priority);
  return made;
}

DeviceFrames::DeviceFrames(Fates& fates, std::vector<ns3::Ptr<ns3::NetDevice>> devices, std::uint16_t frame_type)
    : fates_(fates), devices_(std::move(devices)) {
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    devices_[i]->GetNode()->RegisterProtocolHandler(ns3::MakeBoundCallback(&on_receive, &fates_, RobotIndex{i}),
                                                    frame_type, devices_[i]);
  }
}

void DeviceFrames::send(const CapturedPacket& packet) {
  if (!send_piece(packet, std::max(packet.length, kEthernetHeader + 1) - kEthernetHeader, 0)) {
    refuse(packet);
  }
}

bool DeviceFrames::send_piece(const CapturedPacket& packet, std::uint32_t bytes, std::uint32_t piece) {
  const auto& device = devices_[packet.sender.value()];
  const ns3::Address to = packet.receiver ? devices_[packet.receiver->value()]->GetAddress() : device->GetBroadcast();
  return device->Send(marked_packet(packet, bytes, piece), to, kFrameType);
}

void DeviceFrames::refuse(const CapturedPacket& packet) {
  fates_.given_up(packet.id, AirDrop::kQueueFull, sim_now());
}

}  // namespace hilgate::ns3net
