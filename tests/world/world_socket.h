// SPDX-License-Identifier: Apache-2.0
// The Unix sockets of a world's daemon, for clients on the same thread.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

#include "host/file_descriptor.h"

namespace hilgate::test {

/// Non-blocking. Invalid when the connection was refused, with the reason in errno.
inline FileDescriptor connect_socket(const std::filesystem::path& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    socket.close();
  }
  return socket;
}

/// What does not fit into the socket's buffer is not sent.
inline void send_some(const FileDescriptor& socket, std::string_view bytes) {
  static_cast<void>(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

}  // namespace hilgate::test
