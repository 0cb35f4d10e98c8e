// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

using mavlink::Geodetic;

constexpr std::size_t kUlogHeader = 16;
constexpr std::size_t kUlogMessageHeader = 3;
constexpr double kLatestUs = 4e15;  // simulators count from 1970, until 2096

enum class UlogType : std::uint8_t {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat,
  kDouble
};
struct UlogTypeRow {
  std::string_view name;
  UlogType type;
  std::size_t size;
};
constexpr std::array kUlogTypes = {
    UlogTypeRow{"int8_t", UlogType::kInt8, 1},   UlogTypeRow{"uint8_t", UlogType::kUint8, 1},
    UlogTypeRow{"bool", UlogType::kUint8, 1},    UlogTypeRow{"char", UlogType::kUint8, 1},
    UlogTypeRow{"int16_t", UlogType::kInt16, 2}, UlogTypeRow{"uint16_t", UlogType::kUint16, 2},
    UlogTypeRow{"int32_t", UlogType::kInt32, 4}, UlogTypeRow{"uint32_t", UlogType::kUint32, 4},
    UlogTypeRow{"int64_t", UlogType::kInt64, 8}, UlogTypeRow{"uint64_t", UlogType::kUint64, 8},
    UlogTypeRow{"float", UlogType::kFloat, 4},   UlogTypeRow{"double", UlogType::kDouble, 8},
};

double ulog_number(std::string_view bytes, std::size_t offset, UlogType type) {
  switch (type) {
    case UlogType::kInt8:
      return number_at<std::int8_t>(bytes, offset);
    case UlogType::kUint8:
      return number_at<std::uint8_t>(bytes, offset);
    case UlogType::kInt16:
      return number_at<std::int16_t>(bytes, offset);
    case UlogType::kUint16:
      return number_at<std::uint16_t>(bytes, offset);
    case UlogType::kInt32:
      return number_at<std::int32_t>(bytes, offset);
    case UlogType::kUint32:
      return number_at<std::uint32_t>(bytes, offset);
    case UlogType::kInt64:
      return static_cast<double>(number_at<std::int64_t>(bytes, offset));
    case UlogType::kUint64:
      return static_cast<double>(number_at<std::uint64_t>(bytes, offset));
    case UlogType::kFloat:
      return static_cast<double>(number_at<float>(bytes, offset));
    case UlogType::kDouble:
      return number_at<double>(bytes, offset);
  }
  return 0;
}

struct UlogField {
  std::size_t offset = 0;
  UlogType type{};
};
/// Where the plain fields of a message are; those within nested messages are not listed.
using UlogLayout = std::map<std::string, UlogField, std::less<>>;

/// A message of a topic, with its layout.
class UlogRow {
 public:
  UlogRow(std::string_view bytes, const UlogLayout& layout) : bytes_(bytes), layout_(layout) {}
  [[nodiscard]] std::optional<double> at(std::string_view field) const {
    const auto found = layout_.find(field);
    if (found == layout_.end() || !has_bytes(bytes_, found->second.offset, size_of(found->second.type))) {
      return std::nullopt;
    }
    return ulog_number(bytes_, found->second.offset, found->second.type);
  }
  /// True when the field is there and 0.
  [[nodiscard]] bool denies(std::string_view field) const { return at(field) == std::optional(0.0); }

 private:
  static std::size_t size_of(UlogType type) { return std::ranges::find(kUlogTypes, type, &UlogTypeRow::type)->size; }
  std::string_view bytes_;
  const UlogLayout& layout_;
};

/// Of north, east, down of a reference, in PX4's projection: azimuthal and equidistant on a sphere of 6 371 000 m
/// (Snyder, "Map Projections", 1987, eq. 20-14 and 20-15).
Geodetic unprojected(const Vec3& ned, const Geodetic& reference) {
  constexpr double kRadius = 6371000.0;
  const double lat = reference.lat_deg * M_PI / 180;
  const double x = ned.x / kRadius;
  const double y = ned.y / kRadius;
  const double c = std::hypot(x, y);
  if (!(c > 0)) {
    return {reference.lat_deg, reference.lon_deg, reference.alt_m - ned.z};
  }
  const double lat_rad = std::asin(std::cos(c) * std::sin(lat) + x * std::sin(c) * std::cos(lat) / c);
  const double turn = std::atan2(y * std::sin(c), c * std::cos(lat) * std::cos(c) - x * std::sin(lat) * std::sin(c));
  return {lat_rad * 180 / M_PI, reference.lon_deg + turn * 180 / M_PI, reference.alt_m - ned.z};
}

