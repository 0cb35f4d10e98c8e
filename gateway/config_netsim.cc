// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gateway/config_checks.h"
#include "gateway/config_sections.h"

namespace hilgate {
namespace {

void read_map(YamlReader& netsim, Configuration& configuration) {
  const auto map = netsim.optional<std::string>("map");
  if (!map || *map == "none") {
    return;
  }
  auto* const embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  if (embedded == nullptr) {
    netsim.fault("map", "needs the netsim `embedded`: a cable knows no walls");
    return;
  }
  embedded->map = std::filesystem::path(netsim.file()).parent_path() / *map;
  if (!std::filesystem::is_regular_file(*embedded->map)) {
    netsim.fault(
        "map", fmt::format("'{}' is no file; name a grid map, surveyed by `hilgate survey`", embedded->map->string()));
  }
}

}  // namespace

void read_netsim(YamlReader& root, Configuration& configuration) {
  YamlReader netsim = root.child("netsim");
  if (!netsim.absent()) {
    configuration.netsim =
        netsim.choice<NetsimConfig>("type", {{"embedded", EmbeddedConfig{}}, {"wire", WireConfig{}}});
    read_map(netsim, configuration);
  }
}

}  // namespace hilgate
