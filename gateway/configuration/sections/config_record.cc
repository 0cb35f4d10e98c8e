// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {

void read_record(YamlReader& root, Configuration& configuration) {
  using namespace std::chrono_literals;
  auto record = root.optional_child("record");
  if (!record) {
    return;
  }
  constexpr Range<Nanoseconds> kEvery{100us, 1h, "100us to 1h"};
  RecordConfig& config = configuration.record.emplace();
  config.folder = configuration.file.parent_path() / record->required<std::string>("folder");
  config.every = read_within(*record, "every", kEvery).value_or(config.every);
}

}  // namespace hilgate
