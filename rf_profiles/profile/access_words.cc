// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/access_words.h"

#include <fmt/format.h>

namespace hilgate {
namespace {

double ms(Nanoseconds span) {
  return static_cast<double>(span.count()) / 1e6;
}

std::string turns(const RadioMac& mac) {
  return mac.turn_window.count() > 0
             ? fmt::format("tdm, windows of {:g} ms with {:g} ms silence", ms(mac.turn_window), ms(mac.turn_silence))
             : "tdm, one frame per station in turn";
}

std::string contention(const RadioMac& mac) {
  const std::string ears = mac.carrier_sense_dbm ? fmt::format("carrier sense {:g} dBm", *mac.carrier_sense_dbm)
                                                 : std::string("no hidden stations");
  const std::string together = mac.aggregation.frames > 1
                                   ? fmt::format("A-MPDU of up to {} frames", mac.aggregation.frames)
                                   : std::string("no aggregation");
  const std::string announced = mac.rts_above ? fmt::format("; RTS above {} B", *mac.rts_above) : std::string();
  return fmt::format("csma, {}; {}{}", ears, together, announced);
}

std::string aloha(const RadioMac& mac) {
  return mac.duty.share < 1 ? fmt::format("aloha, duty cycle {:g} % of {:g} s, excess {}", 100 * mac.duty.share,
                                          ms(mac.duty.period) / 1e3, mac.duty.drops ? "is dropped" : "waits")
                            : "aloha";
}

std::string scheduled(const RadioMac& mac) {
  const std::string cell = !mac.cell ? std::string()
                                     : fmt::format(" in a cell, {}{}", mac.cell->both_ways ? "TDD" : "FDD",
                                                   mac.cell->base ? ", as its base station" : "");
  const std::string harq =
      mac.combining ? fmt::format(", HARQ combining, {:g} ms apart", ms(mac.combining->round_trip)) : std::string();
  return "scheduled" + cell + harq;
}

std::string way(const RadioMac& mac) {
  switch (mac.access) {
    case MediumAccess::kTdm:
      return turns(mac);
    case MediumAccess::kAloha:
      return aloha(mac);
    case MediumAccess::kScheduled:
      return scheduled(mac);
    case MediumAccess::kCsma:
      break;
  }
  return contention(mac);
}

const char* name(RateControl::Type type) {
  switch (type) {
    case RateControl::Type::kFixed:
      return "fixed";
    case RateControl::Type::kMinstrel:
      return "minstrel";
    case RateControl::Type::kIdeal:
      break;
  }
  return "ideal";
}

}  // namespace

std::string access_words(const RadioMac& mac) {
  return fmt::format("{}; rate {}", way(mac), name(mac.rate_control.type));
}

}  // namespace hilgate
