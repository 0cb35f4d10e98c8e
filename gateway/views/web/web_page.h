// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/recorded_run.h"

namespace hilgate {

/// A file of gateway/views/web/page/, or the schema of configurations, as it was when the program was built.
struct PageFile {
  std::string_view path;  // as browsers ask for it: "/map.js"
  std::string_view type;
  std::string_view text;
};

std::span<const PageFile> page_files();

/// The page of one run, or of a record.
struct WebPage {
  WebConfig config;
  std::string control_socket;                // of the run
  std::vector<std::string> profile_folders;  // in which its radio profiles are
  std::optional<RecordedRun> record{};       // instead of a run
};

}  // namespace hilgate
