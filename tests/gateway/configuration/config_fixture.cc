// SPDX-License-Identifier: Apache-2.0
#include "tests/gateway/configuration/config_fixture.h"

#include <sstream>

namespace hilgate::test {

KnownNames some_names() {
  return {[](const auto&) { return std::vector<std::string>{"wifi_11n_2g4_adhoc", "wifi_other"}; }, {"brick", "wood"}};
}

std::string good_yaml() {
  return "name: t\n"                                                                                 // 1
         "window: 1ms\n"                                                                             // 2
         "ports:\n"                                                                                  // 3
         "  p1: {interface: hg-a}\n"                                                                 // 4
         "  p2: {interface: hg-b}\n"                                                                 // 5
         "robots:\n"                                                                                 // 6
         "  red:\n"                                                                                  // 7
         "    port: p1\n"                                                                            // 8
         "    mac: 02:00:00:00:00:01\n"                                                              // 9
         "    ip: [10.0.0.1, 'fd00::1']\n"                                                           // 10
         "    radio: wifi_other\n"                                                                   // 11
         "  blue:\n"                                                                                 // 12
         "    port: p2\n"                                                                            // 13
         "    mac: 02:00:00:00:00:02\n"                                                              // 14
         "    radio: wifi_other\n"                                                                   // 15
         "physics:\n"                                                                                // 16
         "  type: trajectory\n"                                                                      // 17
         "  tracks:\n"                                                                               // 18
         "    red: [{at: 0s, position: [0m, 0m, 1m]}]\n"                                             // 19
         "    blue: [{at: 0s, position: [5m, 0m, 1m]}, {at: 2s, position: [6m, 0m, 1m]}]\n"          // 20
         "  obstacles: [{name: w, box: {min: [1m, 0m, 0m], max: [2m, 9m, 3m]}, material: brick}]\n"  // 21
         "netsim: {type: embedded}\n"                                                                // 22
         "links: [{from: red, to: '*', delay: 1ms}]\n"                                               // 23
         "lab: {mtu: 1400 B}\n";                                                                     // 24
}

std::string with_line(int number, const std::string& text) {
  std::istringstream lines(good_yaml());
  std::string result;
  int at = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string& chosen = ++at == number ? text : line;
    result += chosen.empty() ? "" : chosen + "\n";
  }
  return result;
}

Configuration read_yaml(const std::string& yaml) {
  YamlDocument document = YamlDocument::parse(yaml, "f.yaml");
  Configuration configuration = read_configuration(document, some_names());
  document.finish([](YamlDocument& other) { read_configuration(other, some_names()); });
  return configuration;
}

std::vector<std::string> faults_in(const std::string& yaml) {
  std::vector<std::string> lines;
  try {
    read_yaml(yaml);
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      lines.push_back(fault.line_text());
    }
  }
  return lines;
}

}  // namespace hilgate::test