/// Autopilots log zeros, or no numbers, until they know where they are.
bool is_fix(const std::optional<double>& lat, const std::optional<double>& lon) {
  return lat && lon && std::isfinite(*lat) && std::isfinite(*lon) && (*lat != 0 || *lon != 0);
}

struct UlogSample {
  Nanoseconds at{};
  std::size_t spot = 0;
  std::optional<LogPlace> place{};  // absent: without a fix
  bool on_earth = false;
};

class UlogReader {
 public:
  UlogReader(std::string_view bytes, const std::string& file)
      : bytes_(bytes), file_(file), log_(file, "ULog (PX4)", LogClock::kBoot, LogBuilder::Counts::kBytes) {}
  TrackLog read();

 private:
  enum class Topic : std::uint8_t { kNone, kGlobal, kLocal, kGnss, kSensorGnss, kRadio };
  struct Subscription {
    const UlogLayout* layout = nullptr;
    Topic topic = Topic::kNone;
  };
  void read_messages();
  /// The end of the stretch of whole messages that `offset` lies in.
  [[nodiscard]] std::size_t stretch_end(std::size_t offset) const;
  void take(char type, std::string_view body, std::size_t spot);
  void take_flags(std::string_view body, std::size_t spot);
  void take_format(std::string_view body, std::size_t spot);
  void take_subscription(std::string_view body, std::size_t spot);
  void take_data(std::string_view body, std::size_t spot);
  void take_place(Topic topic, const UlogRow& row, UlogSample sample);
  std::size_t size_of_type(std::string_view type) const;
  TrackLog finish();

  std::string_view bytes_;
  const std::string& file_;
  LogBuilder log_;
  std::map<std::string, UlogLayout, std::less<>> layouts_;
  std::map<std::string, std::size_t, std::less<>> sizes_;  // of messages, bytes
  std::map<std::uint16_t, Subscription> subscriptions_;
  std::array<std::vector<UlogSample>, 4> samples_;  // by Topic - 1
  std::vector<std::size_t> appended_;               // offsets at which data was appended
};

TrackLog UlogReader::read() {
  if (bytes_.size() < kUlogHeader) {
    log_.fault(bytes_.size(), "the header of 16 bytes is cut off");
    return log_.finish("");
  }
  read_messages();
  return finish();
}

void UlogReader::read_messages() {
  std::size_t offset = kUlogHeader;
  while (offset < bytes_.size() && !log_.full()) {
    const std::size_t end = stretch_end(offset);
    const bool has_header = end - offset >= kUlogMessageHeader;
    const std::size_t size = has_header ? number_at<std::uint16_t>(bytes_, offset) : 0;
    if (!has_header || size > end - offset - kUlogMessageHeader) {
      log_.note(fmt::format("the message at byte {} is cut off and left out", offset));
      offset = end;
      continue;
    }
    take(bytes_[offset + 2], bytes_.substr(offset + kUlogMessageHeader, size), offset);
    offset += kUlogMessageHeader + size;
  }
}

std::size_t UlogReader::stretch_end(std::size_t offset) const {
  const auto next = std::ranges::find_if(appended_, [offset](std::size_t at) { return at > offset; });
  return next == appended_.end() ? bytes_.size() : *next;
}

void UlogReader::take(char type, std::string_view body, std::size_t spot) {
  switch (type) {
    case 'B':
      return take_flags(body, spot);
    case 'F':
      return take_format(body, spot);
    case 'A':
      return take_subscription(body, spot);
    case 'D':
      return take_data(body, spot);
    default:
      return;  // parameters, texts, marks
  }
}

void UlogReader::take_flags(std::string_view body, std::size_t spot) {
  constexpr std::size_t kFlags = 40;
  if (body.size() < kFlags) {
    return log_.fault(spot, fmt::format("the flags have {} bytes; they have {}", body.size(), kFlags));
  }
  for (std::size_t i = 0; i < 8; ++i) {
    const auto flags = number_at<std::uint8_t>(body, 8 + i);
    if ((i == 0 ? flags & ~1U : flags) != 0) {
      return log_.fault(spot, "has flags that say that this reader cannot read it; convert it with a newer pyulog");
    }
  }
  if ((number_at<std::uint8_t>(body, 8) & 1U) != 0) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto at = number_at<std::uint64_t>(body, 16 + 8 * i);
      if (at > spot && at < bytes_.size()) {
        appended_.push_back(static_cast<std::size_t>(at));
      }
    }
    std::ranges::sort(appended_);
  }
}

