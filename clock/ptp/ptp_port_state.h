// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hilgate {

/// IEEE 1588-2008, table 8. A linuxptp slave that steers nothing stays in kUncalibrated for ever.
enum class PtpPortState : std::uint8_t {
  kUnknown = 0,
  kInitializing,
  kFaulty,
  kDisabled,
  kListening,
  kPreMaster,
  kMaster,
  kPassive,
  kUncalibrated,
  kSlave,
};

inline constexpr std::array<std::string_view, 10> kPtpPortStateNames = {
    "unknown",    "initializing", "faulty",  "disabled",     "listening",
    "pre-master", "master",       "passive", "uncalibrated", "slave",
};

constexpr std::string_view name(PtpPortState state) {
  return kPtpPortStateNames[static_cast<std::size_t>(state)];
}

/// From the wire: anything else is kUnknown.
constexpr PtpPortState port_state(std::uint8_t value) {
  return value < kPtpPortStateNames.size() ? static_cast<PtpPortState>(value) : PtpPortState::kUnknown;
}

}  // namespace hilgate
