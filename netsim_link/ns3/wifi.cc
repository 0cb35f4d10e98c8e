// SPDX-License-Identifier: GPL-2.0-only
// IEEE 802.11 between robots: ad hoc, or by way of access points that a cable joins and between which stations move.

#include <fmt/format.h>
#include <ns3/boolean.h>
#include <ns3/bridge-helper.h>
#include <ns3/config.h>
#include <ns3/csma-helper.h>
#include <ns3/double.h>
#include <ns3/nist-error-rate-model.h>
#include <ns3/propagation-delay-model.h>
#include <ns3/qos-utils.h>
#include <ns3/queue-size.h>
#include <ns3/socket.h>
#include <ns3/ssid.h>
#include <ns3/string.h>
#include <ns3/table-based-error-rate-model.h>
#include <ns3/uinteger.h>
#include <ns3/wifi-mac-queue.h>
#include <ns3/wifi-mac.h>
#include <ns3/wifi-mpdu.h>
#include <ns3/wifi-net-device.h>
#include <ns3/wifi-phy-state-helper.h>
#include <ns3/wifi-phy.h>
#include <ns3/yans-error-rate-model.h>
#include <ns3/yans-wifi-helper.h>

#include <array>
#include <optional>

#include "config/plain_text.h"
#include "netsim_link/ns3/fates.h"
#include "netsim_link/ns3/network.h"
#include "netsim_link/ns3/packet_mark.h"
#include "netsim_link/ns3/parts.h"
#include "netsim_link/ns3/udp_frames.h"

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

// What a Wi-Fi device's layers report becomes known to `fates`, which must outlive the simulation. `robot` is empty
// for access points, whose receptions are no robot's.
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

struct Standard {
  ns3::WifiStandard standard;
  bool qos;  // 802.11e, and with it aggregation
};

const std::map<std::string, Standard> kStandards = {
    {"802.11a", {ns3::WIFI_STANDARD_80211a, false}}, {"802.11b", {ns3::WIFI_STANDARD_80211b, false}},
    {"802.11g", {ns3::WIFI_STANDARD_80211g, false}}, {"802.11p", {ns3::WIFI_STANDARD_80211p, false}},
    {"802.11n", {ns3::WIFI_STANDARD_80211n, true}},  {"802.11ac", {ns3::WIFI_STANDARD_80211ac, true}},
    {"802.11ax", {ns3::WIFI_STANDARD_80211ax, true}}};

struct Band {
  std::string ns3;
  double hz;            // somewhere in it, for losses by distance
  std::string control;  // a rate that all its stations decode
};

const std::map<std::string, Band> kBands = {{"2.4GHz", {"BAND_2_4GHZ", 2.412e9, "ErpOfdmRate6Mbps"}},
                                            {"5GHz", {"BAND_5GHZ", 5.18e9, "OfdmRate6Mbps"}},
                                            {"6GHz", {"BAND_6GHZ", 5.955e9, "OfdmRate6Mbps"}}};

const ShortNames kRateControls = {{"ideal", "ns3::IdealWifiManager"},
                                  {"minstrel", "ns3::MinstrelHtWifiManager"},
                                  {"constant", "ns3::ConstantRateWifiManager"},
                                  {"arf", "ns3::ArfWifiManager"},
                                  {"aarf", "ns3::AarfWifiManager"},
                                  {"onoe", "ns3::OnoeWifiManager"},
                                  {"minstrel_legacy", "ns3::MinstrelWifiManager"}};

const ShortNames kErrorModels = {{"table", "ns3::TableBasedErrorRateModel"},
                                 {"nist", "ns3::NistErrorRateModel"},
                                 {"yans", "ns3::YansErrorRateModel"}};

template <class Map>
const auto& known(const Scenario& scenario, const char* key, const std::string& name, const Map& map) {
  const auto found = map.find(name);
  if (found == map.end()) {
    std::string all;
    for (const auto& [each, value] : map) {
      all += (all.empty() ? "" : ", ") + each;
    }
    throw ScenarioError(fmt::format("{}: {}: unknown value '{}'; {}", scenario.file, key, shown(name), all));
  }
  return found->second;
}

// The helpers take types by name with up to eight attributes; the factory has them checked already.
class RateHelper : public ns3::WifiHelper {
 public:
  void use(const ns3::ObjectFactory& rates) { m_stationManager = rates; }
};

class PhyHelper : public ns3::YansWifiPhyHelper {
 public:
  void use(const ns3::ObjectFactory& errors) { m_errorRateModel.at(0) = errors; }
};

PhyHelper make_phy(const Ground& ground, const Band& band) {
  const Scenario& scenario = ground.scenario;
  const WifiScenario& wifi = scenario.wifi;
  auto channel = ns3::CreateObject<ns3::YansWifiChannel>();
  channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
  channel->SetPropagationLossModel(make_loss(ground, band.hz));
  PhyHelper phy;
  phy.SetChannel(channel);
  key_being_built() = "network.error_model";
  phy.use(factory_of(scenario, wifi.error_model, "table", kErrorModels, ns3::ErrorRateModel::GetTypeId()));
  phy.Set("TxPowerStart", ns3::DoubleValue(wifi.tx_power_dbm));
  phy.Set("TxPowerEnd", ns3::DoubleValue(wifi.tx_power_dbm));
  phy.Set("RxNoiseFigure", ns3::DoubleValue(wifi.noise_figure_db));
  phy.Set("ChannelSettings",
          ns3::StringValue(fmt::format("{{{}, {}, {}, 0}}", wifi.channel, wifi.width_mhz, band.ns3)));
  if (wifi.slot) {
    phy.Set("Slot", ns3::TimeValue(ns3::NanoSeconds(static_cast<std::uint64_t>(wifi.slot->count()))));
  }
  return phy;
}

