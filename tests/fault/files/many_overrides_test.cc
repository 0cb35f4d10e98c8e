// SPDX-License-Identifier: Apache-2.0
// A file that says much about many links: as many robots as there may be, and 2000 items for all of them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "tests/fault/fault_record.h"
#include "tests/loop.h"
#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string many_overrides() {
  std::string text = "name: many\nnetsim: {type: wire}\nports: {p: {interface: a}, q: {interface: b}}\nrobots:\n";
  for (int n = 0; n < 1024; ++n) {
    text += fmt::format("  r{}: {{port: {}, mac: '02:00:00:00:{:02x}:{:02x}'}}\n", n, n % 2 == 0 ? "p" : "q", n / 256,
                        n % 256);
  }
  text += "links:\n";
  for (int n = 0; n < 1000; ++n) {
    text += fmt::format("  - {{from: '*', to: '*', delay: {{distribution: uniform, min: 0s, max: {}us}}}}\n", n + 1);
    text += fmt::format("  - {{from: '*', to: r{}, loss: 1 %}}\n", n);
  }
  return text;
}

// How often items are laid over links is counted in link_overrides_test: before it was 1024 x 1024 x 1000 times.
TEST(Fault, ThousandsOfOverridesForAMillionLinks) {
  const TempDir folder;
  const std::string file = folder.file("many.yaml");
  std::ofstream(file) << many_overrides();
  Finished checked;
  const auto took = time_of([&] { checked = run({HILGATE_BIN_DIR "/hilgate", "check", file}); });
  EXPECT_EQ(checked.status, 0) << checked.output;
  record({"A file has 1024 robots and 2000 items for all of their links",
          "Each link is made from the items that count for it: of those with the same ends the last ones",
          fmt::format("`hilgate check` takes {}", text_of(took))});
}

}  // namespace
}  // namespace hilgate::test
