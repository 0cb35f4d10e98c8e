// SPDX-License-Identifier: Apache-2.0
// Error rates that somebody else measured or computed: SNR to loss of a frame of a given length, one column per mode.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rf_profiles/errors/packet_loss.h"

namespace hilgate {

/// One mode's points, by rising SNR. Linear in the error rate between them; lost below the first, the last point's
/// error rate above it.
struct ErrorColumn {
  std::string mode;
  std::vector<double> snr_db;
  std::vector<double> error_rate;  // [0, 1]
};

struct ErrorTable {
  double frame_bytes = 0;  // that the error rates are for
  std::vector<ErrorColumn> columns;

  /// Other lengths by independent bit errors. Throws std::runtime_error, naming the modes there are, for an unknown
  /// one.
  [[nodiscard]] HazardCurve hazard(std::string_view mode) const;
};

enum class ErrorTableFormat : std::uint8_t {
  kCsv,       // header snr_db,MODE,MODE,...; error rates in [0, 1]
  kEmanePcr,  // EMANE's packet completion curves in XML; modes rate0 (no datarate) or rate<index>
  kWmediumd,  // wmediumd's matrix: signal in dBm over a noise of -91 dBm, then 12 error rates; modes rate0 to rate11
};

/// `frame_bytes` is the length the rates are for; EMANE's own pktsize wins unless it is 0. Throws ConfigError with
/// file:line for what is no table: error rates outside [0, 1], SNR that does not rise, missing columns.
ErrorTable read_error_table(const std::string& file, ErrorTableFormat format, double frame_bytes);

}  // namespace hilgate
