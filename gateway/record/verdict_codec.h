// SPDX-License-Identifier: Apache-2.0
// Messages of verdicts: their number, then of each its packet and release time (sim time, ns) as differences from the
// verdict before in the message, receiver, drop, retries, 1 for at once or 0, and the bits of the bit error rate as a
// double, because a replay flips the same bits by the same rate alone. All are varints, the differences signed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/record/varint.h"
#include "netsim_link/verdict.h"

namespace hilgate {

inline std::string encode_verdicts(std::span<const Verdict> verdicts) {
  std::string bytes;
  append_varint(bytes, verdicts.size());
  std::uint64_t packet = 0;
  std::int64_t before_at = 0;
  for (const Verdict& verdict : verdicts) {
    append_signed(bytes, static_cast<std::int64_t>(verdict.packet - packet));
    packet = verdict.packet;
    append_signed(bytes, difference(verdict.release_at.time_since_epoch().count(), before_at));
    before_at = verdict.release_at.time_since_epoch().count();
    append_varint(bytes, verdict.receiver.value());
    append_varint(bytes, static_cast<std::uint64_t>(verdict.drop));
    append_varint(bytes, verdict.retries);
    append_varint(bytes, verdict.at_once ? 1 : 0);
    append_varint(bytes, std::bit_cast<std::uint64_t>(verdict.ber));
  }
  return bytes;
}

/// Throws std::runtime_error for a message that cannot be one.
inline std::vector<Verdict> decode_verdicts(std::string_view message) {
  std::vector<Verdict> verdicts;
  VarintReader reader(message);
  Verdict verdict{};
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    verdict.packet += static_cast<std::uint64_t>(reader.signed_number());
    verdict.release_at =
        SimTime{Nanoseconds{sum(verdict.release_at.time_since_epoch().count(), reader.signed_number())}};
    verdict.receiver = RobotIndex{static_cast<std::uint32_t>(reader.number())};
    verdict.drop =
        static_cast<AirDrop>(std::min<std::uint64_t>(reader.number(), static_cast<std::uint64_t>(AirDrop::kTooLate)));
    verdict.retries = static_cast<std::uint32_t>(reader.number());
    verdict.at_once = reader.number() != 0;
    const auto ber = std::bit_cast<double>(reader.number());
    verdict.ber = ber >= 0 && ber <= 1 ? ber : 0;
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace hilgate
