// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/recorded_fates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "frame/drop_reason.h"

namespace hilgate {
namespace {

constexpr std::string_view kIn = " in";
constexpr std::string_view kOut = " out";

// FROM>TO of a comment; empty for a frame of the gateway's own.
std::string_view link_in(std::string_view comment) {
  const std::string_view word = comment.substr(0, comment.find(' '));
  return word.find('>') == std::string_view::npos ? std::string_view() : word;
}

std::optional<std::uint64_t> window_in(std::string_view comment) {
  constexpr std::string_view kKey = " window=";
  const std::size_t at = comment.find(kKey);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t window = 0;
  const std::string_view text = comment.substr(at + kKey.size());
  return std::from_chars(text.data(), text.data() + text.size(), window).ec == std::errc{} ? std::optional(window)
                                                                                           : std::nullopt;
}

void note_delivery(const CapturedFrame& frame, RecordedFates& fates) {
  const std::string_view link = link_in(frame.comment);
  if (link.empty()) {
    return;
  }
  if (const auto reason = drop_in(frame)) {
    fates.deliveries.dropped(link, *reason);
  } else {
    fates.deliveries.released(link, frame.length, frame.bytes);
  }
  if (const auto window = window_in(frame.comment); window && frame.id) {
    const auto known = fates.window_of.try_emplace(*frame.id, *window).first;
    known->second = std::min(known->second, *window);
  }
}

}  // namespace

std::optional<std::string_view> port_in(const CapturedFrame& frame) {
  return frame.interface.ends_with(kIn) ? std::optional(frame.interface.substr(0, frame.interface.size() - kIn.size()))
                                        : std::nullopt;
}

std::optional<std::string_view> drop_in(const CapturedFrame& frame) {
  constexpr std::string_view kKey = "drop=";
  for (std::string_view rest = frame.comment; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word.starts_with(kKey)) {
      return word.substr(kKey.size());
    }
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return std::nullopt;
}

RecordedFates RecordedFates::of(const std::filesystem::path& capture) {
  RecordedFates fates;
  PcapngReader file(capture);
  for (CapturedFrame frame; file.next(frame);) {
    fates.missing += frame.dropped;
    fates.snaplen = std::max(fates.snaplen, static_cast<std::uint32_t>(frame.bytes.size()));
    if (port_in(frame)) {
      ++fates.frames;
      fates.shortened += frame.bytes.size() < frame.length ? 1 : 0;
    } else if (frame.interface.ends_with(kOut)) {
      note_delivery(frame, fates);
    }
  }
  fates.readable = file.readable();
  fates.cut = file.cut();
  return fates;
}

namespace {

// FNV-1a.
std::uint64_t digest_of(std::uint32_t length, std::span<const std::byte> bytes) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t sum = (0xCBF29CE484222325 ^ length) * kPrime;
  for (const std::byte byte : bytes) {
    sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * kPrime;
  }
  return sum;
}

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& count) { return sum + count.second; });
}

std::uint64_t count_of(const std::map<std::string, std::uint64_t>& counts, const std::string& reason) {
  const auto found = counts.find(reason);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

DeliveryLog::Link& DeliveryLog::of(std::string_view link) {
  const auto found = links_.find(link);
  return found == links_.end() ? links_[std::string(link)] : found->second;
}

void DeliveryLog::released(std::string_view link, std::uint32_t length, std::span<const std::byte> bytes) {
  of(link).released.push_back(digest_of(length, bytes));
}

std::uint64_t DeliveryLog::released() const {
  return std::accumulate(links_.begin(), links_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& link) { return sum + link.second.released.size(); });
}

std::uint64_t DeliveryLog::dropped() const {
  return std::accumulate(links_.begin(), links_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& link) { return sum + sum_of(link.second.dropped); });
}

std::string DeliveryLog::difference(const Link& before, const Link& again) {
  const std::string ended(name(DropReason::kShutdown));
  const auto differs = std::ranges::mismatch(before.released, again.released);
  if (differs.in1 != before.released.end()) {
    return fmt::format("release {} of {} is {}", differs.in1 - before.released.begin() + 1, before.released.size(),
                       differs.in2 == again.released.end() ? "missing" : "another one");
  }
  const std::uint64_t more = again.released.size() - before.released.size();
  if (more > count_of(before.dropped, ended)) {
    return fmt::format("{} releases more than the {} of the record", more, before.released.size());
  }
  for (const auto& [reason, count] : again.dropped) {
    if (reason != ended && count_of(before.dropped, reason) < count && more == 0) {
      return fmt::format("{} drops for {} instead of {}", count, reason, count_of(before.dropped, reason));
    }
  }
  return {};
}

std::vector<std::string> DeliveryLog::differences(const DeliveryLog& again) const {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& link, const std::string& text) {
    if (!text.empty()) {
      lines.push_back(fmt::format("{}: {}", link, text));
    }
  };
  for (const auto& [link, before] : links_) {
    const auto found = again.links_.find(link);
    add(link, difference(before, found == again.links_.end() ? Link{} : found->second));
  }
  for (const auto& [link, deliveries] : again.links_) {
    if (!links_.contains(link)) {
      add(link, difference(Link{}, deliveries));
    }
  }
  return lines;
}

}  // namespace hilgate
