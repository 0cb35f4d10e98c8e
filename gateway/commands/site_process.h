// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>

#include "gateway/configuration/configuration.h"
#include "host/companion/companion_process.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// hilgate-site beside a gateway, and the gateway's end of the socket to it.
struct SiteProcess {
  std::unique_ptr<CompanionProcess> process;  // null: the gateway is alone
  FileDescriptor socket;
};

/// Starts hilgate-site, in which DDS runs, for a gateway of a site. Before this process has threads; the new one stays
/// off `cpus`. Throws std::runtime_error when the program is not installed.
SiteProcess start_site(const Configuration& configuration, const std::set<unsigned>& cpus);

}  // namespace hilgate
