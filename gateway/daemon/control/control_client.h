// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace hilgate {

/// Asks a running gateway; blocks for its answer. Throws std::runtime_error when nobody listens at `socket`, when the
/// caller may not connect, or with the gateway's own text when it refused.
nlohmann::ordered_json control_request(const std::filesystem::path& socket, const nlohmann::json& request);

}  // namespace hilgate
