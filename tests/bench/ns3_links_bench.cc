// SPDX-License-Identifier: GPL-2.0-only
// What ns-3 takes for a link-state update of N nodes: UMi path loss with shadowing, Nakagami fading, error rate of the
// table-based model, for every ordered pair. A program of its own, because it is linked with ns-3.
//
// usage: ns3_links_bench [NODES [UPDATES]]; prints nanoseconds per link.
#include <ns3/channel-condition-model.h>
#include <ns3/constant-position-mobility-model.h>
#include <ns3/double.h>
#include <ns3/ht-phy.h>
#include <ns3/node-container.h>
#include <ns3/propagation-loss-model.h>
#include <ns3/table-based-error-rate-model.h>
#include <ns3/three-gpp-propagation-loss-model.h>
#include <ns3/wifi-phy.h>
#include <ns3/wifi-tx-vector.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 64;
  const int updates = argc > 2 ? std::atoi(argv[2]) : 5;

  auto umi = ns3::CreateObject<ns3::ThreeGppUmiStreetCanyonPropagationLossModel>();
  umi->SetAttribute("Frequency", ns3::DoubleValue(2.412e9));
  umi->SetChannelConditionModel(ns3::CreateObject<ns3::ThreeGppUmiStreetCanyonChannelConditionModel>());
  umi->SetNext(ns3::CreateObject<ns3::NakagamiPropagationLossModel>());
  auto errors = ns3::CreateObject<ns3::TableBasedErrorRateModel>();
  const ns3::WifiMode mode = ns3::HtPhy::GetHtMcs3();
  ns3::WifiTxVector tx;
  tx.SetMode(mode);
  tx.SetChannelWidth(20);

  ns3::NodeContainer container;
  container.Create(static_cast<std::uint32_t>(nodes));
  std::vector<ns3::Ptr<ns3::ConstantPositionMobilityModel>> positions;
  for (int i = 0; i < nodes; ++i) {
    auto mobility = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
    mobility->SetPosition({1000.0 * std::rand() / RAND_MAX, 1000.0 * std::rand() / RAND_MAX, i % 2 == 0 ? 10.0 : 1.5});
    container.Get(static_cast<std::uint32_t>(i))->AggregateObject(mobility);
    positions.push_back(mobility);
  }
  double sum = 0;  // keeps the work
  long links = 0;
  const std::clock_t start = std::clock();  // processor time, as `hilgate bench links` counts it
  for (int update = 0; update < updates; ++update) {
    for (const auto& from : positions) {
      for (const auto& to : positions) {
        if (from != to) {
          const double rssi_dbm = umi->CalcRxPower(16.02, from, to);
          const double snr = std::pow(10, (rssi_dbm + 93.965) / 10);
          sum += errors->GetChunkSuccessRate(mode, tx, snr, 8 * 1514);
          ++links;
        }
      }
    }
  }
  const double took_ns = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("{\"nodes\": %d, \"links\": %ld, \"ns_per_link\": %.1f, \"checksum\": %.3f}\n", nodes, links,
              took_ns / static_cast<double>(links), sum);
  return 0;
}
