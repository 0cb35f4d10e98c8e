// SPDX-License-Identifier: Apache-2.0
// Cursor on Target events as others write them: the base schema, version 2.0 (MITRE, MTR 010185, "Cursor-on-Target
// Message Router User's Guide", appendix A; Event.xsd), and `contact` of its details. By tinyxml2.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "clock/time.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate::cot {

/// Where a thing is. Its type begins with "a-".
struct Event {
  std::string uid;
  std::string callsign;              // empty: it has none
  Nanoseconds time{0}, stale{0};     // UTC since 1970: of the event, and until when it is valid
  double lat_deg = 0, lon_deg = 0;   // [-90, 90], [-180, 180]
  std::optional<double> height_m{};  // above the ellipsoid; absent: not known
};

/// Why an event is refused.
enum class Fault : std::uint8_t {
  kXml,       // no whole XML document
  kProtobuf,  // of TAK's protocol version 1, which is no XML
  kEvent,     // its root is no `event` with `uid`, `type` and `point`
  kTimes,     // `time` or `stale` is missing, or no dateTime with a year from 1970 to 2199
  kNumbers,   // `lat`, `lon` or `hae` is missing, not a number or out of range
  kSwapped,   // `lat` and `lon` are swapped: `lat` cannot be one, or see CotFeed
  kLength,    // more than kLongestEvent bytes without an end
  kCount
};
/// By Fault, for status.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Fault::kCount)> kFaults = {
    "xml", "protobuf", "event", "times", "numbers", "swapped", "length"};

inline constexpr std::size_t kLongestEvent = 64 * 1024;  // bytes

/// An event that is not of a thing's position: a ping, a chat, a drawing.
struct Other {};
using Parsed = std::variant<Event, Other, Fault>;

/// Of one document.
Parsed read_event(std::string_view text);

/// Cuts a stream of TAK's kind into events, which follow one another, each a document of its own.
class EventCutter {
 public:
  /// Adds bytes; afterwards next() has what is whole.
  void add(std::string_view bytes) { text_ += bytes; }
  /// The next whole event; empty until it is whole.
  std::optional<std::string> next();
  /// Whether more than kLongestEvent bytes wait for an end.
  [[nodiscard]] bool too_long() const { return text_.size() > kLongestEvent; }

 private:
  std::string text_;
};

}  // namespace hilgate::cot
