// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

using mavlink::Geodetic;

constexpr std::size_t kDataflashHeader = 3;  // A3 95 and the message's type
constexpr std::uint8_t kFormatType = 128;    // FMT, which describes the others and itself
constexpr std::size_t kFormatSize = 89;

/// Bytes of a field by its letter in a format; 0 for letters that are not known.
std::size_t dataflash_size(char letter) {
  switch (letter) {
    case 'b':
    case 'B':
    case 'M':
      return 1;
    case 'h':
    case 'H':
    case 'c':
    case 'C':
    case 'g':
      return 2;
    case 'i':
    case 'I':
    case 'f':
    case 'n':
    case 'e':
    case 'E':
    case 'L':
      return 4;
    case 'd':
    case 'q':
    case 'Q':
      return 8;
    case 'N':
      return 16;
    case 'Z':
    case 'a':
      return 64;
    default:
      return 0;
  }
}

/// The value of a field in its unit; empty for texts and arrays. c, C, e and E are hundredths, L is 1e-7 degrees.
std::optional<double> dataflash_number(std::string_view bytes, std::size_t offset, char letter) {
  switch (letter) {
    case 'b':
      return number_at<std::int8_t>(bytes, offset);
    case 'B':
    case 'M':
      return number_at<std::uint8_t>(bytes, offset);
    case 'h':
      return number_at<std::int16_t>(bytes, offset);
    case 'H':
      return number_at<std::uint16_t>(bytes, offset);
    case 'c':
      return number_at<std::int16_t>(bytes, offset) / 100.0;
    case 'C':
      return number_at<std::uint16_t>(bytes, offset) / 100.0;
    case 'i':
      return number_at<std::int32_t>(bytes, offset);
    case 'I':
      return number_at<std::uint32_t>(bytes, offset);
    case 'e':
      return number_at<std::int32_t>(bytes, offset) / 100.0;
    case 'E':
      return number_at<std::uint32_t>(bytes, offset) / 100.0;
    case 'L':
      return number_at<std::int32_t>(bytes, offset) * 1e-7;
    case 'f':
      return static_cast<double>(number_at<float>(bytes, offset));
    case 'd':
      return number_at<double>(bytes, offset);
    case 'q':
      return static_cast<double>(number_at<std::int64_t>(bytes, offset));
    case 'Q':
      return static_cast<double>(number_at<std::uint64_t>(bytes, offset));
    default:
      return std::nullopt;
  }
}

/// Text in a field of fixed length, up to its first zero.
std::string_view fixed_text(std::string_view bytes, std::size_t offset, std::size_t length) {
  const std::string_view field = bytes.substr(offset, length);
  return field.substr(0, std::min(field.find('\0'), field.size()));
}

struct DataflashField {
  std::size_t offset = 0;
  char letter = 0;
};
struct DataflashFormat {
  std::size_t size = 0;  // with its header
  std::string name;
  std::map<std::string, DataflashField, std::less<>> fields;

  [[nodiscard]] std::optional<double> at(std::string_view message, std::string_view field) const {
    const auto found = fields.find(field);
    return found == fields.end() ? std::nullopt : dataflash_number(message, found->second.offset, found->second.letter);
  }
};

struct DataflashSample {
  Nanoseconds at{};
  std::size_t spot = 0;
  std::optional<Geodetic> place{};
};

class DataflashReader {
 public:
  DataflashReader(std::string_view bytes, const std::string& file)
      : bytes_(bytes), file_(file), log_(file, "DataFlash (ArduPilot)", LogClock::kBoot, LogBuilder::Counts::kBytes) {
    formats_[kFormatType].size = kFormatSize;
  }
  TrackLog read();

