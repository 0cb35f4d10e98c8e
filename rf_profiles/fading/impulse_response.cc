// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/impulse_response.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/quantity.h"
#include "config/range.h"
#include "config/yaml_reader.h"
#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

constexpr std::string_view kTapHeader = "delay_ns,power_db";
constexpr std::size_t kMostTaps = 256;
constexpr double kLongestNs = 100'000;
constexpr double kMostDb = 300;

// Delay in ns and power in dB.
std::array<double, 2> tap_of(const std::string& line) {
  const std::size_t comma = line.find(',');
  if (comma == std::string::npos || line.find(',', comma + 1) != std::string::npos) {
    throw std::invalid_argument(fmt::format("'{}' does not have the two fields {}", shown(line), kTapHeader));
  }
  const auto delay_ns = parse_text<double>(line.substr(0, comma));
  const auto power_db = parse_text<double>(line.substr(comma + 1));
  if (!(delay_ns >= 0 && delay_ns <= kLongestNs && power_db >= -kMostDb && power_db <= kMostDb)) {
    throw std::invalid_argument(fmt::format("'{}' is out of range; allowed: delay 0 to {:g} ns, power -{:g} to {:g} dB",
                                            shown(line), kLongestNs, kMostDb, kMostDb));
  }
  return {delay_ns, power_db};
}

}  // namespace

TapDelays read_tap_delays(const std::string& file) {
  std::istringstream stream(read_config_file(file));
  TapDelays taps;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (number == 1 && line != kTapHeader) {
      throw std::runtime_error(fmt::format("{}:1: the header is '{}'; it must be '{}'", file, shown(line), kTapHeader));
    }
    if (number == 1 || line.empty()) {
      continue;
    }
    try {
      const auto [delay_ns, power_db] = tap_of(line);
      if (!taps.delay_s.empty() && delay_ns * 1e-9 <= taps.delay_s.back()) {
        throw std::invalid_argument(fmt::format("the delay {:g} ns is not after {:g} ns of the row in front", delay_ns,
                                                taps.delay_s.back() * 1e9));
      }
      taps.delay_s.push_back(delay_ns * 1e-9);
      taps.power.push_back(ratio_of_db(power_db));
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  if (taps.power.empty() || taps.power.size() > kMostTaps) {
    throw std::runtime_error(fmt::format("{}: has {} taps; allowed: 1 to {}", file, taps.power.size(), kMostTaps));
  }
  const double sum = std::accumulate(taps.power.begin(), taps.power.end(), 0.0);
  for (double& power : taps.power) {
    power /= sum;
  }
  return taps;
}

void ImpulseResponseFading::read(YamlReader& law) {
  const auto file = law.file_of("file");
  if (law.has("k")) {
    k = ratio(within<Decibels>(law, "k", -40, 40));
  }
  if (!law.has("file")) {
    return;
  }
  try {
    taps = read_tap_delays(file.string());
  } catch (const std::runtime_error& error) {
    law.fault("file", error.what());
  }
}

FadingWaves ImpulseResponseFading::waves() const {
  FadingWaves waves{.taps = taps.power, .delays_s = taps.delay_s};
  if (k) {
    waves.steady = waves.taps.front() * *k / (1 + *k);
    waves.taps.front() /= 1 + *k;
  }
  return waves;
}

}  // namespace hilgate
