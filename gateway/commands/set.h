// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hilgate {

struct SetOptions {
  std::string run;                  // the name of the run; empty: the only one there is
  std::vector<std::string> values;  // KEY=VALUE each; see ConfigDocument::with
};

/// `hilgate set`: changes values of a running gateway, all or none. Returns the exit status. Throws std::runtime_error
/// with what the gateway has against them.
int set_command(const SetOptions& options);

struct GetOptions {
  std::string run;                // as above
  std::vector<std::string> keys;  // paths, see ConfigDocument::value; empty: all
};

/// `hilgate get`: prints what the configuration of a running gateway has under keys. Returns and throws likewise.
int get_command(const GetOptions& options);

/// `hilgate reload`: reloads the configuration file (same as SIGHUP). Returns and throws likewise.
int reload_command(const std::string& run);

/// `hilgate pause` and `hilgate resume`: stop and continue simulation time. Returns and throws likewise.
int pause_command(const std::string& run, bool stand);

}  // namespace hilgate
