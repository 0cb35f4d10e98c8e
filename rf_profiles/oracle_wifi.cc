// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>

#include "rf_profiles/oracle_models.h"
#include "rf_profiles/rate_table.h"
#include "rf_profiles/wifi_mode.h"
#include "rf_profiles/wifi_table.h"

namespace hilgate {
namespace {

using In = OracleInputs;

/// The mode behind ns-3's name for it: OfdmRate6Mbps, HtMcs3, VhtMcs9.
WifiMode ns3_mode(const In& in) {
  const std::string& name = in.text("mode");
  const WifiFraming framing{.width_mhz = static_cast<unsigned>(in.number("width_hz") / 1e6)};
  if (name.starts_with("OfdmRate") && name.ends_with("Mbps")) {
    return wifi_mode("ofdm" + name.substr(8, name.size() - 12), WifiFormat::kLegacy, framing);
  }
  if (name.starts_with("HtMcs")) {
    return wifi_mode("mcs" + name.substr(5), WifiFormat::kHt, framing);
  }
  if (name.starts_with("VhtMcs")) {
    return wifi_mode("mcs" + name.substr(6), WifiFormat::kVht, framing);
  }
  throw std::runtime_error("the input 'mode' is '" + name + "'; OfdmRate<R>Mbps, HtMcs<N> or VhtMcs<N>");
}

/// Where a falling error rate crosses `per`.
double snr_at(double per, const std::function<double(double)>& error_rate) {
  double low = -60;
  double high = 80;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (error_rate(middle) > per ? low : high) = middle;
  }
  return high;
}

double wifi_table_snr(const In& in) {
  const HazardCurve hazard = wifi_table_hazard(mcs_of(ns3_mode(in).coding));
  const double bits = 8 * in.number("bytes");
  return snr_at(in.number("per"), [&](double snr_db) { return frame_error_rate(hazard(snr_db), bits); });
}

/// One exchange in the 5 GHz band, as radio-models section 9 defines the rows.
struct Exchange {
  explicit Exchange(const In& in) : payload(static_cast<std::uint32_t>(in.number("payload_bytes"))) {
    const bool ht = in.text("phy") == "11n";
    const double rate_bps = in.number("rate_mbps") * 1e6;
    mac.slot = Nanoseconds{9'000};
    mac.sifs = Nanoseconds{16'000};
    const WifiFormat format = ht ? WifiFormat::kHt : WifiFormat::kLegacy;
    for (const std::string& name : wifi_mode_names(format)) {
      const PhyMode candidate = wifi_phy_mode(wifi_mode(name, format, {}), {});
      if (std::abs(candidate.rate_bps - rate_bps) < 1) {
        mode = candidate;
        return;
      }
    }
    throw std::runtime_error("the input 'rate_mbps' is no rate of " + in.text("phy") + " with one stream at 20 MHz");
  }
  static constexpr std::uint32_t kEthernetHeader = 14;
  [[nodiscard]] double ppdu_us() const {
    return static_cast<double>(mode.air_time(payload + kEthernetHeader).count()) / 1e3;
  }
  [[nodiscard]] double exchange_us() const {
    return 1e6 * try_time_s(mode, mac, payload + kEthernetHeader, mac.cw_min);
  }
  std::uint32_t payload;
  RadioMac mac;
  PhyMode mode;
};

}  // namespace

void add_wifi_oracles(OracleTable& table) {
  table["wifi_table/snr_at_per"] = wifi_table_snr;
  table["wifi_airtime/ppdu_duration"] = [](const In& in) { return Exchange(in).ppdu_us(); };
  table["wifi_airtime/exchange_duration"] = [](const In& in) { return Exchange(in).exchange_us(); };
  table["wifi_airtime/goodput"] = [](const In& in) {
    const Exchange exchange(in);
    return 8 * exchange.payload / exchange.exchange_us();
  };
}

}  // namespace hilgate
