// SPDX-License-Identifier: Apache-2.0
// The error models that a radio profile may choose by `phy.error_model`, each for the modes that it knows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rf_profiles/errors/error_table.h"
#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/phy/wifi_mode.h"

namespace hilgate {

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
