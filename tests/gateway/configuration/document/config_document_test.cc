// SPDX-License-Identifier: Apache-2.0
// What `hilgate set` makes of a configuration.
#include "gateway/configuration/document/config_document.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

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

TEST(ConfigDocument, DoesNotGrowByRobotsThatComeAndGo) {
  const ConfigDocument file = document("robots: {red: {port: p}}\nlinks: [{from: red, to: '*', delay: 2ms}]\n");
  ConfigDocument now = file;
  for (int i = 0; i < 50; ++i) {
    const std::string guest = "robots.guest-" + std::to_string(i);
    now = now.with({guest + "={port: p}", "links.red.guest-" + std::to_string(i % 3) + ".loss="}).with({guest + "="});
  }
  EXPECT_THAT(now.assignments(), testing::IsEmpty());
  EXPECT_EQ(now.value(""), file.value(""));
  EXPECT_THAT(file.with({"robots.red="}).assignments(), testing::ElementsAre("robots.red="));
  EXPECT_THAT(file.with({"robots.blue.port=p"}).with({"robots.blue="}).assignments(),
              testing::ElementsAre("robots.blue.port=p", "robots.blue="));
}

TEST(ConfigDocument, UndoesAssignments) {
  const ConfigDocument file = document(
      "window: 2ms\nphysics: {tracks: {red: [{at: 0s, position: [1m, 2m, 3m]}]}}\n"
      "links: [{from: red, to: blue, delay: 1ms, loss: 1 %}]\n");
  const std::vector<std::string> changes{"window=5ms", "physics.tracks.red=[{at: 0s, position: [9m, 2m, 3m]}]",
                                         "links.red.blue.delay=", "links.blue.red.loss=2 %",
                                         R"(links.red.blue["tcp[13] = 2"].loss=1 %)"};
  const ConfigDocument changed = file.with(changes);
  const std::vector<std::string> undo = file.undoing(changes);
  EXPECT_EQ(undo.front(), R"(links.red.blue["tcp[13] = 2"].loss=)");
  EXPECT_EQ(undo.back(), "window=2ms");
  EXPECT_NE(changed.value(""), file.value(""));
  const ConfigDocument back = changed.with(undo);
  for (const char* path : {"window", "physics.tracks.red", "links.red.blue.delay", "links.red.blue.loss"}) {
    EXPECT_EQ(back.value(path), file.value(path)) << path;
  }
  EXPECT_THROW(static_cast<void>(back.value("links.blue.red.loss")), std::runtime_error);
}

TEST(ConfigDocument, ChangedValuesWinOverAllOthers) {
  const ConfigDocument file =
      document("links: [{from: red, to: blue, delay: 1ms, loss: 1 %}, {from: '*', to: '*', delay: 2ms}]\n");
  EXPECT_EQ(
      file.with({"links.red.blue.delay=3ms"}).section("links"),
      R"([{from: red, to: blue, loss: 1 %}, {from: "*", to: "*", delay: 2ms}, {from: red, to: blue, delay: 3ms}])");
}

TEST(ConfigDocument, NamesRadiosBetweenDots) {
  const ConfigDocument file = document(
      "robots: {red: {radios: {sik: {port: p}, wifi: {port: q}}}, blue: {port: r}}\nlinks: [{from: red.sik, to: blue, "
      "loss: 1 %}, {from: red, to: blue, delay: 2ms}]\n");
  EXPECT_EQ(file.with({"links.red.wifi.blue.delay.base=3ms"}).section("links"),
            "[{from: red.sik, to: blue, loss: 1 %}, {from: red, to: blue, delay: 2ms}, {from: red.wifi, to: blue, "
            "delay: {base: 3ms}}]");
  EXPECT_EQ(file.with({"links.red.sik.blue.loss="}).section("links"), "[{from: red, to: blue, delay: 2ms}]");
  EXPECT_EQ(file.with({"links.blue.red.sik.loss=5 %"}).section("links"),
            "[{from: red.sik, to: blue, loss: 1 %}, {from: red, to: blue, delay: 2ms}, {from: blue, to: red.sik, loss: "
            "5 %}]");
  EXPECT_EQ(file.value("links.red.sik.blue.loss"), "1 %");
  EXPECT_EQ(file.value("links.red.sik.blue.delay"), "2ms") << "said of all radios of red";
  EXPECT_EQ(file.value("robots.red.radios.wifi.port"), "q");
}

