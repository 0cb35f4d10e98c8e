// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "xdp/kernel_path.h"

namespace hilgate {

int wire_command(const WireOptions& options) {
  KernelPath::set_wired(kernel_path_directory(options.run), options.on);
  fmt::print("run '{}': the robots are {}\n", options.run,
             options.on ? "connected in the kernel, bypassing the packet path" : "on the packet path again");
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
