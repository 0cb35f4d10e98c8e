// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace hilgate {

/// Where a measuring process has its files that may not have mounts of its own: hilgate-certify-PID in the folder for
/// temporary files, for this user alone. Throws std::runtime_error when it cannot be made.
std::filesystem::path make_private_folder(pid_t process);

/// Removes that of a process that has ended, if it made one, and those of this user whose processes were killed.
void remove_private_folders(pid_t ended) noexcept;

}  // namespace hilgate
