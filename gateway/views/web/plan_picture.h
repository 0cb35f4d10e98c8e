// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/configuration/web_config.h"

namespace hilgate {

/// A picture of a floor plan with its place on the map, as the page is given it.
struct PlanPicture {
  static constexpr std::uint64_t kLongest = std::uint64_t{16} << 20;  // bytes

  WebPlan place;
  std::string_view type;  // "image/png"
  std::shared_ptr<const std::string> bytes;
};

/// Throws std::runtime_error with the file and what is wrong: not there, no PNG, JPEG or WebP by its first bytes, or
/// longer than kLongest. What follows the first bytes is for browsers to read.
PlanPicture open_plan(const WebPlan& place);

/// Where it is: {"origin_m": [x, y], "width_m": 40, "rotation_deg": 12}.
std::string about_plan(const PlanPicture& plan);

}  // namespace hilgate