std::size_t UlogReader::size_of_type(std::string_view type) const {
  const auto plain = std::ranges::find(kUlogTypes, type, &UlogTypeRow::name);
  if (plain != kUlogTypes.end()) {
    return plain->size;
  }
  const auto nested = sizes_.find(type);
  return nested == sizes_.end() ? 0 : nested->second;
}

// "NAME:TYPE FIELD;TYPE[4] FIELD;"
void UlogReader::take_format(std::string_view body, std::size_t spot) {
  const std::size_t colon = body.find(':');
  if (colon == std::string_view::npos) {
    return log_.fault(spot, fmt::format("the format '{}' has no name", shown(body)));
  }
  UlogLayout layout;
  std::size_t offset = 0;
  bool known = true;  // where the next field is
  for (std::string_view rest = body.substr(colon + 1); !rest.empty() && known;) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t blank = field.find(' ');
    if (blank == std::string_view::npos) {
      continue;
    }
    const std::string_view type = field.substr(0, std::min(field.find('['), blank));
    std::size_t count = 1;
    if (type.size() < blank) {
      count = 0;
      for (const char c : field.substr(type.size() + 1, blank - type.size() - 1)) {
        count = c >= '0' && c <= '9' && count < 100'000 ? count * 10 + static_cast<std::size_t>(c - '0') : count;
      }
    }
    const auto plain = std::ranges::find(kUlogTypes, type, &UlogTypeRow::name);
    if (plain != kUlogTypes.end() && type.size() == blank) {
      layout.emplace(std::string(field.substr(blank + 1)), UlogField{offset, plain->type});
    }
    const std::size_t size = size_of_type(type);
    known = size > 0 && size <= 0x10000;
    offset += size * count;
  }
  const std::string name(body.substr(0, colon));
  sizes_[name] = offset;
  layouts_[name] = std::move(layout);
}

void UlogReader::take_subscription(std::string_view body, std::size_t spot) {
  if (body.size() < 3) {
    return log_.fault(spot, fmt::format("a subscription of {} bytes is too short", body.size()));
  }
  const auto instance = number_at<std::uint8_t>(body, 0);
  const auto id = number_at<std::uint16_t>(body, 1);
  const std::string name(body.substr(3));
  const auto layout = layouts_.find(name);
  if (layout == layouts_.end()) {
    return log_.fault(spot, fmt::format("subscribes to '{}', of which there is no format", shown(name)));
  }
  constexpr std::array kTopics = {
      std::pair{std::string_view("vehicle_global_position"), Topic::kGlobal},
      std::pair{std::string_view("vehicle_local_position"), Topic::kLocal},
      std::pair{std::string_view("vehicle_gps_position"), Topic::kGnss},
      std::pair{std::string_view("sensor_gps"), Topic::kSensorGnss},
      std::pair{std::string_view("radio_status"), Topic::kRadio},
  };
  const auto topic = std::ranges::find(kTopics, name, [](const auto& row) { return row.first; });
  const bool wanted = topic != kTopics.end() && instance == 0;  // of several instances the first counts
  subscriptions_[id] = {&layout->second, wanted ? topic->second : Topic::kNone};
}

void UlogReader::take_data(std::string_view body, std::size_t spot) {
  if (body.size() < 2) {
    return log_.fault(spot, "a data message is too short for its topic");
  }
  const auto found = subscriptions_.find(number_at<std::uint16_t>(body, 0));
  if (found == subscriptions_.end() || found->second.topic == Topic::kNone) {
    return;
  }
  const UlogRow row(body.substr(2), *found->second.layout);
  const auto time = row.at("timestamp");
  if (!time || !(*time >= 0 && *time <= kLatestUs)) {
    return log_.fault(spot, "a position has no time, or one after 2096");
  }
  const Nanoseconds at{std::llround(*time) * 1000};
  take_place(found->second.topic, row, {at, spot, std::nullopt, true});
}

