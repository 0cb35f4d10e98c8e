// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace hilgate {

/// Serves the editor of a configuration file on the loopback address, to who has the token that it prints, until the
/// page ends it, SIGINT or SIGTERM. `port` 0: any. Returns the exit status. Throws ConfigError when the file cannot be
/// read, std::runtime_error when it cannot listen.
int serve_editor(const std::filesystem::path& file, std::uint16_t port);

}  // namespace hilgate
