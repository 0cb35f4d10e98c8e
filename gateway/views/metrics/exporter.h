// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hilgate {

struct MetricsOptions {
  std::string listen = "127.0.0.1:9477";  // address and port; port 0: any
  std::vector<std::string> runs;          // none: all that run on this machine
  std::size_t most_links = 4096;          // of a run; more are left out
  bool insecure = false;                  // the address may be one that other machines reach
  bool once = false;                      // print them, and be done
};

/// `hilgate metrics`: exports the `status` of this machine's gateways to Prometheus until SIGINT or SIGTERM.
/// Returns the exit status. Throws std::runtime_error when it cannot listen.
int metrics_command(const MetricsOptions& options);

}  // namespace hilgate
