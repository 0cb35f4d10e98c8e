// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/yaml_reader.h"
#include "rf_profiles/propagation/antenna_pattern.h"

namespace hilgate {

/// `phy.antenna:` of a profile; a table's file is relative to the profile. Faults go to the reader's document.
AntennaPattern read_antenna(YamlReader& antenna);

/// Reads a CSV file with the header `azimuth_deg,elevation_deg,gain_dbi`: a full grid, in any order. Throws
/// std::runtime_error with the line and its fault.
TablePattern read_antenna_csv(const std::string& file);

}  // namespace hilgate
