// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/file_descriptor.h"

namespace hilgate {

/// Asks a running gateway; blocks for its answer. Throws std::runtime_error when no process listens on `socket`, when
/// the caller may not connect, when no answer comes within `patience`, or with the gateway's own text when it refused;
/// ConfigError with the faults that it has found in a configuration. A change of the configuration may take as long as
/// its maps need.
nlohmann::ordered_json control_request(const std::filesystem::path& socket, const nlohmann::json& request,
                                       std::chrono::seconds patience = std::chrono::seconds(60));

/// Likewise for a request whose answer is followed by a stream: the connection, which blocks, behind the answer.
FileDescriptor control_stream(const std::filesystem::path& socket, const nlohmann::json& request,
                              std::chrono::seconds patience = std::chrono::seconds(60));

/// Whether a process listens on `socket`; also true where only its queue of connections is full, or this process may
/// not connect. Does not block.
bool is_listened_to(const std::filesystem::path& socket);

}  // namespace hilgate
