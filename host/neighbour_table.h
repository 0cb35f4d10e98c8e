// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace hilgate {

/// What to do where robots in namespaces of this machine are more than the kernel's table of IPv4 neighbours has room
/// for: every robot that speaks to all others needs an entry for each, and the table is that of all namespaces
/// together. Empty where there is room, or where the limit cannot be read below `root`, as in network namespaces other
/// than the first.
std::string few_neighbours(std::size_t robots, const std::filesystem::path& root = "/");

}  // namespace hilgate
