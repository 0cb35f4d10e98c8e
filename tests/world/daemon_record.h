// SPDX-License-Identifier: Apache-2.0
// The record of a world's daemon, as the product's reader has it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "tests/world/world_faults.h"

namespace hilgate::test {

/// The only record in `runs` is whole, and has the accounts of `status`, the last one of the run: totals, drops by
/// reason, counts by link, and a message for each change. Its windows are in their order. Returns how many tables it
/// has.
std::uint64_t check_record(const std::filesystem::path& runs, const nlohmann::json& status, WorldFaults& faults);

}  // namespace hilgate::test
