// SPDX-License-Identifier: Apache-2.0
// Transmitter and Receiver PDUs of Distributed Interactive Simulation, as IEEE 1278.1-2012, 7.7.2 and 7.7.4, has them,
// of version 7 of the protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "clock/time.h"
#include "physics_link/dis/entity_state.h"
#include "physics_link/place.h"

namespace hilgate::dis {

/// A radio of an entity. All zeros: no radio.
struct RadioId {
  EntityId entity{};
  std::uint16_t radio = 0;  // from 1
  friend auto operator<=>(const RadioId&, const RadioId&) = default;
};

/// As SISO-REF-010 counts them.
enum class TransmitState : std::uint8_t { kOff, kSilent, kTransmitting };
enum class ReceiveState : std::uint16_t { kOff, kSilent, kReceiving };
enum class MajorModulation : std::uint16_t { kNoStatement, kAmplitude, kAmplitudeAndAngle, kAngle };

/// How a radio sends, which does not change in a run.
struct Emission {
  std::uint64_t frequency_hz = 0;  // centre of the channel
  float bandwidth_hz = 0;
  float power_dbm = 0;  // radiated: with the antenna's gain, less the cable's loss
  MajorModulation modulation = MajorModulation::kNoStatement;
  bool spread_spectrum = false;  // by pseudo noise or chirps

  friend bool operator==(const Emission&, const Emission&) = default;
};

/// What both PDUs begin with.
struct RadioHeader {
  std::uint8_t exercise = 1;
  Nanoseconds utc{0};  // since 1970
  RadioId radio{};
};

struct Transmitter {
  TransmitState state = TransmitState::kSilent;
  Vec3 antenna{};          // m, earth-centred as EntityState::location
  Vec3 antenna_on_body{};  // m along the body's axes, x forward, y to the right, z down
  Emission emission{};
};

struct Receiver {
  ReceiveState state = ReceiveState::kSilent;
  float power_dbm = 0;
  RadioId transmitter{};  // whose signal that is
};

inline constexpr std::size_t kTransmitterSize = 104;  // bytes
inline constexpr std::size_t kReceiverSize = 36;      // bytes

/// Without modulation parameters, antenna pattern (omnidirectional) and encryption. The radio's entity type is a radio
/// (kind 7) for data (category 2) of no country; the modulation's system is generic.
std::array<std::byte, kTransmitterSize> transmitter_pdu(const RadioHeader& header, const Transmitter& transmitter);
std::array<std::byte, kReceiverSize> receiver_pdu(const RadioHeader& header, const Receiver& receiver);

}  // namespace hilgate::dis