 private:
  [[nodiscard]] bool is_message(std::size_t offset) const;
  void take(std::string_view message, std::size_t spot);
  void take_format(std::string_view message, std::size_t spot);
  void take_position(const DataflashFormat& format, std::string_view message, std::size_t spot);
  void take_radio(const DataflashFormat& format, std::string_view message, std::size_t spot);
  std::optional<Nanoseconds> time_in(const DataflashFormat& format, std::string_view message, std::size_t spot);
  void note_utc(const DataflashFormat& format, std::string_view message, Nanoseconds at);
  TrackLog finish();

  std::string_view bytes_;
  const std::string& file_;
  LogBuilder log_;
  std::array<DataflashFormat, 256> formats_{};  // size 0: not described so far
  std::vector<DataflashSample> filtered_;       // POS
  std::vector<DataflashSample> received_;       // GPS
};

TrackLog DataflashReader::read() {
  std::size_t skipped = 0;
  for (std::size_t offset = 0; offset < bytes_.size() && !log_.full();) {
    if (!is_message(offset)) {
      ++skipped;
      ++offset;
      continue;
    }
    const std::size_t size = formats_[number_at<std::uint8_t>(bytes_, offset + 2)].size;
    take(bytes_.substr(offset, size), offset);
    offset += size;
  }
  if (skipped > 0) {
    log_.leave_out("bytes that are no whole messages", skipped);
  }
  return finish();
}

bool DataflashReader::is_message(std::size_t offset) const {
  if (!has_bytes(bytes_, offset, kDataflashHeader) || bytes_[offset] != '\xA3' || bytes_[offset + 1] != '\x95') {
    return false;
  }
  const std::size_t size = formats_[number_at<std::uint8_t>(bytes_, offset + 2)].size;
  return size >= kDataflashHeader && has_bytes(bytes_, offset, size);
}

void DataflashReader::take(std::string_view message, std::size_t spot) {
  const auto type = number_at<std::uint8_t>(message, 2);
  if (type == kFormatType) {
    return take_format(message, spot);
  }
  const DataflashFormat& format = formats_[type];
  if (format.name == "POS" || format.name == "GPS") {
    take_position(format, message, spot);
  } else if (format.name == "RAD") {
    take_radio(format, message, spot);
  }
}

void DataflashReader::take_format(std::string_view message, std::size_t spot) {
  const auto type = number_at<std::uint8_t>(message, 3);
  if (type == kFormatType) {
    return;
  }
  DataflashFormat format{
      .size = number_at<std::uint8_t>(message, 4), .name = std::string(fixed_text(message, 5, 4)), .fields = {}};
  const std::string_view letters = fixed_text(message, 9, 16);
  const std::vector<std::string> labels = parts_of(fixed_text(message, 25, 64), ',');
  std::size_t offset = kDataflashHeader;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::size_t size = dataflash_size(letters[i]);
    if (size == 0) {
      return log_.leave_out(
          fmt::format("formats of messages with the unknown field type '{}'", shown(letters.substr(i, 1))));
    }
    if (i < labels.size()) {
      format.fields.emplace(labels[i], DataflashField{offset, letters[i]});
    }
    offset += size;
  }
  if (offset != format.size) {
    return log_.fault(spot, fmt::format("the format of '{}' has fields of {} bytes, and a size of {}",
                                        shown(format.name), offset, format.size));
  }
  formats_[type] = std::move(format);
}

// Nothing for a message without one, and, with a fault, for a time out of range.
std::optional<Nanoseconds> DataflashReader::time_in(const DataflashFormat& format, std::string_view message,
                                                    std::size_t spot) {
  const auto us = format.at(message, "TimeUS");
  if (us && !(*us >= 0 && *us <= 1e15)) {
    log_.fault(spot, fmt::format("the time {:g} us is out of range; allowed: 0 to 1e15 us", *us));
    return std::nullopt;
  }
  return us ? std::optional(Nanoseconds{std::llround(*us) * 1000}) : std::nullopt;
}

