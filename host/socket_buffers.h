// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

namespace hilgate {

/// A socket's buffers of `bytes`: beyond the system's limit (net.core.rmem_max, wmem_max) where the process has
/// CAP_NET_ADMIN, else up to it.
inline void enlarge_receive_buffer(int socket, int bytes) {
  if (::setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) {
    static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes));
  }
}
inline void enlarge_send_buffer(int socket, int bytes) {
  if (::setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0) {
    static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
  }
}

}  // namespace hilgate
