// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gateway/configuration/configuration.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/planes/configured_kernel_path.h"
#include "host/socket_path.h"
#include "xdp/kernel_path.h"

namespace hilgate {

int wire_command(const WireOptions& options) {
  KernelPath::set_wired(kernel_path_directory(options.run), options.on);
  if (options.on) {
    fmt::print("run '{}': the robots are connected in the kernel, bypassing the packet path\n", options.run);
  } else if (socket_listener(control_socket(options.run).string())) {
    fmt::print("run '{}': the robots are on the packet path again\n", options.run);
  } else {
    fmt::print("run '{}': no gateway is running; its ports go by their fail modes\n", options.run);
  }
  return 0;
}

int close_command(const CloseOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  const auto closed = close_ports(configuration);
  if (closed.empty()) {
    fmt::print("run '{}': no interface to close is there\n", configuration.name);
  } else {
    fmt::print("run '{}': closed {}\n", configuration.name, fmt::join(closed, ", "));
  }
  return 0;
}

int detach_command(const DetachOptions& options) {
  const auto freed = KernelPath::detach(kernel_path_directory(options.run));
  if (freed.empty()) {
    fmt::print("run '{}' keeps nothing in the kernel\n", options.run);
  } else {
    fmt::print("run '{}': detached {}\n", options.run, fmt::join(freed, ", "));
  }
  return 0;
}

}  // namespace hilgate
