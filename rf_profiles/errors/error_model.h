// SPDX-License-Identifier: Apache-2.0
// The error models that a radio profile may choose by `phy.error_model`, each for the modes that it knows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/phy/wifi_mode.h"

namespace hilgate {

// Error rates from an external measurement or computation: SNR to loss of a frame of a given length, one column per
// mode.

/// One mode's points, by rising SNR. Linear in the error rate between them; lost below the first, and above the last
/// its error rate, or 0 with `clean_above`.
struct ErrorColumn {
  std::string mode;
  std::vector<double> snr_db;
  std::vector<double> error_rate;  // [0, 1]
};

struct ErrorTable {
  double frame_bytes = 0;    // that the error rates are for
  bool any_length = false;   // they hold for frames of any length (EMANE's pktsize 0, a profile's any_length)
  bool clean_above = false;  // no errors above a column's last point (EMANE)
  std::vector<ErrorColumn> columns;

  /// Other lengths by independent bit errors. Throws std::runtime_error, naming the modes there are, for an unknown
  /// one.
  [[nodiscard]] HazardCurve hazard(std::string_view mode) const;
};

enum class ErrorTableFormat : std::uint8_t {
  kCsv,       // header snr_db,MODE,MODE,...; error rates in [0, 1]
  kEmanePcr,  // packet completion curves of EMANE's RF Pipe and IEEE 802.11abg; modes rate0 (no datarate) or
              // rate<index>
  kWmediumd,  // wmediumd's matrix: signal in dBm over a noise of -91 dBm, then 12 error rates; modes rate0 to rate11
};

/// `frame_bytes` is the length the rates are for; EMANE's own pktsize wins; 0 there means that the
/// rates hold at any length. Throws ConfigError with
/// file:line for what is no table: error rates outside [0, 1], SNR that does not rise, missing columns.
ErrorTable read_error_table(const std::string& file, ErrorTableFormat format, double frame_bytes);

/// A mode of 802.11 OFDM as error models see it.
struct OfdmMode {
  std::string_view name;
  WifiCoding coding;
  double signal_per_bit = 1;          // channel width over coded bit rate
  const ErrorTable* table = nullptr;  // of the profile; there where the model reads it
};

/// A mode that sends byte after byte.
struct SerialMode {
  std::string_view name;
  double bandwidth_over_rate = 1;
  int spreading = 0;                  // LoRa's factor; 0: not given
  const ErrorTable* table = nullptr;  // likewise
};

/// A row of the table. A model without curves belongs to the format of modes that has its name, which brings its own.
struct ErrorModel {
  std::string_view name;
  HazardCurve (*ofdm)(const OfdmMode&) = nullptr;      // null: not for these modes
  HazardCurve (*serial)(const SerialMode&) = nullptr;  // likewise
  bool reads_table = false;                            // the profile's `error_table`
  std::optional<Decibels> lock{};                      // PhyMode::lock of its modes, where it is another
};

/// The table of error models.
std::span<const ErrorModel> error_models();

/// The hazard of a mode. Throw std::runtime_error, naming the models there are for such modes, where the model has
/// none.
HazardCurve hazard_of(const ErrorModel& model, const OfdmMode& mode);
HazardCurve hazard_of(const ErrorModel& model, const SerialMode& mode);

}  // namespace hilgate
