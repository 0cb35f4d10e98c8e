// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "frame/counters.h"
#include "gateway/status/model/site_status.h"
#include "path/site_report.h"

namespace hilgate {

/// What the status document has under `site`.
SiteStatus site_status(const SiteReport& report, const PathTotals& totals);

/// The same for people; empty without a site.
std::string site_text(const StatusJson& status);

}  // namespace hilgate
