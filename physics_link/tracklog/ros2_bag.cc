// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "config/plain_text.h"
#include "host/mcap/mcap_reader.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

using mavlink::Geodetic;

/// A message that is not of its type.
struct CdrFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A message in CDR (OMG, "DDS Interoperability Wire Protocol" 2.5, 10): two bytes of encoding, two of options, then
/// numbers at multiples of their size.
class CdrReader {
 public:
  explicit CdrReader(std::string_view bytes) : bytes_(bytes) {
    constexpr std::size_t kEncapsulation = 4;
    if (bytes.size() < kEncapsulation || bytes[0] != 0 || (bytes[1] & ~1) != 0) {
      throw CdrFault("is not in plain CDR");
    }
    is_little_ = bytes[1] == 1;
    bytes_.remove_prefix(kEncapsulation);
  }

  template <class Number>
  Number number() {
    at_ = (at_ + sizeof(Number) - 1) / sizeof(Number) * sizeof(Number);
    need(sizeof(Number));
    std::array<char, sizeof(Number)> raw{};
    std::copy_n(bytes_.data() + at_, sizeof(Number), raw.data());
    if (!is_little_) {
      std::ranges::reverse(raw);
    }
    at_ += sizeof(Number);
    return std::bit_cast<Number>(raw);
  }
  void skip_text() {
    const auto size = number<std::uint32_t>();
    need(size);
    at_ += size;
  }

 private:
  void need(std::size_t bytes) const {
    if (!has_bytes(bytes_, at_, bytes)) {
      throw CdrFault("is shorter than its type");
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_little_ = true;
};

/// The position in a message.
struct BagSample {
  std::optional<Nanoseconds> stamp{};
  std::optional<LogPlace> place{};  // absent: without a fix, or in no frame
  bool is_flat = false;             // its altitude is not known
};

void read_header(CdrReader& cdr, BagSample& sample) {
  const auto seconds = cdr.number<std::int32_t>();
  const auto nanoseconds = cdr.number<std::uint32_t>();
  cdr.skip_text();  // the frame
  if (seconds != 0 || nanoseconds != 0) {
    sample.stamp = std::chrono::seconds(seconds) + Nanoseconds{nanoseconds};
  }
}

void put_metres(BagSample& sample, const Vec3& at) {
  if (std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z)) {
    sample.place = at;
  }
}

void read_pose(CdrReader& cdr, BagSample& sample) {
  read_header(cdr, sample);
  const auto x = cdr.number<double>();
  const auto y = cdr.number<double>();
  put_metres(sample, {x, y, cdr.number<double>()});
}

void read_odometry(CdrReader& cdr, BagSample& sample) {
  read_header(cdr, sample);
  cdr.skip_text();  // the child's frame
  const auto x = cdr.number<double>();
  const auto y = cdr.number<double>();
  put_metres(sample, {x, y, cdr.number<double>()});
}

void put_geodetic(BagSample& sample, double lat, double lon, double alt) {
  if (std::isfinite(lat) && std::isfinite(lon) && (lat != 0 || lon != 0)) {
    sample.is_flat = !std::isfinite(alt);
    sample.place = Geodetic{lat, lon, sample.is_flat ? 0 : alt};
  }
}

void read_fix(CdrReader& cdr, BagSample& sample) {
  read_header(cdr, sample);
  const auto status = cdr.number<std::int8_t>();
  cdr.number<std::uint16_t>();  // service
  const auto lat = cdr.number<double>();
  const auto lon = cdr.number<double>();
  const auto alt = cdr.number<double>();
  if (status >= 0) {
    put_geodetic(sample, lat, lon, alt);
  }
}

// Its own stamps count from the autopilot's start.
void skip_px4_stamps(CdrReader& cdr) {
  cdr.number<std::uint64_t>();
  cdr.number<std::uint64_t>();
}

void read_px4_global(CdrReader& cdr, BagSample& sample) {
  skip_px4_stamps(cdr);
  const auto lat = cdr.number<double>();
  const auto lon = cdr.number<double>();
  put_geodetic(sample, lat, lon, static_cast<double>(cdr.number<float>()));
}

void read_px4_odometry(CdrReader& cdr, BagSample& sample) {
  constexpr std::uint8_t kNorthEastDown = 1;
  constexpr std::uint8_t kForwardRightDown = 2;
  skip_px4_stamps(cdr);
  const auto frame = cdr.number<std::uint8_t>();
  const auto a = static_cast<double>(cdr.number<float>());
  const auto b = static_cast<double>(cdr.number<float>());
  const auto down = static_cast<double>(cdr.number<float>());
  if (frame == kNorthEastDown) {
    put_metres(sample, {b, a, -down});
  } else if (frame == kForwardRightDown) {
    put_metres(sample, {a, -b, -down});
  }
}

struct BagType {
  std::string_view name;
  void (*read)(CdrReader& cdr, BagSample& sample);
};
constexpr std::array kBagTypes = {
    BagType{"geometry_msgs/msg/PoseStamped", read_pose},
    BagType{"geometry_msgs/msg/PoseWithCovarianceStamped", read_pose},
    BagType{"nav_msgs/msg/Odometry", read_odometry},
    BagType{"sensor_msgs/msg/NavSatFix", read_fix},
    BagType{"px4_msgs/msg/VehicleOdometry", read_px4_odometry},
    BagType{"px4_msgs/msg/VehicleGlobalPosition", read_px4_global},
};

class BagReader {
 public:
  BagReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}
  TrackLog read();

