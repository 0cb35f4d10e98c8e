// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/recorded_fates.h"

#include <algorithm>
#include <charconv>
#include <string_view>

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

}  // namespace hilgate
