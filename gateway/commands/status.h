// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hilgate {

struct StatusOptions {
  std::string run;                  // the name of the run; empty: the only one there is
  bool json = false;                // for programs instead of people
  bool watch = false;               // again each second, until SIGINT or until the run ends
  std::vector<std::string> robots;  // whose links, ports and places; empty: all
};

/// `hilgate status`: prints the state of a gateway that runs on this machine. Returns the exit status. Throws
/// std::runtime_error when there is none, or several and no name.
int status_command(const StatusOptions& options);

}  // namespace hilgate
