// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dis/entity_state.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "host/byte_cursor.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/place.h"

namespace hilgate::dis {
namespace {

using Bytes = std::span<const std::byte>;

// Offsets within a PDU and an Entity State PDU, bytes.
constexpr std::size_t kHeaderSize = 12;
constexpr std::size_t kTimestampAt = 4;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kEntityIdAt = 12;
constexpr std::size_t kRecordsAt = 19;  // the number of variable parameters
constexpr std::size_t kVelocityAt = 36;
constexpr std::size_t kLocationAt = 48;
constexpr std::size_t kOrientationAt = 72;
constexpr std::size_t kAlgorithmAt = 88;
constexpr std::size_t kAccelerationAt = 104;
constexpr std::size_t kAngularVelocityAt = 116;
constexpr std::size_t kEntityStateSize = 144;
constexpr std::size_t kRecordSize = 16;
constexpr std::uint8_t kEntityStateType = 1;

// Beyond what vehicles, rockets and satellites do.
constexpr double kFastest = 1e5;       // m/s
constexpr double kHardest = 1e5;       // m/s²
constexpr double kFastestTurn = 1e4;   // rad/s
constexpr double kLargestAngle = 1e3;  // rad

float float_at(Bytes pdu, std::size_t offset) {
  return std::bit_cast<float>(load_be<std::uint32_t>(pdu, offset));
}

Vec3 floats_at(Bytes pdu, std::size_t offset) {
  return {float_at(pdu, offset), float_at(pdu, offset + 4), float_at(pdu, offset + 8)};
}

Vec3 doubles_at(Bytes pdu, std::size_t offset) {
  const auto at = [&](std::size_t i) { return std::bit_cast<double>(load_be<std::uint64_t>(pdu, offset + 8 * i)); };
  return {at(0), at(1), at(2)};
}

// False for what is no number, too.
bool is_within(const Vec3& v, double most) {
  return std::abs(v.x) <= most && std::abs(v.y) <= most && std::abs(v.z) <= most;
}

Pdu read_entity_state(Bytes pdu) {
  if (pdu.size() < kEntityStateSize ||
      pdu.size() < kEntityStateSize + kRecordSize * std::to_integer<std::size_t>(pdu[kRecordsAt])) {
    return Fault::kLength;
  }
  const Vec3 angles = floats_at(pdu, kOrientationAt);
  EntityState state{.id = {.site = load_be<std::uint16_t>(pdu, kEntityIdAt),
                           .application = load_be<std::uint16_t>(pdu, kEntityIdAt + 2),
                           .entity = load_be<std::uint16_t>(pdu, kEntityIdAt + 4)},
                    .exercise = std::to_integer<std::uint8_t>(pdu[1]),
                    .timestamp = load_be<std::uint32_t>(pdu, kTimestampAt) >> 1U,  // the last bit: absolute or relative
                    .algorithm = std::to_integer<std::uint8_t>(pdu[kAlgorithmAt]),
                    .location = doubles_at(pdu, kLocationAt),
                    .velocity = floats_at(pdu, kVelocityAt),
                    .acceleration = floats_at(pdu, kAccelerationAt),
                    .angular_velocity = floats_at(pdu, kAngularVelocityAt),
                    .psi = angles.x,
                    .theta = angles.y,
                    .phi = angles.z};
  const bool good = is_within(state.location, kWorldReach) && is_within(state.velocity, kFastest) &&
                    is_within(state.acceleration, kHardest) && is_within(state.angular_velocity, kFastestTurn) &&
                    is_within(angles, kLargestAngle);
  return good ? Pdu(state) : Pdu(Fault::kNumbers);
}

// A turn about an axis with a rate in rad/s.
Quaternion turned_by(const Vec3& rate, double seconds) {
  const double speed = std::sqrt(rate.x * rate.x + rate.y * rate.y + rate.z * rate.z);
  if (!(speed > 0)) {
    return {};
  }
  const double half = speed * seconds / 2;
  const double scale = std::sin(half) / speed;
  return {std::cos(half), rate.x * scale, rate.y * scale, rate.z * scale};
}

}  // namespace

std::optional<EntityId> EntityId::parse(std::string_view text) {
  EntityId id;
  std::uint16_t* const parts[] = {&id.site, &id.application, &id.entity};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint16_t* part : parts) {
    if (part != parts[0] && (at == end || *at++ != ':')) {
      return std::nullopt;
    }
    const auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc()) {
      return std::nullopt;
    }
    at = next;
  }
  return at == end ? std::optional(id) : std::nullopt;
}

std::string EntityId::text() const {
  return fmt::format("{}:{}:{}", site, application, entity);
}

std::vector<Pdu> read_datagram(Bytes datagram) {
  std::vector<Pdu> pdus;
  while (!datagram.empty()) {
    if (datagram.size() < kHeaderSize) {
      pdus.emplace_back(Fault::kHeader);
      return pdus;
    }
    if (const auto version = std::to_integer<unsigned>(datagram[0]); version < 5 || version > 7) {
      pdus.emplace_back(Fault::kVersion);
      return pdus;
    }
    const std::size_t length = load_be<std::uint16_t>(datagram, kLengthAt);
    if (length < kHeaderSize || length > datagram.size()) {
      pdus.emplace_back(Fault::kLength);
      return pdus;
    }
    const bool is_state = std::to_integer<std::uint8_t>(datagram[2]) == kEntityStateType;
    pdus.push_back(is_state ? read_entity_state(datagram.first(length)) : Pdu(OtherPdu{}));
    datagram = datagram.subspan(length);
  }
  return pdus;
}

WorldPose reckoned(const EntityState& state, Nanoseconds after) {
  const double seconds = seconds_of(after);
  const bool moves = state.algorithm >= 2 && state.algorithm <= 5;
  const bool accelerates = state.algorithm == 4 || state.algorithm == 5;
  const bool turns = state.algorithm == 3 || state.algorithm == 4;
  const double linear = moves ? seconds : 0;
  const double square = accelerates ? seconds * seconds / 2 : 0;
  const Vec3& p = state.location;
  const Vec3& v = state.velocity;
  const Vec3& a = state.acceleration;
  const Quaternion begin = from_rpy(state.phi, state.theta, state.psi);
  return {.location = {p.x + v.x * linear + a.x * square, p.y + v.y * linear + a.y * square,
                       p.z + v.z * linear + a.z * square},
          .orientation = turns ? times(begin, turned_by(state.angular_velocity, seconds)) : begin};
}

}  // namespace hilgate::dis
