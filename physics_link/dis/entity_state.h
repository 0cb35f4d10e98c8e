// SPDX-License-Identifier: Apache-2.0
// Entity State PDUs of Distributed Interactive Simulation, as IEEE 1278.1-2012, 7.2.2, has them (versions 5 to 7 of the
// protocol, which agree on what is read here), and dead reckoning (Annex E).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate::dis {

/// An entity: site, application and entity, each 0 to 65535.
struct EntityId {
  std::uint16_t site = 0, application = 0, entity = 0;
  friend auto operator<=>(const EntityId&, const EntityId&) = default;

  /// "1:2:7"; empty for other text.
  static std::optional<EntityId> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

/// What an Entity State PDU contains, in world coordinates: earth-centred, metres, x through 0 N 0 E, z through the
/// north pole (WGS 84). The body's axes: x forward, y to the right, z down.
struct EntityState {
  EntityId id{};
  std::uint8_t exercise = 0;
  std::uint32_t timestamp = 0;         // since the hour, in units of 1 h / 2^31, of a clock of the sender's own
  std::uint8_t algorithm = 0;          // of dead reckoning
  Vec3 location{};                     // m
  Vec3 velocity{};                     // m/s; of the algorithms 6 to 9 along the body's axes
  Vec3 acceleration{};                 // m/s²; likewise
  Vec3 angular_velocity{};             // rad/s about the body's axes
  double psi = 0, theta = 0, phi = 0;  // rad, about z, then y, then x of the body
};

/// Why a PDU is refused.
enum class Fault : std::uint8_t {
  kHeader,   // fewer than the 12 bytes of a header
  kVersion,  // of the protocol: neither 5, 6 nor 7
  kLength,   // longer than its datagram, or not as long as its contents
  kNumbers,  // not a number, or beyond what moves on and around the earth
  kCount
};
/// By Fault, for status.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Fault::kCount)> kFaults = {"header", "version",
                                                                                                  "length", "numbers"};

/// A PDU of another type.
struct OtherPdu {};
using Pdu = std::variant<EntityState, OtherPdu, Fault>;

/// The PDUs of a datagram in their order, one or a bundle. What follows a PDU whose end is unknown is not read.
std::vector<Pdu> read_datagram(std::span<const std::byte> datagram);

/// A position, and how the body is turned: from its axes to those of the world.
struct WorldPose {
  Vec3 location{};
  Quaternion orientation{};
};

/// Where the entity is `after` the instant of its state, as its algorithm of dead reckoning has it: 1 static, 2 with
/// its velocity, 3 also turning, 4 also accelerated and turning, 5 accelerated without turning. With all others, of
/// which 6 to 9 have velocities along the body's axes, it stays.
WorldPose reckoned(const EntityState& state, Nanoseconds after);

}  // namespace hilgate::dis
