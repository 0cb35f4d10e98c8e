// SPDX-License-Identifier: Apache-2.0
// What the parts of KernelPath share.
#pragma once

#include <filesystem>
#include <string>

namespace hilgate {

/// Throws std::runtime_error: what the kernel path was about, and an errno.
[[noreturn]] void fail_kernel_path(const std::string& what, int error);

/// The pinned map of a run's heartbeat, in its directory.
inline constexpr const char* kPlanePin = "plane";

/// Does nothing without a pin.
void remove_pin(const std::filesystem::path& pin);

}  // namespace hilgate
