// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

struct WireOptions {
  std::string run;  // the name of a run whose ports have a fail mode
  bool on = false;
};

/// `hilgate wire on|off RUN`: joins the robots in the kernel, past the packet path, whether a gateway runs or not; for
/// comparing with and without the simulated air. Returns the exit status. Throws std::runtime_error when the run has
/// left nothing in the kernel.
int wire_command(const WireOptions& options);

struct CloseOptions {
  std::string file;
};

/// `hilgate close FILE`: before the run, ports with a fail mode go by it, from before their interfaces are up.
int close_command(const CloseOptions& options);

struct DetachOptions {
  std::string run;
};

/// `hilgate detach RUN`: takes away what a dead gateway's ports with a fail mode have left in the kernel.
int detach_command(const DetachOptions& options);

}  // namespace hilgate
