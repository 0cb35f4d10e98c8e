// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/profile_antenna.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/quantity.h"
#include "config/range.h"

namespace hilgate {
namespace {

constexpr std::string_view kAntennaHeader = "azimuth_deg,elevation_deg,gain_dbi";

std::array<double, 3> gain_line(const std::string& line) {
  std::istringstream stream(line);
  std::vector<double> fields;
  for (std::string field; std::getline(stream, field, ',');) {
    fields.push_back(parse_text<double>(field));
  }
  if (fields.size() != 3) {
    throw std::invalid_argument(fmt::format("'{}' does not have the three fields {}", shown(line), kAntennaHeader));
  }
  if (!(fields[0] >= -180 && fields[0] <= 180 && fields[1] >= -90 && fields[1] <= 90 && fields[2] >= -200 &&
        fields[2] <= 60)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is out of range; allowed: azimuth -180 to 180, elevation -90 to 90, gain -200 to 60", shown(line)));
  }
  return {fields[0], fields[1], fields[2]};
}

SectorPattern read_sector(YamlReader& antenna) {
  constexpr Range<Decibels> kGain{{-40}, {60}, "-40 dB to 60 dB"};
  constexpr Range<Decibels> kRatio{{0}, {100}, "0 dB to 100 dB"};
  constexpr Range<Radians> kWidth{{0.0017453292519943296}, {6.283185307179587}, "0.1 deg to 360 deg"};
  SectorPattern sector;
  sector.peak = read_within(antenna, "gain", kGain).value_or(sector.peak);
  sector.width = read_within(antenna, "width", kWidth).value_or(sector.width);
  sector.height = read_within(antenna, "height", kWidth).value_or(sector.height);
  sector.front_to_back = read_within(antenna, "front_to_back", kRatio).value_or(sector.front_to_back);
  return sector;
}

AntennaPattern read_table(YamlReader& antenna) {
  const auto file = antenna.file_of("file");
  if (antenna.has("file")) {
    try {
      return read_antenna_csv(file.string());
    } catch (const std::runtime_error& error) {
      antenna.fault("file", error.what());
    }
  }
  return IsotropicPattern{};
}

}  // namespace

AntennaPattern read_antenna(YamlReader& antenna) {
  enum class Type { kIsotropic, kDipole, kSector, kTable };
  switch (antenna.choice<Type>("pattern", {{"isotropic", Type::kIsotropic},
                                           {"dipole", Type::kDipole},
                                           {"sector", Type::kSector},
                                           {"table", Type::kTable}})) {
    case Type::kDipole:
      return DipolePattern{};
    case Type::kSector:
      return read_sector(antenna);
    case Type::kTable:
      return read_table(antenna);
    case Type::kIsotropic:
      break;
  }
  return IsotropicPattern{};
}

TablePattern read_antenna_csv(const std::string& file) {
  std::istringstream stream(read_config_file(file));
  std::set<double> azimuths;
  std::map<std::pair<double, double>, double> gains;  // by elevation and azimuth
  std::set<double> elevations;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (number == 1 && line != kAntennaHeader) {
      throw std::runtime_error(fmt::format("{}:1: the header is '{}'; it must be '{}'", file, line, kAntennaHeader));
    }
    if (number == 1 || line.empty()) {
      continue;
    }
    try {
      const auto [azimuth, elevation, gain] = gain_line(line);
      azimuths.insert(azimuth);
      elevations.insert(elevation);
      gains[{elevation, azimuth}] = gain;
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  if (gains.empty() || gains.size() != azimuths.size() * elevations.size()) {
    throw std::runtime_error(fmt::format("{}: has {} gains for {} azimuths and {} elevations; every pair needs one",
                                         file, gains.size(), azimuths.size(), elevations.size()));
  }
  TablePattern table{.azimuths_deg = {azimuths.begin(), azimuths.end()},
                     .elevations_deg = {elevations.begin(), elevations.end()},
                     .gains_db = {}};
  for (const auto& [at, gain] : gains) {
    table.gains_db.push_back(gain);
  }
  return table;
}

}  // namespace hilgate
