// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <optional>
#include <span>

#include "physics_link/mavlink/frame.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

constexpr std::size_t kTlogTime = 8;  // microseconds since 1970, the most significant byte first

/// A frame and its time, at an offset.
struct TlogEntry {
  Nanoseconds at{};
  mavlink::Frame frame;
  mavlink::Checksum checksum{};
};

std::uint64_t tlog_time_us(std::string_view bytes, std::size_t offset) {
  return __builtin_bswap64(number_at<std::uint64_t>(bytes, offset));
}

/// Empty where there is no frame, or one with a wrong checksum or a time outside 1970 to 2096.
std::optional<TlogEntry> tlog_entry(std::string_view bytes, std::size_t offset) {
  constexpr std::uint64_t kLatest = 4'000'000'000'000'000;
  if (!has_bytes(bytes, offset, kTlogTime + 1) || tlog_time_us(bytes, offset) > kLatest) {
    return std::nullopt;
  }
  const auto rest = std::as_bytes(std::span(bytes.data(), bytes.size())).subspan(offset + kTlogTime);
  const auto frame = mavlink::first_frame(rest);
  if (!frame || mavlink::check(*frame) == mavlink::Checksum::kWrong) {
    return std::nullopt;
  }
  return TlogEntry{Nanoseconds{static_cast<std::int64_t>(tlog_time_us(bytes, offset)) * 1000}, *frame,
                   mavlink::check(*frame)};
}

class TlogReader {
 public:
  TlogReader(std::string_view bytes, const std::string& file)
      : bytes_(bytes), log_(file, "MAVLink telemetry log", LogClock::kUtc, LogBuilder::Counts::kBytes) {}
  TrackLog read();

 private:
  /// The next offset after `offset` at which an entry whose checksum is known to be right begins, or the end.
  [[nodiscard]] std::size_t next_entry(std::size_t offset) const;
  void take(const TlogEntry& entry, std::size_t spot);

  std::string_view bytes_;
  LogBuilder log_;
  std::map<std::uint8_t, std::uint8_t> components_;  // whose positions count, by system
};

TrackLog TlogReader::read() {
  std::size_t offset = 0;
  std::size_t skipped = 0;
  while (offset < bytes_.size() && !log_.full()) {
    const auto entry = tlog_entry(bytes_, offset);
    if (!entry) {
      const std::size_t next = next_entry(offset);
      skipped += next - offset;
      offset = next;
      continue;
    }
    take(*entry, offset);
    offset += kTlogTime + entry->frame.size;
  }
  if (skipped > 0) {
    log_.leave_out("bytes that are no frames, or damaged ones", skipped);
  }
  return log_.finish("has no positions: no GLOBAL_POSITION_INT with a fix");
}

std::size_t TlogReader::next_entry(std::size_t offset) const {
  for (++offset; offset < bytes_.size(); ++offset) {
    const auto entry = tlog_entry(bytes_, offset);
    if (entry && entry->checksum == mavlink::Checksum::kRight) {
      break;
    }
  }
  return offset;
}

void TlogReader::take(const TlogEntry& entry, std::size_t spot) {
  const mavlink::Message message = mavlink::read_message(entry.frame);
  if (const auto* radio = std::get_if<mavlink::RadioStatus>(&message)) {
    return log_.add_radio(entry.at, *radio, spot);
  }
  const auto* position = std::get_if<mavlink::GlobalPosition>(&message);
  if (position == nullptr) {
    return;
  }
  if (!position->fix) {
    return log_.leave_out("positions without a fix");
  }
  const auto [speaker, is_new] = components_.emplace(entry.frame.system, entry.frame.component);
  if (!is_new && speaker->second != entry.frame.component) {
    return log_.leave_out(fmt::format("positions by a second component of system {}", entry.frame.system));
  }
  log_.add(fmt::format("system{}", entry.frame.system), entry.at, position->at, spot);
}

}  // namespace

TrackLog parse_tlog(std::string_view bytes, const std::string& file) {
  return TlogReader(bytes, file).read();
}

}  // namespace hilgate
