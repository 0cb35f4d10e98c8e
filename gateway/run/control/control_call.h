// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <string>

namespace hilgate {

/// Sends a line to a gateway's control socket without waiting for it; `done` is called on the thread of the context
/// with the line of the answer, or with a refusal of the same form, {"ok": false, "error": TEXT}, when none came.
void control_call(asio::io_context& context, const std::string& socket, std::string request,
                  std::chrono::seconds patience, std::function<void(std::string answer)> done);

}  // namespace hilgate