template <class... Further>
void set_mac(ns3::WifiMacHelper& mac, const WifiScenario& wifi, const std::string& type, bool qos, Further... further) {
  mac.SetType(type, "QosSupported", ns3::BooleanValue(qos), "BE_MaxAmpduSize", ns3::UintegerValue(wifi.ampdu_bytes),
              "BK_MaxAmpduSize", ns3::UintegerValue(wifi.ampdu_bytes), "VI_MaxAmpduSize",
              ns3::UintegerValue(wifi.ampdu_bytes), "VO_MaxAmpduSize", ns3::UintegerValue(wifi.ampdu_bytes),
              further...);
}

// Access points forward to one another over a cable of negligible delay.
void join(const ns3::NodeContainer& stations, const ns3::NetDeviceContainer& devices) {
  ns3::CsmaHelper cable;
  cable.SetChannelAttribute("DataRate", ns3::StringValue("10Gbps"));
  cable.SetChannelAttribute("Delay", ns3::TimeValue(ns3::MicroSeconds(1)));
  cable.SetDeviceAttribute("Mtu", ns3::UintegerValue(9000));
  const ns3::NetDeviceContainer ends = cable.Install(stations);
  ns3::BridgeHelper bridge;
  for (std::uint32_t i = 0; i < stations.GetN(); ++i) {
    bridge.Install(stations.Get(i), ns3::NetDeviceContainer(devices.Get(i), ends.Get(i)));
  }
}

ns3::NetDeviceContainer install(const Ground& ground, const RateHelper& helper, const PhyHelper& phy, bool qos) {
  const WifiScenario& wifi = ground.scenario.wifi;
  ns3::WifiMacHelper mac;
  if (!wifi.infrastructure) {
    set_mac(mac, wifi, "ns3::AdhocWifiMac", qos);
    return helper.Install(phy, mac, ground.robots);
  }
  const ns3::SsidValue ssid{ns3::Ssid(wifi.ssid)};
  set_mac(mac, wifi, "ns3::ApWifiMac", qos, "Ssid", ssid);
  const ns3::NetDeviceContainer points = helper.Install(phy, mac, ground.stations);
  join(ground.stations, points);
  for (std::uint32_t i = 0; i < points.GetN(); ++i) {
    report_wifi(ns3::DynamicCast<ns3::WifiNetDevice>(points.Get(i)), ground.fates, std::nullopt);
  }
  set_mac(mac, wifi, "ns3::StaWifiMac", qos, "Ssid", ssid);
  return helper.Install(phy, mac, ground.robots);
}

}  // namespace

std::unique_ptr<Network> make_wifi(const Ground& ground) {
  const Scenario& scenario = ground.scenario;
  const WifiScenario& wifi = scenario.wifi;
  const Standard& standard = known(scenario, "network.standard", wifi.standard, kStandards);
  const Band& band = known(scenario, "network.band", wifi.band, kBands);
  const PhyHelper phy = make_phy(ground, band);
  RateHelper helper;
  helper.SetStandard(standard.standard);
  key_being_built() = "network.rate_control";
  Part asked = wifi.rate_control;  // ns-3's own choice of the control mode is for 5 GHz alone
  if (asked.type == "constant" && wifi.standard != "802.11b") {
    asked.settings.insert(asked.settings.begin(), {"ControlMode", band.control});
  }
  ns3::ObjectFactory rates = factory_of(scenario, asked, standard.qos ? "minstrel" : "minstrel_legacy", kRateControls,
                                        ns3::WifiRemoteStationManager::GetTypeId());
  rates.Set("MaxSlrc", ns3::UintegerValue(wifi.tries));
  rates.Set("MaxSsrc", ns3::UintegerValue(wifi.tries));
  helper.use(rates);
  key_being_built() = "network (standard, band, channel and width together)";
  ns3::Config::SetDefault("ns3::WifiMacQueue::MaxSize",
                          ns3::QueueSizeValue(ns3::QueueSize(ns3::QueueSizeUnit::PACKETS, wifi.queue_frames)));
  ns3::Config::SetDefault("ns3::WifiMacQueue::MaxDelay",
                          ns3::TimeValue(ns3::NanoSeconds(static_cast<std::uint64_t>(wifi.queue_delay.count()))));
  const ns3::NetDeviceContainer devices = install(ground, helper, phy, standard.qos);
  std::vector<ns3::Ptr<ns3::NetDevice>> robots;
  for (std::uint32_t i = 0; i < devices.GetN(); ++i) {
    report_wifi(ns3::DynamicCast<ns3::WifiNetDevice>(devices.Get(i)), ground.fates, RobotIndex{i});
    robots.push_back(devices.Get(i));
  }
  return make_network_over(ground, std::move(robots));
}

}  // namespace hilgate::ns3net