TEST(ConfigDocument, RemovesReferencesToARemovedRadio) {
  const ConfigDocument file = document(
      "robots: {red: {radios: {sik: {port: p}, wifi: {port: q}}}, blue: {port: r}}\nlinks: [{from: red.sik, to: blue, "
      "loss: 1 %}, {from: red.wifi, to: blue, loss: 2 %}, {from: red, to: blue, loss: 3 %}]\n");
  EXPECT_EQ(file.with({"robots.red.radios.sik="}).section("links"),
            "[{from: red.wifi, to: blue, loss: 2 %}, {from: red, to: blue, loss: 3 %}]");
  EXPECT_EQ(file.with({"robots.red="}).section("links"), "");
}

TEST(ConfigDocument, TakesAValueAwayWhereverItStands) {
  const ConfigDocument file =
      document("links: [{from: red, to: blue, delay: 1ms}, {from: blue, to: red, delay: 2ms}]\n");
  EXPECT_EQ(file.with({"links.red.blue.delay="}).section("links"), "[{from: blue, to: red, delay: 2ms}]");
  EXPECT_EQ(file.with({"links.red.blue.delay=", "links.blue.red.delay="}).section("links"), "");
  EXPECT_EQ(file.with({"links.red.blue.loss="}).section("links"), file.section("links"));
}

