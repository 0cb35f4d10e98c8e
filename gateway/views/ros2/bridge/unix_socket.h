// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "host/file_descriptor.h"

namespace hilgate::ros2 {

/// A connection on which neither sending nor receiving takes longer than `patience`; none where nobody listens.
FileDescriptor connected(const std::string& path, std::chrono::seconds patience);

/// False when not all could be sent.
[[nodiscard]] bool send_all(const FileDescriptor& socket, std::string_view text);

}  // namespace hilgate::ros2