void UlogReader::take_place(Topic topic, const UlogRow& row, UlogSample sample) {
  const auto scaled = [&row](std::string_view now, std::string_view before, double scale) -> std::optional<double> {
    if (const auto value = row.at(now)) {
      return value;
    }
    const auto value = row.at(before);
    return value ? std::optional(*value * scale) : std::nullopt;
  };
  if (topic == Topic::kRadio) {
    const auto whole = [&row](std::string_view field, double most, double absent) {
      const double value = row.at(field).value_or(absent);
      return value >= 0 && value <= most ? value : absent;
    };
    const auto byte = [&whole](std::string_view field) { return static_cast<std::uint8_t>(whole(field, 255, 255)); };
    return log_.add_radio(sample.at,
                          {.rxerrors = static_cast<std::uint16_t>(whole("rxerrors", 65535, 0)),
                           .fixed = static_cast<std::uint16_t>(whole("fix", 65535, whole("fixed", 65535, 0))),
                           .rssi = byte("rssi"),
                           .remrssi = byte("remote_rssi"),
                           .noise = byte("noise"),
                           .remnoise = byte("remote_noise")},
                          sample.spot);
  }
  if (topic == Topic::kGlobal) {
    const auto lat = row.at("lat");
    const auto lon = row.at("lon");
    if (is_fix(lat, lon) && !row.denies("lat_lon_valid")) {
      sample.place = Geodetic{*lat, *lon, row.at("alt").value_or(0)};
    }
  } else if (topic == Topic::kGnss || topic == Topic::kSensorGnss) {
    const auto lat = scaled("latitude_deg", "lat", 1e-7);
    const auto lon = scaled("longitude_deg", "lon", 1e-7);
    const auto alt = scaled("altitude_msl_m", "alt", 1e-3);
    const double fix = row.at("fix_type").value_or(3);
    if (is_fix(lat, lon) && fix >= 2) {
      sample.place = Geodetic{*lat, *lon, alt.value_or(0)};
      const double utc_us = row.at("time_utc_usec").value_or(0);
      if (utc_us > 1e15 && utc_us < 4e15) {  // 2001 to 2096; 0 while it is not known
        log_.set_utc_of_zero(Nanoseconds{std::llround(utc_us) * 1000} - sample.at);
      }
    }
  } else if (const auto x = row.at("x"), y = row.at("y"), z = row.at("z"); x && y && z && !row.denies("xy_valid")) {
    sample.on_earth = !row.denies("xy_global") && is_fix(row.at("ref_lat"), row.at("ref_lon"));
    sample.place = sample.on_earth
                       ? LogPlace(unprojected({*x, *y, *z}, {*row.at("ref_lat"), row.at("ref_lon").value_or(0),
                                                             row.at("ref_alt").value_or(0)}))
                       : LogPlace(Vec3{*y, *x, -*z});
  }
  samples_[static_cast<std::size_t>(topic) - 1].push_back(sample);
}

TrackLog UlogReader::finish() {
  const std::string name = std::filesystem::path(file_).stem().string();
  constexpr std::array kNames = {"vehicle_global_position", "vehicle_local_position", "vehicle_gps_position",
                                 "sensor_gps"};
  for (std::size_t topic = 0; topic < kNames.size(); ++topic) {
    std::vector<UlogSample>& samples = samples_[topic];
    const auto placed = static_cast<std::size_t>(
        std::ranges::count_if(samples, [](const UlogSample& sample) { return sample.place.has_value(); }));
    if (placed == 0) {
      continue;
    }
    const bool on_earth =
        std::ranges::any_of(samples, [](const UlogSample& sample) { return sample.place && sample.on_earth; });
    for (const UlogSample& sample : samples) {
      if (!sample.place) {
        log_.leave_out("positions without a fix");
      } else if (sample.on_earth != on_earth) {
        log_.leave_out("positions before the local frame has a place on the earth");
      } else {
        log_.add(name, sample.at, *sample.place, sample.spot);
      }
    }
    log_.note(fmt::format("positions are those of {}", kNames[topic]));
    break;
  }
  return log_.finish(
      "has no positions: neither vehicle_global_position, vehicle_local_position nor a GNSS receiver's "
      "with a fix was logged; log one of them (PX4: SDLOG_PROFILE)");
}

}  // namespace

TrackLog parse_ulog(std::string_view bytes, const std::string& file) {
  return UlogReader(bytes, file).read();
}

}  // namespace hilgate
