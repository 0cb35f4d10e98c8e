// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hilgate {

/// EUI-64 that names a PTP clock (IEEE 1588-2008, 7.5.2.2).
struct ClockIdentity {
  std::array<std::uint8_t, 8> bytes{};
  friend auto operator<=>(const ClockIdentity&, const ClockIdentity&) = default;
};

/// A port of a PTP clock; ports count from 1.
struct PortIdentity {
  ClockIdentity clock;
  std::uint16_t port = 0;
  friend auto operator<=>(const PortIdentity&, const PortIdentity&) = default;
};

/// The identity a clock takes from its MAC address: ff:fe in the middle (IEEE 1588-2008, 7.5.2.2.2).
ClockIdentity clock_identity(std::span<const std::uint8_t, 6> mac);

/// As linuxptp prints it: 926401.fffe.e2d341.
std::string to_string(const ClockIdentity& identity);
/// 926401.fffe.e2d341-1
std::string to_string(const PortIdentity& identity);

/// 10 bytes in a message; the caller has checked that they are there.
PortIdentity load_port_identity(std::span<const std::byte> bytes, std::size_t offset);
ClockIdentity load_clock_identity(std::span<const std::byte> bytes, std::size_t offset);
void store_identity(std::span<std::byte> bytes, std::size_t offset, const PortIdentity& identity);
void store_identity(std::span<std::byte> bytes, std::size_t offset, const ClockIdentity& identity);

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
