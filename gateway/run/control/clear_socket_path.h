// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace hilgate {

/// Makes room for a control socket: removes one that a run has left. Throws std::runtime_error where a run is still
/// listening, or where something that is no socket lies.
void clear_socket_path(const std::filesystem::path& path);

}  // namespace hilgate
