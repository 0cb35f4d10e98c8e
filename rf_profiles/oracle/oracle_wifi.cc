// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <stdexcept>

#include "rf_profiles/errors/error_model.h"
#include "rf_profiles/errors/wifi_error.h"
#include "rf_profiles/oracle/oracle.h"
#include "rf_profiles/phy/wifi_mode.h"
#include "rf_profiles/profile/rate_table.h"

namespace hilgate {
namespace {

using In = OracleInputs;

/// The mode behind ns-3's name for it: OfdmRate6Mbps, HtMcs3, VhtMcs9, HeMcs11.
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
  if (name.starts_with("HeMcs")) {
    return wifi_mode("mcs" + name.substr(5), WifiFormat::kHe, framing);
  }
  throw std::runtime_error("the input 'mode' is '" + name +
                           "'; allowed: OfdmRate<R>Mbps, HtMcs<N>, VhtMcs<N>, HeMcs<N>");
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

/// Channel width over coded bit rate, as YANS counts energy per coded bit.
double signal_per_bit(const In& in, const WifiMode& mode) {
  const WifiFraming framing{.width_mhz = static_cast<unsigned>(in.number("width_hz") / 1e6)};
  const double rate_bps = wifi_phy_mode(mode, framing).rate_bps;
  return in.number("width_hz") * mode.coding.numerator / mode.coding.denominator / rate_bps;
}

/// Of a model of the table.
HazardCurve ofdm_curve(const ErrorModel& model, const In& in) {
  const WifiMode mode = ns3_mode(in);
  return hazard_of(model, OfdmMode{mode.name, mode.coding, signal_per_bit(in, mode)});
}

HazardCurve wmediumd(const In& in) {
  const std::string name = "ofdm" + in.text("rate_mbps");
  return wmediumd_hazard(wifi_mode(name, WifiFormat::kLegacy, {}).coding);
}

double snr_at_per(const HazardCurve& hazard, const In& in) {
  const double bits = 8 * in.number("bytes");
  return snr_at(in.number("per"), [&](double snr_db) { return frame_error_rate(hazard(snr_db), bits); });
}

double per_of(const HazardCurve& hazard, const In& in) {
  return frame_error_rate(hazard(in.number("snr_db")), 8 * in.number("bytes"));
}

/// One exchange in the 5 GHz band, as the rows define it.
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
    throw std::runtime_error("the input 'rate_mbps' is not a rate of " + in.text("phy") + " with one stream at 20 MHz");
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
  for (const ErrorModel& model : error_models()) {
    const std::string name(model.name);
    if (model.ofdm != nullptr && !model.reads_table) {
      table[name + "/per"] = [&model](const In& in) { return per_of(ofdm_curve(model, in), in); };
      table[name + "/snr_at_per"] = [&model](const In& in) { return snr_at_per(ofdm_curve(model, in), in); };
    }
    if (model.serial != nullptr && !model.reads_table) {
      table[name + "/serial_per"] = [&model](const In& in) {
        return per_of(hazard_of(model, SerialMode{.name = {},
                                                  .bandwidth_over_rate = in.number("bn_over_r", 1),
                                                  .spreading = static_cast<int>(in.number("sf", 0))}),
                      in);
      };
    }
  }
  table["wmediumd_per/snr_at_per"] = [](const In& in) { return snr_at_per(wmediumd(in), in); };
  const std::map<std::string, double> dsss{{"1m", 1e6}, {"2m", 2e6}, {"5m5", 5.5e6}, {"11m", 11e6}};
  for (const auto& [name, rate] : dsss) {
    table["dsss_" + name + "/per"] = [rate = rate](const In& in) { return per_of(dsss_hazard(rate), in); };
  }
  table["wifi_airtime/ppdu_duration"] = [](const In& in) { return Exchange(in).ppdu_us(); };
  table["wifi_airtime/exchange_duration"] = [](const In& in) { return Exchange(in).exchange_us(); };
  table["wifi_airtime/goodput"] = [](const In& in) {
    const Exchange exchange(in);
    return 8 * exchange.payload / exchange.exchange_us();
  };
}

}  // namespace hilgate
