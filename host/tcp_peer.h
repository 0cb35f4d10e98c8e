// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a TCP connection from this machine, by what the kernel says (/proc/net/tcp; proc(5)).
#pragma once

#include <string>

namespace hilgate {

/// Whether the other end is a socket of this network namespace that belongs to root, to this process's own user, or to
/// a member of kServiceGroup. False for what is no TCP connection, and for connections from elsewhere.
bool is_trusted_tcp_peer(int socket);

/// Whose the other end is, as far as one may be told from another: "user 1000" where it is a socket of this network
/// namespace; else its address, of IPv6 the network that one host may have for itself (64 bits). Empty when it has
/// gone.
std::string tcp_peer_text(int socket);

}  // namespace hilgate
