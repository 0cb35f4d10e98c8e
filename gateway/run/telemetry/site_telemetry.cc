// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/site_telemetry.h"

#include <array>
#include <span>
#include <utility>

#include "gateway/site/site_key.h"
#include "host/byte_cursor.h"

namespace hilgate {
namespace {

// Two hexadecimal digits a byte: of each frame robot, instant in ns, length, and the frame.
constexpr std::size_t kFrameHead = 4 + 8 + 2;
constexpr std::size_t kMostBytes = 27'000;  // of a text: half of what DDS takes

void append(std::vector<std::byte>& bytes, const SiteTelemetry::Heard& heard) {
  std::array<std::byte, kFrameHead> head{};
  store_be(std::span(head), 0, heard.from.value());
  store_be(std::span(head), 4, heard.at.time_since_epoch().count());
  store_be(std::span(head), 12, static_cast<std::uint16_t>(heard.frame.size()));
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), heard.frame.begin(), heard.frame.end());
}

}  // namespace

void SiteTelemetry::note(RobotIndex from, SimTime at, const mavlink::Frame& frame) {
  auto& of_robot = newest_[from];
  const Kind kind{frame.system, frame.component, frame.message};
  if (of_robot.size() < kMostOfRobot || of_robot.contains(kind)) {
    const auto bytes = frame.bytes();
    of_robot[kind] = {.from = from, .at = at, .frame = {bytes.begin(), bytes.end()}};
  }
}

std::vector<std::string> SiteTelemetry::take() {
  std::vector<std::string> texts;
  std::vector<std::byte> bytes;
  for (const auto& [robot, of_robot] : std::exchange(newest_, {})) {
    for (const auto& [kind, heard] : of_robot) {
      if (bytes.size() + kFrameHead + heard.frame.size() > kMostBytes) {
        texts.push_back(hexadecimal(std::exchange(bytes, {})));
      }
      append(bytes, heard);
    }
  }
  if (!bytes.empty()) {
    texts.push_back(hexadecimal(bytes));
  }
  return texts;
}

std::optional<std::vector<SiteTelemetry::Heard>> SiteTelemetry::read(std::string_view text) {
  const auto bytes = text.size() <= 2 * kMostBytes ? bytes_of_hexadecimal(text) : std::nullopt;
  if (!bytes) {
    return std::nullopt;
  }
  std::vector<Heard> all;
  for (std::span<const std::byte> left(*bytes); !left.empty();) {
    const std::size_t length = left.size() < kFrameHead ? 0 : load_be<std::uint16_t>(left, 12);
    if (length == 0 || length > left.size() - kFrameHead) {
      return std::nullopt;
    }
    const auto frame = left.subspan(kFrameHead, length);
    all.push_back({.from = RobotIndex{load_be<std::uint32_t>(left, 0)},
                   .at = SimTime{Nanoseconds{load_be<std::int64_t>(left, 4)}},
                   .frame = {frame.begin(), frame.end()}});
    left = left.subspan(kFrameHead + length);
  }
  return all;
}

}  // namespace hilgate
