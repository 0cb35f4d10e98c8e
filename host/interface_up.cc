// SPDX-License-Identifier: Apache-2.0
#include "host/interface_up.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "host/file_descriptor.h"

namespace hilgate {

void set_interface_up(const std::string& interface) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  bool done = ::ioctl(socket.get(), SIOCGIFFLAGS, &request) == 0;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  done = done && ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
  if (!done) {
    throw std::runtime_error(fmt::format("interface {}: cannot be set up: {}", interface, std::strerror(errno)));
  }
}

}  // namespace hilgate
