// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gateway/configuration/web_config.h"

namespace hilgate {

struct WebOptions {
  std::string run;  // the name of the run; empty: the only one there is
  std::string listen = kDefaultWebListen;
  std::string token_file;  // empty: none
  std::string record;      // a folder or a file: the page is of that; empty: of a run
};

/// `hilgate web`: serves the page of a run or of a record until SIGINT or SIGTERM. Returns the exit status. Throws
/// std::runtime_error when it cannot listen, and as read_recorded_run().
int web_command(const WebOptions& options);

}  // namespace hilgate
