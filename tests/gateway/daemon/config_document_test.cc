// SPDX-License-Identifier: Apache-2.0
// What `hilgate set` makes of a configuration.
#include "gateway/daemon/config_document.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hilgate::test {
namespace {

ConfigDocument document(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("hgt-document-" + std::to_string(::getpid()));
  std::ofstream(file) << text;
  ConfigDocument read = ConfigDocument::load(file);
  std::filesystem::remove(file);
  return read;
}

TEST(ConfigDocument, DoesNotGrowByChangesOfTheSameValues) {
  ConfigDocument now = document("seed: 1\n");
  for (int i = 0; i < 50; ++i) {
    now = now.with({"links.red.blue.delay=" + std::to_string(i) + "ms", "links.*.*.loss=" + std::to_string(i) + " %"});
  }
  EXPECT_EQ(now.section("links"), R"([{from: red, to: blue, delay: 49ms}, {from: "*", to: "*", loss: 49 %}])");
}

TEST(ConfigDocument, ChangedValuesWinOverAllOthers) {
  const ConfigDocument file =
      document("links: [{from: red, to: blue, delay: 1ms, loss: 1 %}, {from: '*', to: '*', delay: 2ms}]\n");
  EXPECT_EQ(
      file.with({"links.red.blue.delay=3ms"}).section("links"),
      R"([{from: red, to: blue, loss: 1 %}, {from: "*", to: "*", delay: 2ms}, {from: red, to: blue, delay: 3ms}])");
}

TEST(ConfigDocument, TakesAValueAwayWhereverItStands) {
  const ConfigDocument file =
      document("links: [{from: red, to: blue, delay: 1ms}, {from: blue, to: red, delay: 2ms}]\n");
  EXPECT_EQ(file.with({"links.red.blue.delay="}).section("links"), "[{from: blue, to: red, delay: 2ms}]");
  EXPECT_EQ(file.with({"links.red.blue.delay=", "links.blue.red.delay="}).section("links"), "");
  EXPECT_EQ(file.with({"links.red.blue.loss="}).section("links"), file.section("links"));
}

}  // namespace
}  // namespace hilgate::test