 private:
  void take(const McapMessage& message, std::size_t spot);
  [[nodiscard]] Nanoseconds time_of(const BagSample& sample, Nanoseconds received);

  std::string_view bytes_;
  const std::string& file_;
  std::optional<LogBuilder> log_{};  // from the first message on, which has its clock
};

TrackLog BagReader::read() {
  try {
    McapReader reader(bytes_, file_);
    while ((!log_ || !log_->full()) && reader.next([&](const McapMessage& message) {
      take(message, static_cast<std::size_t>(reader.end().offset));
    })) {
    }
    if (!log_) {
      throw ConfigError({{file_, 0, "", fmt::format("has no messages; {}", reader.end().text())}});
    }
    if (!reader.end().whole && !log_->full()) {
      log_->note(reader.end().text());
    }
  } catch (const ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    // The text begins with the name of the file.
    const std::string_view text = error.what();
    throw ConfigError(
        {{file_, 0, "", std::string(text.substr(text.starts_with(file_ + ": ") ? file_.size() + 2 : 0))}});
  }
  return log_->finish(
      "has no positions: none of PoseStamped, PoseWithCovarianceStamped, Odometry, NavSatFix, VehicleOdometry and "
      "VehicleGlobalPosition");
}

void BagReader::take(const McapMessage& message, std::size_t spot) {
  constexpr Nanoseconds kEarliestUtc =
      std::chrono::seconds(978'307'200);                                // 2001-01-01; clocks of simulations are before
  constexpr Nanoseconds kLatest = std::chrono::seconds(4'000'000'000);  // 2096
  if (!log_) {
    const bool is_utc = message.at >= kEarliestUtc;
    log_.emplace(file_, "ROS 2 bag (MCAP)", is_utc ? LogClock::kUtc : LogClock::kSimulation,
                 LogBuilder::Counts::kBytes);
  }
  const auto type = std::ranges::find(kBagTypes, message.channel.schema, &BagType::name);
  if (type == kBagTypes.end()) {
    return log_->leave_out(fmt::format("messages of {}", shown(message.channel.schema)));
  }
  const std::string_view topic = message.channel.topic;
  if (message.channel.encoding != "cdr") {
    return log_->leave_out(
        fmt::format("messages of {} in {}, which is not cdr", shown(topic), shown(message.channel.encoding)));
  }
  if (message.at < Nanoseconds{0} || message.at > kLatest) {
    return log_->fault(spot, fmt::format("a message of {} is of a time after 2096", shown(topic)));
  }
  BagSample sample;
  try {
    CdrReader cdr(message.data);
    type->read(cdr, sample);
  } catch (const CdrFault& fault) {
    return log_->fault(spot, fmt::format("a {} of {} {}", type->name, shown(topic), fault.what()));
  }
  if (!sample.place) {
    return log_->leave_out("positions without a fix, or in no frame that is known");
  }
  if (sample.is_flat) {
    log_->leave_out("altitudes that are missing or no numbers; they count as 0 m");
  }
  log_->add(std::string(topic.substr(topic.starts_with('/') ? 1 : 0)), time_of(sample, message.at), *sample.place,
            spot);
}

// The message's stamp, where it is by the bag's clock.
Nanoseconds BagReader::time_of(const BagSample& sample, Nanoseconds received) {
  constexpr Nanoseconds kLate = std::chrono::seconds(10);
  if (sample.stamp && *sample.stamp >= received - kLate && *sample.stamp <= received + kLate) {
    return *sample.stamp;
  }
  if (sample.stamp) {
    log_->leave_out("stamps more than 10 s from the bag's time, which counts instead");
  }
  return received;
}

}  // namespace

TrackLog parse_ros2_bag(std::string_view bytes, const std::string& file) {
  return BagReader(bytes, file).read();
}

}  // namespace hilgate
