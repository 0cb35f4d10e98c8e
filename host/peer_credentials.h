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

}  // namespace hilgate

// The user at the other end of a TCP connection from this machine, as reported by the kernel (/proc/net/tcp; proc(5)).

namespace hilgate {

/// Whether the other end is a socket of this network namespace that belongs to root, to this process's own user, or to
/// a member of kServiceGroup. False for what is no TCP connection, and for connections from elsewhere.
bool is_trusted_tcp_peer(int socket);

/// The identity of the other end, at the finest grain that distinguishes clients: "user 1000" where it is a socket of
/// this network namespace; else its address, of IPv6 the network that one host may have for itself (64 bits). Empty
/// when it has gone.
std::string tcp_peer_text(int socket);

}  // namespace hilgate
