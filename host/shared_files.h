// SPDX-License-Identifier: Apache-2.0
// Files that a gateway writes belong to its user and are readable only by the group hilgate: the readers of a record
// are the users of the control socket.
#pragma once

#include <filesystem>

namespace hilgate {

/// Makes a folder and those above it that are missing, each 0750 and for the group. Folders that are there stay as they
/// are. Throws std::system_error.
void make_group_folders(const std::filesystem::path& folder);

/// Likewise /run/hilgate, or a user's own; one of an earlier version, which is world-readable, is closed where it is
/// this user's.
void make_run_root(const std::filesystem::path& folder);

/// For the group: a file 0640, a folder 0750 and all in it. What is no file and no folder stays as it is. For what this
/// process has made. Throws std::system_error.
void share_with_group(const std::filesystem::path& path);

/// Likewise a file that is open; one of another user stays as it is.
void share_with_group(int file);

}  // namespace hilgate
