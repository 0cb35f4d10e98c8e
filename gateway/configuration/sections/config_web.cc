// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {

void read_web(YamlReader& root, Configuration& configuration) {
  auto web = root.optional_child("web");
  if (!web) {
    return;
  }
  WebConfig& config = configuration.web.emplace();
  if (const auto file = web->optional<std::string>("token_file")) {
    config.token_file = configuration.file.parent_path() / *file;
  }
  try {
    config.listen = parse_web_listen(web->optional<std::string>("listen", kDefaultWebListen));
    check_web(config);
  } catch (const std::invalid_argument& error) {
    web->fault("listen", error.what());
  }
}

}  // namespace hilgate
