// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/log_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/plain_text.h"
#include "host/mcap/mcap_format.h"
#include "host/plain_file.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

constexpr std::size_t kLooked = 65536;  // bytes of a text from which its format is known

bool is_ulog(std::string_view content) {
  return content.starts_with("ULog\x01\x12\x35");
}

bool is_dataflash(std::string_view content) {
  return content.starts_with("\xA3\x95\x80");
}

// A time from 2001 to 2096, and a frame of MAVLink.
bool is_tlog(std::string_view content) {
  if (content.size() < 9 || (content[8] != '\xFE' && content[8] != '\xFD')) {
    return false;
  }
  const std::uint64_t us = __builtin_bswap64(number_at<std::uint64_t>(content, 0));
  return us > 1'000'000'000'000'000 && us < 4'000'000'000'000'000;
}

/// The name of the first element without its prefix; empty for what is no XML.
std::string_view first_element(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) {
    content.remove_prefix(3);
  }
  content = trimmed(content.substr(0, kLooked), kLogBlanks);
  if (!content.starts_with('<')) {
    return {};
  }
  std::size_t at = 0;
  while (at != std::string_view::npos && at + 1 < content.size()) {
    if (content.substr(at).starts_with("<!--")) {
      at = content.find("-->", at);
    } else if (content[at + 1] != '?' && content[at + 1] != '!') {
      break;
    }
    at = at == std::string_view::npos ? at : content.find('<', at + 1);
  }
  if (at == std::string_view::npos || at + 1 >= content.size()) {
    return {};
  }
  const std::string_view rest = content.substr(at + 1);
  const std::string_view name = rest.substr(0, rest.find_first_of(" \t\r\n/>"));
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

bool is_gpx(std::string_view content) {
  return first_element(content) == "gpx";
}
bool is_kml(std::string_view content) {
  return first_element(content) == "kml";
}
bool is_fcd(std::string_view content) {
  return first_element(content) == "fcd-export";
}

bool is_core_session(std::string_view content) {
  return first_element(content) == "scenario" && content.find("<devices") != std::string_view::npos;
}

std::string_view first_line(std::string_view content) {
  content = content.substr(0, kLooked);
  for (;;) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = trimmed(content.substr(0, end), kLogBlanks);
    if ((!line.empty() && line[0] != '#') || end == content.size()) {
      return line;
    }
    content.remove_prefix(end + 1);
  }
}

// $GPGGA, and so on: five letters.
bool is_nmea(std::string_view content) {
  const std::string_view line = first_line(content);
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return line.size() > 6 && line[0] == '$' && std::ranges::all_of(line.substr(1, 4), is_letter) &&
         line.substr(0, 16).find(',') != std::string_view::npos;
}

bool is_ns2(std::string_view content) {
  return content.substr(0, kLooked).find("$node_(") != std::string_view::npos;
}

bool is_bonnmotion(std::string_view content) {
  const std::string_view line = first_line(content);
  return !line.empty() && line.find(' ') != std::string_view::npos &&
         line.find_first_not_of("0123456789.eE+- ") == std::string_view::npos;
}

bool is_qgc_plan(std::string_view content) {
  const std::string_view begin = trimmed(content.substr(0, kLooked), kLogBlanks);
  return begin.starts_with('{') && content.find("\"fileType\"") != std::string_view::npos &&
         content.find("\"Plan\"") != std::string_view::npos;
}

bool is_ros2_bag(std::string_view content) {
  return content.starts_with(kMcapMagic);
}

struct LogFormat {
  bool (*is)(std::string_view content);
  TrackLog (*parse)(std::string_view content, const std::string& file);
};
constexpr std::array kLogFormats = {
    LogFormat{is_ulog, parse_ulog},
    LogFormat{is_dataflash, parse_dataflash},
    LogFormat{is_tlog, parse_tlog},
    LogFormat{is_ros2_bag, parse_ros2_bag},
    LogFormat{is_qgc_plan, parse_qgc_plan},
    LogFormat{is_gpx, parse_gpx},
    LogFormat{is_kml, parse_kml},
    LogFormat{is_fcd, parse_fcd},
    LogFormat{is_core_session, parse_core_session},
    LogFormat{is_nmea, parse_nmea},
    LogFormat{is_ns2, parse_ns2},
    LogFormat{is_bonnmotion, parse_bonnmotion},
};

}  // namespace

bool is_tracks_csv(std::string_view content) {
  return content.starts_with("t_s,");
}

bool has_radio_status(std::string_view content) {
  return is_ulog(content) || is_dataflash(content) || is_tlog(content);
}

TrackLog parse_log(std::string_view content, const std::string& file) {
  const auto found =
      std::ranges::find_if(kLogFormats, [content](const LogFormat& format) { return format.is(content); });
  if (found != kLogFormats.end()) {
    return found->parse(content, file);
  }
  std::string text =
      "is in no format that is known: ULog, MAVLink telemetry log, DataFlash, GPX, KML, NMEA 0183, ns-2 movements, "
      "BonnMotion, SUMO FCD, session of CORE, plan of QGroundControl or bag of ROS 2 (MCAP)";
  if (content.starts_with("\x1F\x8B") || content.starts_with("PK")) {
    text = "is compressed; unpack it before";
  } else if (is_tracks_csv(content)) {
    text = "has tracks of hilgate's own format, t_s,robot,x_m,y_m,z_m; `physics: {file}` takes it as it is";
  } else if (content.empty()) {
    text = "is empty";
  }
  throw ConfigError({{file, 0, "", text}});
}

TrackLog read_log(const std::string& file, std::size_t most_bytes) {
  std::string content;
  try {
    content = read_plain_file(file, {.most_bytes = most_bytes});
  } catch (const PlainFileError& error) {
    throw ConfigError({{file, 0, "", error.why()}});
  }
  return parse_log(content, file);
}

}  // namespace hilgate
