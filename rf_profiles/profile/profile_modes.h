// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "rf_profiles/errors/error_model.h"
#include "rf_profiles/phy/serial_timing.h"
#include "rf_profiles/phy/wifi_mode.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// Makes the modes that a profile names, in the format it has chosen under phy.modes and with the error model it has
/// chosen. Formats: wifi_legacy, wifi_ht, wifi_vht, wifi_he, dsss, serial (modes described one by one), lora (sf7 ...
/// sf12), lte (mcs0 ... mcs28), shannon (step0 ... step11).
class ProfileModes {
 public:
  /// `phy` is the profile's map of that name; what is read from it so far is in `radio`.
  ProfileModes(YamlReader phy, RadioPhy& radio);

  /// What the medium access adds to every mode, known only after phy.
  void set_timing(Nanoseconds sifs, Nanoseconds signal_extension);
  void set_fragments(std::uint32_t fragment_bytes, std::uint32_t header_bytes, std::uint32_t repeated_bytes);

  /// Whether its stations send QoS data: those of HT and later do (IEEE 802.11-2020, 10.2.3.2).
  [[nodiscard]] bool has_qos() const {
    return format_ == Format::kWifiHt || format_ == Format::kWifiVht || format_ == Format::kWifiHe;
  }

  /// Bytes that every frame has more.
  void set_more_overhead(std::uint32_t bytes) { more_overhead_ = bytes; }

  /// Messages share radio frames.
  void set_shared(bool shared) { shared_ = shared; }

  /// Index of the mode of that name, made on first use; a fault at `where` for an unknown name.
  std::size_t index_of(const std::string& name, const YamlReader& where);

 private:
  enum class Format { kWifiLegacy, kWifiHt, kWifiVht, kWifiHe, kDsss, kSerial, kLora, kLte, kShannon };
  struct SerialFormat {
    std::string name;
    double rate_bps = 0;
    Nanoseconds preamble{0};
    std::uint32_t overhead_bytes = 0;
    Nanoseconds ack{0};
    int spreading = 0;  // of LoRa, for its error model
  };
  void read_wifi(YamlReader& modes);
  void read_serial(YamlReader& modes);
  void read_table(YamlReader table);
  [[nodiscard]] RadioMode make(const std::string& name) const;
  [[nodiscard]] RadioMode make_wifi(const std::string& name) const;
  [[nodiscard]] HazardCurve in_band(HazardCurve curve, Hertz width) const;
  [[nodiscard]] double beta_in(const WifiCoding& coding, Hertz width) const;
  [[nodiscard]] unsigned narrower_mhz(const std::string& name, std::size_t at) const;
  [[nodiscard]] HazardCurve wifi_errors(const std::string& name, const WifiMode& mode, double rate_bps,
                                        Hertz bandwidth) const;
  [[nodiscard]] RadioMode make_dsss(const std::string& name) const;
  [[nodiscard]] RadioMode make_serial(const std::string& name) const;
  [[nodiscard]] RadioMode make_lora(const std::string& name) const;
  [[nodiscard]] RadioMode make_lte(const std::string& name) const;
  [[nodiscard]] RadioMode make_shannon(const std::string& name) const;
  [[nodiscard]] HazardCurve serial_errors(const SerialFormat& mode) const;

  RadioPhy& radio_;
  Format format_ = Format::kWifiHt;
  const ErrorModel* errors_;
  WifiFraming framing_;
  LoraFraming lora_;
  int resource_blocks_ = 100;
  std::vector<SerialFormat> serial_;
  ErrorTable table_;
  std::uint32_t fragment_bytes_ = 0;
  std::uint32_t fragment_header_ = 0;
  std::uint32_t repeated_bytes_ = 0;
  std::uint32_t more_overhead_ = 0;
  bool shared_ = false;
};

}  // namespace hilgate
