// SPDX-License-Identifier: Apache-2.0
#include "gateway/radio_log/radio_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "gateway/radio_log/station_track.h"

namespace hilgate {
namespace {

using Json = nlohmann::json;

constexpr double kHeaders = 14 + 20 + 8;  // bytes of Ethernet, IPv4 and UDP
constexpr double kMostPayload = 1472;     // bytes of UDP in one packet of 1500

/// An interval of a test.
struct IperfInterval {
  double begin_s = 0;  // since the start of the test
  double end_s = 0;
  double rate_bps = 0;
  std::optional<FrameTally> tally{};
};

struct IperfTest {
  std::int64_t start_s = 0;  // UTC since 1970, in whole seconds
  bool is_udp = false;
  bool at_sender = false;
  double payload_bytes = 0;  // of a datagram
  std::vector<IperfInterval> intervals;
};

class IperfReader {
 public:
  explicit IperfReader(const std::string& file) : file_(file) {}
  IperfTest read(std::string_view content);

 private:
  [[noreturn]] void fault(const std::string& text) const { throw ConfigError({{file_, 0, "", text}}); }
  double number(const Json& of, const char* key, double most) const;
  void take_interval(const Json& sum, std::size_t index);

  const std::string& file_;
  IperfTest test_;
};

IperfTest IperfReader::read(std::string_view content) {
  const Json json = Json::parse(content, nullptr, false);
  if (!json.is_object() || !json.contains("start") || !json.contains("intervals")) {
    fault("is no whole JSON of iperf3: it has no start and intervals; was the test ended?");
  }
  if (json.contains("error") && json["error"].is_string()) {
    fault(fmt::format("is of a test that failed: {}", shown(json["error"].get<std::string>())));
  }
  // With --get-server-output a client that sends has what the server received.
  const auto server = json.find("server_output_json");
  const bool has_server = server != json.end() && server->is_object() && server->contains("intervals");
  const Json& from = has_server ? *server : json;
  try {
    const Json& start = json.at("start");
    const Json& test = start.at("test_start");
    test_.start_s = static_cast<std::int64_t>(number(start.at("timestamp"), "timesecs", 4e9));
    test_.is_udp = test.at("protocol").get<std::string>() == "UDP";
    test_.payload_bytes = number(test, "blksize", 1e9);
    std::size_t index = 0;
    for (const Json& interval : from.at("intervals")) {
      take_interval(interval.at("sum"), ++index);
    }
  } catch (const Json::exception& error) {
    fault(fmt::format("is not as iperf3 -J has it: {}", error.what()));
  }
  return std::move(test_);
}

double IperfReader::number(const Json& of, const char* key, double most) const {
  const double value = of.at(key).get<double>();
  if (!(value >= 0 && value <= most)) {
    fault(fmt::format("{} {:g} is out of range; allowed: 0 to {:g}", key, value, most));
  }
  return value;
}

void IperfReader::take_interval(const Json& sum, std::size_t index) {
  if (sum.value("omitted", false)) {
    return;
  }
  const bool sender = sum.value("sender", false);
  IperfInterval interval{.begin_s = number(sum, "start", 1e8),
                         .end_s = number(sum, "end", 1e8),
                         .rate_bps = number(sum, "bits_per_second", 1e15)};
  if (test_.is_udp && sender) {
    fault(
        fmt::format("interval {} is the sender's, which does not know what was lost; repeat the test with -R, take the "
                    "server's JSON (iperf3 -s -J), or use --get-server-output",
                    index));
  }
  if (test_.is_udp) {
    const double packets = number(sum, "packets", 1e15);
    // Datagrams out of order count as lost, and as less than none when they come.
    const double lost = std::clamp(sum.at("lost_packets").get<double>(), 0.0, packets);
    interval.tally = {static_cast<std::uint64_t>(packets), static_cast<std::uint64_t>(lost)};
  }
  test_.at_sender = sender;
  test_.intervals.push_back(interval);
}

Nanoseconds positions_zero(const TrackLog& positions, const RadioLogOptions& options) {
  if (options.positions_zero) {
    return *options.positions_zero;
  }
  if (!positions.utc_of_zero) {
    throw ConfigError({{positions.file, 0, "",
                        "has no UTC, and iperf3's times are UTC; give the time of its 0 with --positions-zero "
                        "2024-05-01T10:00:00Z"}});
  }
  return *positions.utc_of_zero;
}

}  // namespace

bool is_iperf_log(std::string_view content) {
  constexpr std::size_t kLooked = 4096;  // bytes
  const std::string_view begin = trimmed(content.substr(0, kLooked), kLogBlanks);
  return begin.starts_with('{') && begin.find("\"start\"") != std::string_view::npos &&
         begin.find("iperf 3") != std::string_view::npos;
}

MeasuredLog iperf_rows(std::string_view content, const TrackLog& positions, const RadioLogOptions& options) {
  const IperfTest test = IperfReader(options.log).read(content);
  const Nanoseconds zero = positions_zero(positions, options);
  StationTrack track(positions, options.track, options.station);
  const bool whole = test.is_udp && test.payload_bytes <= kMostPayload;
  MeasuredLog out{.rows = {},
                  .has_heights = true,
                  .has_positions = true,
                  .has_times = true,
                  .after_tries = true,
                  .row_name = "interval",
                  .frame_bytes = whole ? test.payload_bytes + kHeaders : 0};
  for (std::size_t i = 0; i < test.intervals.size(); ++i) {
    const IperfInterval& interval = test.intervals[i];
    MeasuredRow row{.line = static_cast<int>(i) + 1, .pair = {}, .rate_bps = interval.rate_bps};
    row.tally = whole ? interval.tally : std::nullopt;
    const double middle_s = (interval.begin_s + interval.end_s) / 2;
    const Nanoseconds utc = std::chrono::seconds(test.start_s) + Nanoseconds{std::llround(middle_s * 1e9)};
    if (track.place(utc - zero, row)) {
      out.rows.push_back(row);
    }
  }
  out.notes.push_back(
      fmt::format("iperf3, {}, {} intervals, from {}; the start is in whole seconds, so that positions may be 1 s late",
                  test.is_udp ? "UDP at the receiver" : (test.at_sender ? "TCP at the sender" : "TCP at the receiver"),
                  test.intervals.size(), options.log));
  if (test.is_udp && !whole) {
    out.notes.push_back(
        fmt::format("left out: losses, because datagrams of {:g} bytes are sent in several packets; "
                    "measure with iperf3 -l {:g} or less",
                    test.payload_bytes, kMostPayload));
  }
  out.notes.push_back(fmt::format("positions: {}, {}", positions.file, positions.format));
  std::ranges::copy(track.notes(), std::back_inserter(out.notes));
  if (out.rows.empty()) {
    throw ConfigError(
        {{options.log, 0, "",
          fmt::format("none of its {} intervals is at a time of the positions of {}; are both clocks UTC?",
                      test.intervals.size(), positions.file)}});
  }
  return out;
}

}  // namespace hilgate
