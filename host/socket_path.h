// SPDX-License-Identifier: Apache-2.0
// The file of a listening Unix socket: who may have it, who may open it, and what a dead process left there.
#pragma once

#include <optional>
#include <string>

#include "host/peer_credentials.h"

namespace hilgate {

/// The listener at `path`; empty without one. Throws std::system_error when it cannot be queried: access denied, or no
/// more connections are taken.
std::optional<LocalPeer> socket_listener(const std::string& path);

/// What keeps this process from listening at `path`: no folder (a run's own is made), a file that is no socket, another
/// process that listens; from looking for a listener there: no folder. Empty when nothing does. For messages.
std::string socket_path_problem(const std::string& path, bool listens);

/// Makes `path` free for bind(): makes its run folder where it is one (host/run_folder.h), and removes a socket that
/// no process answers on. Throws std::runtime_error that names the listener, or that the file is not a socket.
void free_socket_path(const std::string& path);

/// After bind(): only the owner and the group hilgate may connect. Without that group, or without the right to give a
/// file to it, the group stays as it is. Throws std::system_error.
void share_socket_path(const std::string& path);

/// Removes the socket, and its run folder once that is empty. Does nothing when they are gone already.
void remove_socket_path(const std::string& path) noexcept;

/// Removes the run folder that `path` is in, once that is empty.
void leave_run_folder(const std::string& path) noexcept;

}  // namespace hilgate
