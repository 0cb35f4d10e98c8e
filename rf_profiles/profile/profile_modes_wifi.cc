// SPDX-License-Identifier: Apache-2.0
// The modes of 802.11's OFDM radios with their errors, and those of what answers and announces their frames.
#include <algorithm>

#include "rf_profiles/profile/profile_modes.h"

namespace hilgate {

RadioMode ProfileModes::make_wifi(const std::string& name) const {
  const WifiFormat format = format_ == Format::kWifiLegacy ? WifiFormat::kLegacy
                            : format_ == Format::kWifiHt   ? WifiFormat::kHt
                                                           : WifiFormat::kVht;
  const WifiMode mode = wifi_mode(name, format, framing_);
  const PhyMode phy = wifi_phy_mode(mode, framing_);
  const double per_stream_bps = phy.rate_bps / (mode.format == WifiFormat::kLegacy ? 1 : framing_.streams);
  RadioMode made{name, phy, wifi_errors(name, mode, per_stream_bps, radio_.bandwidth)};
  if (!errors_->reads_table) {
    // Answers and announcements are legacy frames, repeated side by side in wider channels.
    constexpr Hertz kLegacyBand{20e6};
    const WifiMode control = control_mode(mode.coding);
    made.ack_hazard = wifi_errors(control.name, control, wifi_phy_mode(control, framing_).rate_bps,
                                  std::min(kLegacyBand, radio_.bandwidth));
  }
  return made;
}

HazardCurve ProfileModes::wifi_errors(const std::string& name, const WifiMode& mode, double rate_bps,
                                      Hertz bandwidth) const {
  const double signal_per_bit = bandwidth.value * mode.coding.numerator / mode.coding.denominator / rate_bps;
  return hazard_of(*errors_, OfdmMode{name, mode.coding, signal_per_bit, &table_});
}

}  // namespace hilgate
