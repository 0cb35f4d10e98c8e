// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/name_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace hilgate {

std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  const std::size_t shown = std::min(names.size(), kShown);
  const std::string text = fmt::format("{}", fmt::join(std::span(names).first(shown), ", "));
  return shown < names.size() ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

}  // namespace hilgate
