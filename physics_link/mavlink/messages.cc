// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/messages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "physics_link/place.h"

namespace hilgate::mavlink {
namespace {

enum class Id : std::uint32_t {
  kHeartbeat = 0,
  kSystemTime = 2,
  kAttitude = 30,
  kLocalPositionNed = 32,
  kGlobalPositionInt = 33,
  kGpsGlobalOrigin = 49,
  kRadioStatus = 109,
  kTimeSync = 111,
  kHighLatency = 234,
  kHighLatency2 = 235,
  kHomePosition = 242,
  kOdometry = 331,
};

constexpr std::uint8_t kRadioStatusExtra = 185;
constexpr double kDegE7 = 1e-7;
constexpr double kMillimetre = 1e-3;

// MAV_FRAME
constexpr std::uint8_t kLocalNed = 1;
constexpr std::uint8_t kLocalEnu = 4;

std::optional<std::uint8_t> crc_extra(std::uint32_t message) {
  switch (Id{message}) {
    case Id::kHeartbeat:
      return 50;
    case Id::kSystemTime:
      return 137;
    case Id::kAttitude:
      return 39;
    case Id::kLocalPositionNed:
      return 185;
    case Id::kGlobalPositionInt:
      return 104;
    case Id::kGpsGlobalOrigin:
      return 39;
    case Id::kRadioStatus:
      return kRadioStatusExtra;
    case Id::kTimeSync:
      return 34;
    case Id::kHighLatency:
      return 150;
    case Id::kHighLatency2:
      return 179;
    case Id::kHomePosition:
      return 104;
    case Id::kOdometry:
      return 91;
  }
  return std::nullopt;
}

// Reads fields at their offsets; past the end of the payload all bytes are zero.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> payload) {
    std::copy_n(payload.begin(), std::min(payload.size(), bytes_.size()), bytes_.begin());
  }
  template <class T>
  [[nodiscard]] T at(std::size_t offset) const {
    static_assert(std::endian::native == std::endian::little && std::is_arithmetic_v<T>);
    T value{};
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  [[nodiscard]] Nanoseconds milliseconds(std::size_t offset) const {
    return std::chrono::milliseconds(at<std::uint32_t>(offset));
  }
  [[nodiscard]] Vec3 floats(std::size_t offset) const {
    return {at<float>(offset), at<float>(offset + 4), at<float>(offset + 8)};
  }
  [[nodiscard]] Geodetic geodetic(std::size_t offset) const {
    return {at<std::int32_t>(offset) * kDegE7, at<std::int32_t>(offset + 4) * kDegE7,
            at<std::int32_t>(offset + 8) * kMillimetre};
  }

 private:
  std::array<std::byte, 255> bytes_{};
};

Vec3 enu_from_ned(const Vec3& ned) {
  return {ned.y, ned.x, -ned.z};
}

Attitude read_attitude(const Fields& fields) {
  const Vec3 rpy = fields.floats(4);
  return {.enu = from_rpy(rpy.x, -rpy.y, M_PI / 2 - rpy.z), .since_boot = fields.milliseconds(0)};
}

Odometry read_odometry(const Fields& fields) {
  switch (fields.at<std::uint8_t>(228)) {
    case kLocalNed:
      return {enu_from_ned(fields.floats(8))};
    case kLocalEnu:
      return {fields.floats(8)};
    default:
      return {};
  }
}

// Latitude and longitude lie at the same places in both.
HighLatency read_high_latency(const Fields& fields, std::size_t altitude) {
  const auto lat = fields.at<std::int32_t>(4);
  const auto lon = fields.at<std::int32_t>(8);
  return {.at = {lat * kDegE7, lon * kDegE7, static_cast<double>(fields.at<std::int16_t>(altitude))},
          .fix = lat != 0 || lon != 0};
}

HighLatency read_high_latency_2(const Fields& fields) {
  HighLatency message = read_high_latency(fields, 14);
  message.heartbeat = Heartbeat{.type = fields.at<std::uint8_t>(24), .autopilot = fields.at<std::uint8_t>(25)};
  return message;
}

RadioStatus read_radio_status(const Fields& fields) {
  return {.rxerrors = fields.at<std::uint16_t>(0),
          .fixed = fields.at<std::uint16_t>(2),
          .rssi = fields.at<std::uint8_t>(4),
          .remrssi = fields.at<std::uint8_t>(5),
          .txbuf = fields.at<std::uint8_t>(6),
          .noise = fields.at<std::uint8_t>(7),
          .remnoise = fields.at<std::uint8_t>(8)};
}

}  // namespace

Checksum check(const Frame& frame) {
  const auto extra = crc_extra(frame.message);
  if (!extra) {
    return Checksum::kUnknown;
  }
  return checksum_of(frame.checked, *extra) == frame.crc ? Checksum::kRight : Checksum::kWrong;
}

std::optional<SimTime> vehicle_time(const Message& message) {
  if (const auto* system = std::get_if<SystemTime>(&message)) {
    return SimTime{system->since_boot};
  }
  if (const auto* attitude = std::get_if<Attitude>(&message)) {
    return SimTime{attitude->since_boot};
  }
  if (const auto* position = std::get_if<GlobalPosition>(&message)) {
    return SimTime{position->since_boot};
  }
  return std::nullopt;
}

Message read_message(const Frame& frame) {
  const Fields fields(frame.payload);
  switch (Id{frame.message}) {
    case Id::kHeartbeat:
      return Heartbeat{.type = fields.at<std::uint8_t>(4), .autopilot = fields.at<std::uint8_t>(5)};
    case Id::kSystemTime:
      return SystemTime{.since_boot = fields.milliseconds(8)};
    case Id::kAttitude:
      return read_attitude(fields);
    case Id::kGlobalPositionInt:
      return GlobalPosition{.at = fields.geodetic(4),
                            .fix = fields.at<std::int32_t>(4) != 0 || fields.at<std::int32_t>(8) != 0,
                            .since_boot = fields.milliseconds(0)};
    case Id::kHighLatency:
      return read_high_latency(fields, 20);
    case Id::kHighLatency2:
      return read_high_latency_2(fields);
    case Id::kLocalPositionNed:
      return LocalPosition{.enu = enu_from_ned(fields.floats(4)), .since_boot = fields.milliseconds(0)};
    case Id::kOdometry:
      return read_odometry(fields);
    case Id::kGpsGlobalOrigin:
      return GlobalOrigin{fields.geodetic(0)};
    case Id::kHomePosition:
      return HomePosition{.at = fields.geodetic(0), .enu = enu_from_ned(fields.floats(12))};
    case Id::kTimeSync:
      return TimeSync{.tc1 = fields.at<std::int64_t>(0), .ts1 = fields.at<std::int64_t>(8)};
    case Id::kRadioStatus:
      return read_radio_status(fields);
  }
  return std::monostate{};
}

std::string write_radio_status(const Speaker& speaker, const RadioStatus& status) {
  const auto low = [](std::uint16_t value) { return static_cast<std::byte>(value & 0xFF); };
  const auto high = [](std::uint16_t value) { return static_cast<std::byte>(value >> 8); };
  const std::array<std::byte, 9> payload = {
      low(status.rxerrors),    high(status.rxerrors),   low(status.fixed),
      high(status.fixed),      std::byte{status.rssi},  std::byte{status.remrssi},
      std::byte{status.txbuf}, std::byte{status.noise}, std::byte{status.remnoise}};
  return write_frame(speaker, static_cast<std::uint32_t>(Id::kRadioStatus), kRadioStatusExtra, payload);
}

}  // namespace hilgate::mavlink
