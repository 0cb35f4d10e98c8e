// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/status.h"

#include <fmt/format.h>

#include "gateway/commands/running.h"
#include "gateway/daemon/control/control_client.h"
#include "gateway/daemon/status/status_report.h"

namespace hilgate {

int status_command(const StatusOptions& options) {
  const auto status = control_request(running_gateway(options.run), {{"command", "status"}});
  fmt::print("{}", options.json ? status.dump(2) + "\n" : status_text(status));
  return 0;
}

}  // namespace hilgate
