// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/recorded_run.h"

namespace hilgate {

/// The page of one run, or of a record.
struct WebPage {
  WebConfig config;
  std::string control_socket;                // of the run
  std::vector<std::string> profile_folders;  // in which its radio profiles are
  std::optional<RecordedRun> record{};       // instead of a run
};

}  // namespace hilgate
