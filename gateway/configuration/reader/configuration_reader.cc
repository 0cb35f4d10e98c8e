// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/configuration_reader.h"

#include "gateway/configuration/reader/old_keys.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {

Configuration load_configuration(const std::filesystem::path& file, const KnownNames& known) {
  YamlDocument document = YamlDocument::load(file.string());
  Configuration configuration = read_configuration(document, known);
  document.finish();
  return configuration;
}

Configuration read_configuration(YamlDocument& document, const KnownNames& known) {
  Configuration configuration;
  configuration.file = document.file();
  configuration.old_keys = document.replace_old_keys(old_keys());
  YamlReader root = document.root();
  read_general(root, configuration);
  read_dpdk(root, configuration);
  read_ports(root, configuration);
  read_netsim(root, configuration);
  read_robots(root, known, configuration);
  read_access_points(root, known, configuration);
  check_lines(root, configuration);
  read_physics(root, known, configuration);
  read_cores(root, configuration);
  read_traces(root, configuration);
  read_kernel_links(root, configuration);
  read_links(root, configuration);
  read_pace(root, configuration);
  read_clock(root, configuration);
  read_lab(root, configuration);
  read_telemetry(root, configuration);
  read_capture(root, configuration);
  read_record(root, configuration);
  read_web(root, configuration);
  return configuration;
}

}  // namespace hilgate
