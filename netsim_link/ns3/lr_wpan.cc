// SPDX-License-Identifier: GPL-2.0-only
// IEEE 802.15.4. Its frames hold 127 bytes, so that a longer one travels in pieces, as an adaptation layer below IP
// would cut it; a receiver needs all.
#include <algorithm>

#include <ns3/lr-wpan-helper.h>
#include <ns3/lr-wpan-mac.h>
#include <ns3/lr-wpan-net-device.h>
#include <ns3/lr-wpan-phy.h>
#include <ns3/propagation-delay-model.h>
#include <ns3/single-model-spectrum-channel.h>

#include "frame/headers.h"
#include "netsim_link/ns3/packet_mark.h"

namespace hilgate::ns3net {
namespace {

constexpr double kFrequency = 2.45e9;
constexpr std::uint16_t kPan = 0x4867;
constexpr std::uint32_t kPieceBytes = 102;  // 127 without header and FCS, and room for the piece's number
constexpr std::uint32_t kMostPieces = 31;

void lr_wpan_begin(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->trying(mark.packet(), sim_now()); });
}
void lr_wpan_end(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->sent(mark.packet(), sim_now()); });
}
void lr_wpan_heard(Fates* fates, RobotIndex robot, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->heard(mark.packet(), robot); });
}
void lr_wpan_mac_drop(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->given_up(mark.packet(), AirDrop::kNone, sim_now()); });
}

class LrWpan final : public DeviceFrames {
 public:
  /// The helper takes the channel with it when it goes.
  LrWpan(Fates& fates, std::vector<ns3::Ptr<ns3::NetDevice>> devices, std::unique_ptr<ns3::LrWpanHelper> helper)
      : DeviceFrames(fates, std::move(devices), 0), helper_(std::move(helper)) {}

  [[nodiscard]] std::uint32_t pieces(const CapturedPacket& packet) const override {
    return std::clamp((bytes_of(packet) + kPieceBytes - 1) / kPieceBytes, 1U, kMostPieces);
  }
  void send(const CapturedPacket& packet) override {
    const std::uint32_t bytes = bytes_of(packet);
    if (bytes > kMostPieces * kPieceBytes) {
      return refuse(packet);
    }
    for (std::uint32_t piece = 0; piece < pieces(packet); ++piece) {
      if (!send_piece(packet, std::min(kPieceBytes, bytes - piece * kPieceBytes), piece)) {
        return refuse(packet);
      }
    }
  }

 private:
  static std::uint32_t bytes_of(const CapturedPacket& packet) {
    return std::max(packet.length, kEthernetHeader + 1) - kEthernetHeader;
  }

  std::unique_ptr<ns3::LrWpanHelper> helper_;
};

}  // namespace

std::unique_ptr<Network> make_lr_wpan(const Ground& ground) {
  auto channel = ns3::CreateObject<ns3::SingleModelSpectrumChannel>();
  channel->AddPropagationLossModel(make_loss(ground, kFrequency));
  channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
  key_being_built() = "network";
  auto helper = std::make_unique<ns3::LrWpanHelper>();
  helper->SetChannel(channel);
  const ns3::NetDeviceContainer devices = helper->Install(ground.robots);
  helper->AssociateToPan(devices, kPan);
  std::vector<ns3::Ptr<ns3::NetDevice>> robots;
  for (std::uint32_t i = 0; i < devices.GetN(); ++i) {
    const auto device = ns3::DynamicCast<ns3::LrWpanNetDevice>(devices.Get(i));
    device->GetPhy()->TraceConnectWithoutContext("PhyTxBegin", ns3::MakeBoundCallback(&lr_wpan_begin, &ground.fates));
    device->GetPhy()->TraceConnectWithoutContext("PhyTxEnd", ns3::MakeBoundCallback(&lr_wpan_end, &ground.fates));
    device->GetPhy()->TraceConnectWithoutContext("PhyRxBegin",
                                                 ns3::MakeBoundCallback(&lr_wpan_heard, &ground.fates, RobotIndex{i}));
    device->GetMac()->TraceConnectWithoutContext("MacTxDrop", ns3::MakeBoundCallback(&lr_wpan_mac_drop, &ground.fates));
    robots.push_back(device);
  }
  return std::make_unique<LrWpan>(ground.fates, std::move(robots), std::move(helper));
}

}  // namespace hilgate::ns3net
