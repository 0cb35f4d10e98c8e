// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/wifi_reports.h"

#include <ns3/qos-utils.h>
#include <ns3/socket.h>
#include <ns3/wifi-mac-queue.h>
#include <ns3/wifi-mac.h>
#include <ns3/wifi-mpdu.h>
#include <ns3/wifi-phy-state-helper.h>
#include <ns3/wifi-phy.h>

#include "netsim_link/ns3/network.h"
#include "netsim_link/ns3/packet_mark.h"

namespace hilgate::ns3net {
namespace {

AirDrop cause_of(ns3::WifiPhyRxfailureReason reason) {
  switch (reason) {
    case ns3::PREAMBLE_DETECT_FAILURE:
      return AirDrop::kOutOfRange;
    case ns3::L_SIG_FAILURE:
    case ns3::HT_SIG_FAILURE:
    case ns3::SIG_A_FAILURE:
    case ns3::SIG_B_FAILURE:
      return AirDrop::kBitErrors;
    case ns3::RXING:
    case ns3::TXING:
    case ns3::BUSY_DECODING_PREAMBLE:
    case ns3::RECEPTION_ABORTED_BY_TX:
    case ns3::PREAMBLE_DETECTION_PACKET_SWITCH:
    case ns3::FRAME_CAPTURE_PACKET_SWITCH:
      return AirDrop::kCollision;
    default:
      return AirDrop::kOther;
  }
}

void on_tx_begin(Fates* fates, ns3::Ptr<const ns3::Packet> packet, double /*watts*/) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->trying(mark.packet(), sim_now()); });
}

void on_tx_end(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->sent(mark.packet(), sim_now()); });
}

void on_rx_begin(Fates* fates, RobotIndex robot, ns3::Ptr<const ns3::Packet> packet,
                 ns3::RxPowerWattPerChannelBand /*powers*/) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->heard(mark.packet(), robot); });
}

void on_rx_drop(Fates* fates, RobotIndex robot, ns3::Ptr<const ns3::Packet> packet,
                ns3::WifiPhyRxfailureReason reason) {
  for_each_mark(*packet, [&](const PacketMark& mark) { fates->hindered(mark.packet(), robot, cause_of(reason)); });
}

void on_mac_drop(Fates* fates, ns3::WifiMacDropReason reason, ns3::Ptr<const ns3::WifiMpdu> mpdu) {
  const bool queue = reason == ns3::WIFI_MAC_DROP_FAILED_ENQUEUE || reason == ns3::WIFI_MAC_DROP_EXPIRED_LIFETIME;
  for_each_mark(*mpdu->GetPacket(), [&](const PacketMark& mark) {
    fates->given_up(mark.packet(), queue ? AirDrop::kQueueFull : AirDrop::kNone, sim_now());
  });
}

// A frame comes to the MAC. ns-3.37 drops the newest of a full queue without a word, so we look ourselves.
void on_mac_tx(Fates* fates, const ns3::WifiMac* mac, ns3::Ptr<const ns3::Packet> packet) {
  ns3::AcIndex category = ns3::AC_BE_NQOS;
  if (mac->GetQosSupported()) {
    ns3::SocketPriorityTag priority;
    packet->PeekPacketTag(priority);
    category = ns3::QosUtilsMapTidToAc(priority.GetPriority());
  }
  const auto queue = mac->GetTxopQueue(category);
  if (queue != nullptr && queue->GetNPackets() >= queue->GetMaxSize().GetValue()) {
    for_each_mark(*packet,
                  [&](const PacketMark& mark) { fates->given_up(mark.packet(), AirDrop::kQueueFull, sim_now()); });
  }
}

// A station without an access point.
void on_tx_drop(Fates* fates, ns3::Ptr<const ns3::Packet> packet) {
  for_each_mark(*packet,
                [&](const PacketMark& mark) { fates->given_up(mark.packet(), AirDrop::kOutOfRange, sim_now()); });
}

}  // namespace

void report_wifi(ns3::Ptr<ns3::WifiNetDevice> device, Fates& fates, std::optional<RobotIndex> robot) {
  const auto phy = device->GetPhy();
  phy->TraceConnectWithoutContext("PhyTxBegin", ns3::MakeBoundCallback(&on_tx_begin, &fates));
  phy->TraceConnectWithoutContext("PhyTxEnd", ns3::MakeBoundCallback(&on_tx_end, &fates));
  if (robot) {
    phy->TraceConnectWithoutContext("PhyRxBegin", ns3::MakeBoundCallback(&on_rx_begin, &fates, *robot));
    phy->TraceConnectWithoutContext("PhyRxDrop", ns3::MakeBoundCallback(&on_rx_drop, &fates, *robot));
  }
  device->GetMac()->TraceConnectWithoutContext("DroppedMpdu", ns3::MakeBoundCallback(&on_mac_drop, &fates));
  const ns3::WifiMac* mac = ns3::PeekPointer(device->GetMac());
  device->GetMac()->TraceConnectWithoutContext("MacTx", ns3::MakeBoundCallback(&on_mac_tx, &fates, mac));
  device->GetMac()->TraceConnectWithoutContext("MacTxDrop", ns3::MakeBoundCallback(&on_tx_drop, &fates));
}

}  // namespace hilgate::ns3net
