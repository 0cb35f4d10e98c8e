// SPDX-License-Identifier: Apache-2.0
// What `hilgate set` says of a running configuration, a line an assignment: it takes effect or is refused with a
// reason. What has been changed can be shown and changed again.
#include <vector>

#include "gateway/configuration/document/config_document.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

constexpr std::string_view kFile = R"(
window: 10 ms
ports: {a: {interface: a}, b: {interface: b}}
robots:
  red: {port: a, mac: "02:00:00:00:00:01", radio: wifi_11n_2g4_adhoc}
  blue: {port: b, mac: "02:00:00:00:00:02", radio: wifi_11n_2g4_adhoc}
physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 0m]}], blue: [{at: 0s, position: [9m, 0m, 0m]}]}}
links: [{from: red, to: blue, delay: 1 ms}]
)";

void change(const ConfigDocument& document, const std::vector<std::string>& assignments) {
  const KnownNames known{.radios = [](const auto&) { return std::vector<std::string>{"wifi_11n_2g4_adhoc"}; },
                         .materials = {"brick"}};
  try {
    const ConfigDocument changed = document.with(assignments);
    for (const std::string& assignment : assignments) {
      try {
        (void)changed.value(assignment.substr(0, assignment.find('=')));
      } catch (const ConfigError&) {         // NOLINT(bugprone-empty-catch): nothing stands there
      } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): nothing stands there
      }
    }
    (void)changed.section("physics");
    (void)changed.physics_file();
    (void)changed.read(known);
  } catch (const ConfigError& error) {
    require(!error.faults().empty(), "who is refused is told why");
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  static const ConfigDocument document = [] {
    MemoryFile file;
    return ConfigDocument::load(file.with(kFile));
  }();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> assignments;
  while (!text.empty() && assignments.size() < 8) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    assignments.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  change(document, assignments);
  return 0;
}
