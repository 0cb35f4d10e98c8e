// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a TCP connection from this machine, by what the kernel says (/proc/net/tcp; proc(5)).
#pragma once

namespace hilgate {

/// Whether the other end is a socket of this network namespace that belongs to root, to this process's own user, or to
/// a member of kServiceGroup. False for what is no TCP connection, and for connections from elsewhere.
bool is_trusted_tcp_peer(int socket);

}  // namespace hilgate
