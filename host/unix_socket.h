// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

// The process at the other end of a connected Unix socket, as reported by the kernel (SO_PEERCRED; unix(7)).

namespace hilgate {

/// The group whose members may be the simulators of a gateway on this machine (systemd/hilgate.sysusers).
inline constexpr const char* kServiceGroup = "hilgate";

/// The number of kServiceGroup; empty on a machine without it.
std::optional<gid_t> service_group();

/// Whether this process is of kServiceGroup.
bool in_service_group();

/// Gives a file or folder to kServiceGroup. Refused to those who are neither root nor of the group: then it stays its
/// owner's alone, as on a machine without the group.
void give_to_service_group(const char* path);

struct LocalPeer {
  pid_t process = 0;  // 0: in a PID namespace that is not ours
  uid_t user = 0;
  bool trusted = false;  // root, this process's own user, or a member of kServiceGroup

  /// For messages: "process 1234 (hilgate-ns3) of user alice", and its service: " in hilgate-ns3@lab.service".
  [[nodiscard]] std::string text() const;
};

/// Of a connection that was accepted, who connected; of one that was made, who listens, as of when it began to
/// listen. Throws std::system_error when `socket` is no Unix stream socket.
LocalPeer local_peer(int socket);

// The user at the other end of a TCP connection from this machine, as reported by the kernel (/proc/net/tcp; proc(5)).

/// Whether the other end is a socket of this network namespace that belongs to root, to this process's own user, or to
/// a member of kServiceGroup. False for what is no TCP connection, and for connections from elsewhere.
bool is_trusted_tcp_peer(int socket);

/// The identity of the other end, at the finest grain that distinguishes clients: "user 1000" where it is a socket of
/// this network namespace; else its address, of IPv6 the network that one host may have for itself (64 bits). Empty
/// when it has gone.
std::string tcp_peer_text(int socket);

// The file of a listening Unix socket: who may have it, who may open it, and what a dead process left there.

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
