// SPDX-License-Identifier: Apache-2.0
// Ad hoc stations of IEEE 802.11 in ns-3 that send one another frames. Prints what Flows prints. Losses are those of
// 3GPP TR 38.901, urban micro cells in sight; power, noise figure and antennas are ns-3's defaults.
#include <ns3/core-module.h>
#include <ns3/network-module.h>
#include <ns3/propagation-module.h>
#include <ns3/wifi-module.h>

#include <map>
#include <string>

#include "flows.h"

int main(int argc, char** argv) {
  std::string standard = "11a";
  std::string channel_settings = "{36,20,BAND_5GHZ,0}";
  std::string rate = "ideal";
  std::string control = "OfdmRate24Mbps";
  std::string nodes_text = "0,0,10;20,0,10";
  std::string flows_text = "0-1:0.0003:1500";
  double from = 0.3;
  double until = 0.8;
  double threshold = -82;
  double threshold_snr = 4;
  bool friis = false;
  bool qos = false;
  std::uint32_t seed = 1;
  std::uint32_t rts = 4000000;
  std::uint32_t ampdu = 65535;
  std::uint32_t guard = 800;
  ns3::CommandLine command;
  command.AddValue("standard", "11a, 11n, 11ac or 11ax", standard);
  command.AddValue("channel", "number, MHz, band and primary channel, as ns-3 has ChannelSettings", channel_settings);
  command.AddValue("rate", "ideal, minstrel, or a mode such as OfdmRate6Mbps", rate);
  command.AddValue("control", "mode of control frames, of a mode", control);
  command.AddValue("nodes", "x,y,z;...", nodes_text);
  command.AddValue("flows", "source-to:interval:bytes[:start[:priority]],...", flows_text);
  command.AddValue("from", "s, of what is counted", from);
  command.AddValue("until", "s", until);
  command.AddValue("threshold", "dBm, of preamble detection", threshold);
  command.AddValue("threshold_snr", "dB, of preamble detection", threshold_snr);
  command.AddValue("friis", "losses of free space", friis);
  command.AddValue("qos", "EDCA, also of 802.11a", qos);
  command.AddValue("rts", "bytes from which on RTS and CTS precede a frame", rts);
  command.AddValue("ampdu", "bytes of an A-MPDU at most", ampdu);
  command.AddValue("guard", "ns, guard interval of 802.11ax", guard);
  command.AddValue("seed", "run number", seed);
  command.Parse(argc, argv);
  ns3::RngSeedManager::SetRun(seed);
  ns3::Config::SetDefault("ns3::WifiMacQueue::MaxSize", ns3::StringValue("100p"));
  ns3::Config::SetDefault("ns3::WifiMacQueue::MaxDelay", ns3::TimeValue(ns3::Seconds(until)));
  ns3::Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", ns3::UintegerValue(rts));

  const ns3::NodeContainer nodes = nodes_at(nodes_text);
  ns3::YansWifiChannelHelper channel;
  channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
  const double hz = channel_settings.find("2_4GHZ") != std::string::npos ? 2.412e9
                    : channel_settings.find(",80,") != std::string::npos ? 5.21e9
                    : channel_settings.find(",40,") != std::string::npos ? 5.19e9
                                                                         : 5.18e9;
  if (friis) {
    channel.AddPropagationLoss("ns3::FriisPropagationLossModel", "Frequency", ns3::DoubleValue(hz));
  } else {
    channel.AddPropagationLoss("ns3::ThreeGppUmiStreetCanyonPropagationLossModel", "Frequency", ns3::DoubleValue(hz),
                               "ShadowingEnabled", ns3::BooleanValue(false), "ChannelConditionModel",
                               ns3::PointerValue(ns3::CreateObject<ns3::AlwaysLosChannelConditionModel>()));
  }
  ns3::YansWifiPhyHelper phy;
  phy.SetChannel(channel.Create());
  phy.Set("ChannelSettings", ns3::StringValue(channel_settings));
  phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "MinimumRssi", ns3::DoubleValue(threshold),
                                "Threshold", ns3::DoubleValue(threshold_snr));
  const std::map<std::string, ns3::WifiStandard> standards{{"11a", ns3::WIFI_STANDARD_80211a},
                                                           {"11n", ns3::WIFI_STANDARD_80211n},
                                                           {"11ac", ns3::WIFI_STANDARD_80211ac},
                                                           {"11ax", ns3::WIFI_STANDARD_80211ax}};
  const bool legacy = standard == "11a";
  ns3::WifiHelper wifi;
  wifi.SetStandard(standards.at(standard));
  if (rate == "ideal") {
    wifi.SetRemoteStationManager("ns3::IdealWifiManager");
  } else if (rate == "minstrel") {
    wifi.SetRemoteStationManager(legacy ? "ns3::MinstrelWifiManager" : "ns3::MinstrelHtWifiManager");
  } else {
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", ns3::StringValue(rate), "ControlMode",
                                 ns3::StringValue(control));
  }
  ns3::WifiMacHelper mac;
  mac.SetType("ns3::AdhocWifiMac", "QosSupported", ns3::BooleanValue(qos || !legacy), "BE_MaxAmpduSize",
              ns3::UintegerValue(ampdu));
  const ns3::NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
  ns3::Config::Set("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/HeConfiguration/GuardInterval",
                   ns3::TimeValue(ns3::NanoSeconds(guard)));

  Flows flows(flows_text, from, until);
  flows.install(devices);
  ns3::Simulator::Stop(ns3::Seconds(until + 1));
  ns3::Simulator::Run();
  flows.print();
  ns3::Simulator::Destroy();
}
