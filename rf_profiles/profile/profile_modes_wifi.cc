// SPDX-License-Identifier: Apache-2.0
// The modes of 802.11's OFDM radios with their errors, and those of what answers and announces their frames.
#include <algorithm>
#include <stdexcept>

#include "rf_profiles/errors/gz_rfcomms.h"
#include "rf_profiles/errors/wifi_error.h"
#include "rf_profiles/errors/wifi_table.h"
#include "rf_profiles/profile/profile_modes.h"

namespace hilgate {

RadioMode ProfileModes::make_wifi(const std::string& name) const {
  const WifiFormat format = format_ == Format::kWifiLegacy ? WifiFormat::kLegacy
                            : format_ == Format::kWifiHt   ? WifiFormat::kHt
                                                           : WifiFormat::kVht;
  const WifiMode mode = wifi_mode(name, format, framing_);
  const PhyMode phy = wifi_phy_mode(mode, framing_);
  const double per_stream_bps = phy.rate_bps / (mode.format == WifiFormat::kLegacy ? 1 : framing_.streams);
  RadioMode made{name, phy, wifi_errors(name, mode, per_stream_bps, radio_.bandwidth_hz)};
  if (errors_ != Errors::kTable) {
    // Answers and announcements are legacy frames, repeated side by side in wider channels.
    constexpr double kLegacyHz = 20e6;
    const WifiMode control = control_mode(phy.rate_bps);
    made.ack_hazard = wifi_errors(control.name, control, wifi_phy_mode(control, framing_).rate_bps,
                                  std::min(kLegacyHz, radio_.bandwidth_hz));
  }
  return made;
}

HazardCurve ProfileModes::wifi_errors(const std::string& name, const WifiMode& mode, double rate_bps,
                                      double bandwidth_hz) const {
  const double signal_per_bit = bandwidth_hz * mode.coding.numerator / mode.coding.denominator / rate_bps;
  const int mcs = mcs_of(mode.coding);
  switch (errors_) {
    case Errors::kWifiNist:
      return wifi_nist_hazard(mode.coding);
    case Errors::kWifiYans:
      return wifi_yans_hazard(mode.coding, signal_per_bit);
    case Errors::kWmediumd:
      return wmediumd_hazard(mode.coding);
    case Errors::kTable:
      return table_.hazard(name);
    case Errors::kWifiTable:
      // As ns-3 does, BPSK 3/4 falls back to YANS: the tables have no such mode.
      return mcs < 0 ? wifi_yans_hazard(mode.coding, signal_per_bit) : wifi_table_hazard(mcs);
    default:
      throw std::runtime_error("needs one of the error models wifi_table, wifi_nist, wifi_yans, wmediumd, table");
  }
}

}  // namespace hilgate
