// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/error_model.h"

#include <stdexcept>

#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/errors/wifi_error.h"

namespace hilgate {
namespace {

/// As in ns-3, BPSK 3/4 and 1024-QAM fall back to YANS: the tables have no such modes.
HazardCurve table_or_yans(const OfdmMode& mode) {
  const int mcs = mcs_of(mode.coding);
  return mcs < 0 || mcs >= kWifiTableMcsCount ? wifi_yans_hazard(mode.coding, mode.signal_per_bit)
                                              : wifi_table_hazard(mcs);
}

constexpr ErrorModel kErrorModels[] = {
    {.name = "wifi_table", .ofdm = table_or_yans},
    {.name = "wifi_nist", .ofdm = [](const OfdmMode& mode) { return wifi_nist_hazard(mode.coding); }},
    {.name = "wifi_yans",
     .ofdm = [](const OfdmMode& mode) { return wifi_yans_hazard(mode.coding, mode.signal_per_bit); }},
    {.name = "wmediumd", .ofdm = [](const OfdmMode& mode) { return wmediumd_hazard(mode.coding); }},
    {.name = "dsss"},
    {.name = "ncfsk", .serial = [](const SerialMode& mode) { return ncfsk_hazard(mode.bandwidth_over_rate); }},
    // Its preamble is spread like its data, by 32 chips to four bits: what can be decoded is found.
    {.name = "oqpsk", .serial = [](const SerialMode& /*mode*/) { return oqpsk_hazard(); }, .lock = Decibels{0}},
    {.name = "lora", .serial = [](const SerialMode& mode) { return lora_hazard(mode.spreading); }},
    {.name = "lte"},
    {.name = "shannon"},
    {.name = "gz_rfcomms", .serial = [](const SerialMode& /*mode*/) { return gz_rfcomms_hazard(); }},
    {.name = "table",
     .ofdm = [](const OfdmMode& mode) { return mode.table->hazard(mode.name); },
     .serial = [](const SerialMode& mode) { return mode.table->hazard(mode.name); },
     .reads_table = true},
    {.name = "none",
     .serial = [](const SerialMode& /*mode*/) { return HazardCurve([](double /*snr_db*/) { return 0.0; }); }},
};

template <class Mode>
[[noreturn]] void refuse(HazardCurve (*ErrorModel::*curve)(const Mode&)) {
  std::string names;
  for (const ErrorModel& model : kErrorModels) {
    if (model.*curve != nullptr) {
      names += (names.empty() ? "" : ", ") + std::string(model.name);
    }
  }
  throw std::runtime_error("needs one of the error models " + names);
}

}  // namespace

std::span<const ErrorModel> error_models() {
  return kErrorModels;
}

HazardCurve hazard_of(const ErrorModel& model, const OfdmMode& mode) {
  if (model.ofdm == nullptr) {
    refuse(&ErrorModel::ofdm);
  }
  return model.ofdm(mode);
}

HazardCurve hazard_of(const ErrorModel& model, const SerialMode& mode) {
  if (model.serial == nullptr) {
    refuse(&ErrorModel::serial);
  }
  return model.serial(mode);
}

}  // namespace hilgate