TEST(ConfigDocument, FaultsNameTheKeyThatWasTyped) {
  const std::string text =
      "name: x\nports: {p: {interface: e1}, q: {interface: e2}}\nrobots: {red: {port: p}, blue: {port: q}}\n"
      "netsim: {type: wire}\nlinks: [{from: blue, to: red, loss: 2}]\n";
  const auto faults = [&text](const std::string& assignment) {
    try {
      const KnownNames none{.radios = [](const auto&) { return std::vector<std::string>{}; }, .materials = {}};
      static_cast<void>(document(text).with({assignment}).read(none));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using testing::HasSubstr;
  EXPECT_THAT(faults("links.red.blue.delay=5"), HasSubstr(" links.red.blue.delay: '5' has no unit"));
  EXPECT_THAT(faults("links.red.blue.delay={base: 5}"), HasSubstr(" links.red.blue.delay.base: '5' has no unit"));
  EXPECT_THAT(faults("links.red.blue.delay.base=5"), HasSubstr(" links.red.blue.delay.base: '5' has no unit"));
  EXPECT_THAT(faults("links.red.blue.dely=5ms"), HasSubstr(" links.red.blue.dely: unknown key 'dely'"));
  EXPECT_THAT(faults("links.rd.blue.delay=5ms"), HasSubstr(" links.rd.blue.delay: 'rd' is not a robot"));
  EXPECT_THAT(faults("links.*.*.loss=5"), HasSubstr(" links.*.*.loss: '5' has no unit"));
  EXPECT_THAT(faults("links[0].delay=5ms"), HasSubstr(" 'links[0].delay=5ms': does not name a key of a link"));
  EXPECT_THAT(faults("x-link.delay=5ms"), HasSubstr(" 'x-link.delay=5ms': has no effect: keys x-..."));
  EXPECT_THAT(faults("links.red.blue.delay=,5ms"), HasSubstr("': the value is not valid YAML: a ','"));
  EXPECT_THAT(faults("links.red.blue.delay=5ms"), HasSubstr(":5: links[0].loss: '2' has no unit"))
      << "what the file has keeps its place";
}

TEST(ConfigDocument, SetValuesAreNotSharedByAliasesAndMerges) {
  const ConfigDocument file = document(
      "x-robot: &robot {port: p, id: &id 1}\nrobots:\n  red: {<<: *robot, mac: a}\n  blue: *robot\n  green: {id: "
      "*id}\n");
  const ConfigDocument now = file.with({"robots.red.id=2", "robots.green.id=3"});
  EXPECT_EQ(now.value("robots.red.id"), "2");
  EXPECT_EQ(now.value("robots.blue.id"), "1");
  EXPECT_EQ(now.value("robots.green.id"), "3");
  EXPECT_EQ(now.value("x-robot.id"), "1");
  EXPECT_EQ(now.section("robots"), "{red: {mac: a, port: p, id: 2}, blue: {port: p, id: 1}, green: {id: 3}}");
}

TEST(ConfigDocument, TheRuleOfAFlowIsChangedWhereItStands) {
  const ConfigDocument file = document(
      "links:\n- {from: red, to: blue, filter: udp port 1, loss: 1 %}\n"
      "- {from: red, to: blue, filter: udp, loss: 2 %}\n- {from: red, to: blue, loss: 3 %}\n");
  EXPECT_EQ(file.with({R"(links.red.blue["udp port 1"].loss=9 %)"}).section("links"),
            "[{from: red, to: blue, filter: udp port 1, loss: 9 %}, {from: red, to: blue, filter: udp, loss: 2 %}, "
            "{from: red, to: blue, loss: 3 %}]");
  EXPECT_EQ(file.with({R"(links.red.blue["tcp[13] = 2"].every=5)"}).section("links"),
            "[{from: red, to: blue, filter: udp port 1, loss: 1 %}, {from: red, to: blue, filter: udp, loss: 2 %}, "
            "{from: red, to: blue, loss: 3 %}, {from: red, to: blue, filter: \"tcp[13] = 2\", every: 5}]");
  EXPECT_EQ(file.with({R"(links.red.blue["udp"].loss=)"}).section("links"),
            "[{from: red, to: blue, filter: udp port 1, loss: 1 %}, {from: red, to: blue, loss: 3 %}]");
  EXPECT_EQ(file.with({"links.red.blue.loss=4 %"}).section("links"),
            "[{from: red, to: blue, filter: udp port 1, loss: 1 %}, {from: red, to: blue, filter: udp, loss: 2 %}, "
            "{from: red, to: blue, loss: 4 %}]");
  EXPECT_EQ(file.value("links.red.blue.loss"), "3 %");
  EXPECT_EQ(file.value(R"(links.red.blue["udp port 1"].loss)"), "1 %");
  EXPECT_EQ(key_of(R"(links.red.blue["tcp[13] = 2"].loss=1 %)"), R"(links.red.blue["tcp[13] = 2"].loss)");
  EXPECT_EQ(key_of(R"(a["b=c)"), R"(a["b)") << "a filter that does not end is none";
}

TEST(ConfigDocument, ListsOfEndsLoseARemovedRobot) {
  const ConfigDocument file = document(
      "robots: {red: {port: p}, blue: {port: q}, green: {port: r}}\n"
      "links: [{from: [red, blue], to: green, loss: 1 %}, {from: [blue], to: green, loss: 2 %}]\n");
  EXPECT_EQ(file.value("links.red.green.loss"), "1 %");
  EXPECT_EQ(file.value("links.blue.green.loss"), "2 %");
  EXPECT_EQ(file.with({"robots.blue="}).section("links"), "[{from: [red], to: green, loss: 1 %}]");
}

TEST(ConfigDocument, ReferencesToARobotAreRemovedWithIt) {
  const ConfigDocument file = document(
      "robots: {red: {port: p}, blue: {port: q}}\n"
      "physics: {tracks: {red: [1], blue: [2]}}\n"
      "lab: {attach: {blue: {pid: 1}}}\n"
      "links: [{from: red, to: blue, delay: 1ms}, {from: red, to: '*', delay: 2ms}]\n");
  const ConfigDocument gone = file.with({"links.blue.red.loss=1 %", "robots.blue="});
  EXPECT_EQ(gone.section("robots"), "{red: {port: p}}");
  EXPECT_EQ(gone.section("physics"), "{tracks: {red: [1]}}");
  EXPECT_EQ(gone.section("lab"), "{attach: {}}");
  EXPECT_EQ(gone.section("links"), R"([{from: red, to: "*", delay: 2ms}])");
  EXPECT_EQ(gone.without({"robots.blue"}).section("physics"), file.section("physics"));
}

TEST(ConfigDocument, ReturnsToTheFilesValues) {
  const ConfigDocument file = document("links: [{from: red, to: blue, delay: 1ms}]\nwindow: 1ms\n");
  const ConfigDocument set = file.with({"links.red.blue.delay=3ms", "window=2ms"});
  EXPECT_EQ(set.without({"links.red.blue.delay"}).section("links"), file.section("links"));
  EXPECT_EQ(set.without({"links.red.blue.delay"}).section("window"), "2ms");
  EXPECT_EQ(key_of("a.b=c=d"), "a.b");
}

TEST(ConfigDocument, AListIsShownAsItIsSet) {
  const ConfigDocument file = document(
      "physics:\n  tracks:\n    red:\n      - {at: 0s, position: [0m, 1m, 2m]}\n      - {at: 5s, position: [9m, 1m, "
      "2m]}\n");
  const std::string track = "[{at: 0s, position: [0m, 1m, 2m]}, {at: 5s, position: [9m, 1m, 2m]}]";
  EXPECT_EQ(file.value("physics.tracks.red"), track);
  EXPECT_EQ(file.with({"physics.tracks.red=[]"}).with({"physics.tracks.red=" + track}).value("physics.tracks.red"),
            track);
}

std::vector<std::string> link_values(int count, const std::string& value) {
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i) {
    values.push_back("links.r" + std::to_string(i / 90) + ".r" + std::to_string(i % 90) + value);
  }
  return values;
}

// As many as a scenario of 90 robots sets each second. What this costs must grow as the number of values does.
TEST(ConfigDocument, ManyLinksAreSetAtOnce) {
  constexpr int kLinks = 8000;
  const ConfigDocument file = document("links: [{from: r0, to: r1, path_loss: 1 dB, loss: 2 %}]\n");
  const ConfigDocument set =
      file.with(link_values(kLinks, ".path_loss=50 dB")).with(link_values(kLinks, ".path_loss=60 dB"));
  EXPECT_THAT(set.assignments(), testing::SizeIs(kLinks));
  EXPECT_EQ(set.value("links.r0.r1"), "loss: 2 %\npath_loss: 60 dB");
  EXPECT_EQ(set.value("links.r88.r79.path_loss"), "60 dB");
  const ConfigDocument taken = set.with(link_values(kLinks, ".path_loss="));
  EXPECT_THAT(taken.assignments(), testing::ElementsAre("links.r0.r1.path_loss=")) << "of the others the file has none";
  EXPECT_EQ(taken.section("links"), "[{from: r0, to: r1, loss: 2 %}]");
}

TEST(ConfigDocument, ChangesAtOnceAreAsOneAfterTheOther) {
  const ConfigDocument file = document(
      "robots: {red: {radios: {sik: {port: p}}}, blue: {port: q}, green: {port: r}}\n"
      "links: [{from: red, to: blue, delay: 1ms}, {from: [blue, green], to: red, loss: 1 %}, {from: '*', to: blue, "
      "every: 3}, {from: red, to: blue, filter: udp, loss: 9 %}]\n");
  const std::vector<std::string> values = {"links.red.blue.loss=1 %",
                                           "links.red.blue.rate=1 Mbit/s",
                                           "links.blue.red.delay.base=1ms",
                                           "links.red.blue.delay=",
                                           "links.red.sik.blue.loss=3 %",
                                           "links.red.blue[\"udp\"].loss=8 %",
                                           "robots.blue.radios.wifi={port: s}",
                                           "links.blue.wifi.red.loss=4 %",
                                           "robots.green=",
                                           "links.green.red.loss='null'",
                                           "links.red.blue.loss=~",
                                           "window=2ms",
                                           "links.green.red.loss="};
  ConfigDocument one_by_one = file;
  for (const std::string& value : values) {
    one_by_one = one_by_one.with({value});
  }
  const ConfigDocument at_once = file.with(values);
  EXPECT_EQ(at_once.value(""), one_by_one.value(""));
  EXPECT_EQ(at_once.assignments(), one_by_one.assignments());
  EXPECT_EQ(
      at_once.section("links"),
      "[{from: [blue], to: red, loss: 1 %}, {from: \"*\", to: blue, every: 3}, {from: red, to: blue, filter: udp, "
      "loss: 8 %}, {from: red, to: blue, rate: 1 Mbit/s}, {from: blue, to: red, delay: {base: 1ms}}, {from: "
      "red.sik, to: blue, loss: 3 %}, {from: blue.wifi, to: red, loss: 4 %}]");
}

}  // namespace
}  // namespace hilgate::test
