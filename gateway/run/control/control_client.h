// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/file_descriptor.h"

namespace hilgate {

/// Sends a line to a gateway's control socket without waiting for it; `done` is called on the thread of the context
/// with the line of the answer, or with a refusal of the same form, {"ok": false, "error": TEXT}, when none came.
void control_call(asio::io_context& context, const std::string& socket, std::string request,
                  std::chrono::seconds patience, std::function<void(std::string answer)> done);

/// The control socket of the run by this name, or, without a name, of the only run. Throws std::runtime_error when
/// there is no such run, or several and no name.
std::filesystem::path running_gateway(const std::string& run);

/// The names of all runs that have a control socket here, in alphabetical order; some may be dead.
std::vector<std::string> runs_of_this_machine();

/// Asks a running gateway; blocks for its answer. Throws std::runtime_error when no process listens on `socket`, when
/// the caller may not connect, when no answer comes within `patience`, or with the gateway's own text when it refused;
/// ConfigError with the faults that it has found in a configuration. A change of the configuration may take as long as
/// its maps need.
nlohmann::ordered_json control_request(const std::filesystem::path& socket, const nlohmann::json& request,
                                       std::chrono::seconds patience = std::chrono::seconds(60));

/// Waits until the gateway answers, which it does once it forwards frames; a simulator may still be missing. Throws
/// std::runtime_error when it does not within `patience`, or when `goes_on` is false.
void await_run(
    const std::filesystem::path& socket, std::chrono::seconds patience,
    const std::function<bool()>& goes_on = [] { return true; });

/// Likewise for a request whose answer is followed by a stream: the blocking connection, with the answer already read.
FileDescriptor control_stream(const std::filesystem::path& socket, const nlohmann::json& request,
                              std::chrono::seconds patience = std::chrono::seconds(60));

/// Whether a process listens on `socket`; also true where only its queue of connections is full, or this process may
/// not connect. Does not block.
bool is_listened_to(const std::filesystem::path& socket);

}  // namespace hilgate
