// SPDX-License-Identifier: Apache-2.0
// Unix sockets by hand.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "host/file_descriptor.h"

namespace hilgate::test {

inline sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

inline FileDescriptor listen_at(const std::string& path) {
  FileDescriptor listener(checked(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  const sockaddr_un address = unix_address(path);
  checked(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind " + path);
  checked(listen(listener.get(), 4), "listen");
  return listener;
}

inline FileDescriptor connect_to(const std::string& path) {
  FileDescriptor connection(checked(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  const sockaddr_un address = unix_address(path);
  checked(connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  return connection;
}

}  // namespace hilgate::test