void DataflashReader::take_position(const DataflashFormat& format, std::string_view message, std::size_t spot) {
  const auto lat = format.at(message, "Lat");
  const auto lon = format.at(message, "Lng");
  if (!format.at(message, "TimeUS") || !lat || !lon) {
    return log_.leave_out(
        fmt::format("{} messages without TimeUS (of ArduPilot before 2015), Lat or Lng", format.name));
  }
  const auto at = time_in(format, message, spot);
  if (!at) {
    return;
  }
  DataflashSample sample{.at = *at, .spot = spot};
  const bool received = format.name == "GPS";
  if (received && format.at(message, "I").value_or(0) != 0) {
    return;  // a second receiver
  }
  constexpr double kFix2d = 2;
  const bool fix = (*lat != 0 || *lon != 0) && (!received || format.at(message, "Status").value_or(kFix2d) >= kFix2d);
  if (fix) {
    sample.place = Geodetic{*lat, *lon, format.at(message, "Alt").value_or(0)};
    if (received) {
      note_utc(format, message, sample.at);
    }
  }
  (received ? received_ : filtered_).push_back(sample);
}

// GPS time has leap seconds; it has been 18 s ahead of UTC since 2017 (IERS Bulletin C).
void DataflashReader::note_utc(const DataflashFormat& format, std::string_view message, Nanoseconds at) {
  constexpr std::int64_t kGpsEpoch = 315'964'800;  // 1980-01-06, s since 1970
  constexpr std::int64_t kLeapSeconds = 18;
  const double week = format.at(message, "GWk").value_or(0);
  const double ms = format.at(message, "GMS").value_or(-1);
  if (week >= 1000 && week <= 5000 && ms >= 0 && ms < 604'800'000) {
    const std::int64_t seconds = kGpsEpoch + static_cast<std::int64_t>(week) * 604'800 - kLeapSeconds;
    log_.set_utc_of_zero(std::chrono::seconds(seconds) + std::chrono::milliseconds(static_cast<std::int64_t>(ms)) - at);
  }
}

void DataflashReader::take_radio(const DataflashFormat& format, std::string_view message, std::size_t spot) {
  if (!format.at(message, "TimeUS")) {
    return log_.leave_out("RAD messages without TimeUS (of ArduPilot before 2015)");
  }
  const auto at = time_in(format, message, spot);
  if (!at) {
    return;
  }
  const auto whole = [&](std::string_view field, double most, double absent) {
    const double value = format.at(message, field).value_or(absent);
    return value >= 0 && value <= most ? value : absent;
  };
  const auto byte = [&whole](std::string_view field) { return static_cast<std::uint8_t>(whole(field, 255, 255)); };
  log_.add_radio(*at,
                 {.rxerrors = static_cast<std::uint16_t>(whole("RxErrors", 65535, 0)),
                  .fixed = static_cast<std::uint16_t>(whole("Fixed", 65535, 0)),
                  .rssi = byte("RSSI"),
                  .remrssi = byte("RemRSSI"),
                  .noise = byte("Noise"),
                  .remnoise = byte("RemNoise")},
                 spot);
}

TrackLog DataflashReader::finish() {
  const auto has_place = [](const DataflashSample& sample) { return sample.place.has_value(); };
  const bool filtered = std::ranges::any_of(filtered_, has_place);
  const std::string name = std::filesystem::path(file_).stem().string();
  for (const DataflashSample& sample : filtered ? filtered_ : received_) {
    if (sample.place) {
      log_.add(name, sample.at, *sample.place, sample.spot);
    } else {
      log_.leave_out("positions without a fix");
    }
  }
  if (filtered || !received_.empty()) {
    log_.note(fmt::format("positions are those of {}", filtered ? "POS" : "GPS"));
  }
  return log_.finish("has no positions: neither POS nor GPS messages with a fix");
}

}  // namespace

TrackLog parse_dataflash(std::string_view bytes, const std::string& file) {
  return DataflashReader(bytes, file).read();
}

}  // namespace hilgate
