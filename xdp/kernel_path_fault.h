// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

/// Throws std::runtime_error: what the kernel path was about, and an errno.
[[noreturn]] void fail_kernel_path(const std::string& what, int error);

}  // namespace hilgate
