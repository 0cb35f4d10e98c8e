// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "frame/counters.h"
#include "path/site_report.h"

namespace hilgate {

/// What the status document has under `site`.
nlohmann::ordered_json site_status(const SiteReport& report, const PathTotals& totals);

/// The same for people; empty without a site.
std::string site_text(const nlohmann::ordered_json& status);

}  // namespace hilgate
