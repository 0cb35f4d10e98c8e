// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/profile_sharing.h"

#include "rf_profiles/profile/profile_values.h"

namespace hilgate {

void read_sharing(YamlReader& mac, RadioMac& out) {
  const bool senses = out.access == MediumAccess::kCsma;
  if (senses && mac.has("carrier_sense")) {
    out.carrier_sense_dbm = within<Dbm>(mac, "carrier_sense", -200, 0);
  }
  if ((senses || out.access == MediumAccess::kAloha) && mac.has("interference_weight")) {
    out.interference_weight = number_within(mac, "interference_weight", 0, 1);
  }
  if (std::optional<YamlReader> together = senses ? mac.optional_child("aggregation") : std::nullopt) {
    out.aggregation = {whole_within(*together, "frames", 1, 1024), bytes_within(*together, "bytes", 64, 6'500'631),
                       time_within(*together, "time", Nanoseconds{1'000}, Nanoseconds{1'000'000'000})};
  }
  if (std::optional<YamlReader> duty =
          out.access == MediumAccess::kAloha ? mac.optional_child("duty_cycle") : std::nullopt) {
    constexpr double kLeast = 1e-6;
    out.duty.share = number_within(*duty, "share", kLeast, 1);
    out.duty.period = time_within(*duty, "period", Nanoseconds{1'000'000}, Nanoseconds{86'400'000'000'000});
    out.duty.drops = duty->choice<bool>("over", {{"wait", false}, {"drop", true}});
  }
  if (senses && mac.has("rts_threshold")) {
    out.rts_above = bytes_within(mac, "rts_threshold", 0, 65535);
  }
  if (std::optional<YamlReader> cell =
          out.access == MediumAccess::kScheduled ? mac.optional_child("cell") : std::nullopt) {
    out.cell = Cell{cell->choice<bool>("duplex", {{"fdd", false}, {"tdd", true}}),
                    cell->choice<bool>("role", {{"user", false}, {"base", true}})};
  }
  if (std::optional<YamlReader> harq =
          out.access == MediumAccess::kScheduled ? mac.optional_child("harq") : std::nullopt) {
    out.combining = Combining{time_within(*harq, "round_trip", Nanoseconds{0}, kLongestSpan)};
  }
}

}  // namespace hilgate
