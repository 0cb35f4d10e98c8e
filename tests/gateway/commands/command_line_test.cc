// SPDX-License-Identifier: Apache-2.0
// The programs as people and scripts meet them: exit status and text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kHilgate = HILGATE_BIN_DIR "/hilgate";
const std::string kHilgated = HILGATE_BIN_DIR "/hilgated";
const std::string kExample = HILGATE_SOURCE_DIR "/examples/first/two-robots.yaml";

Finished hilgate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kHilgate);
  return run(arguments);
}

/// A file that is gone with the object.
class TemporaryYaml {
 public:
  explicit TemporaryYaml(const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) / ("hgt-config-" + std::to_string(getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryYaml() { std::filesystem::remove(path_); }
  TemporaryYaml(const TemporaryYaml&) = delete;
  TemporaryYaml& operator=(const TemporaryYaml&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(CommandLine, HelpAndVersionSucceed) {
  EXPECT_EQ(hilgate({"--help"}).status, 0);
  EXPECT_THAT(hilgate({"--help"}).output,
              AllOf(HasSubstr("check"), HasSubstr("lab"), HasSubstr("run"), HasSubstr("status")));
  EXPECT_THAT(hilgate({"--version"}).output, StartsWith("hilgate 0."));
  EXPECT_EQ(hilgate({"lab", "exec", "--help"}).status, 0);
  EXPECT_EQ(run({kHilgated, "--help"}).status, 0);
}

TEST(CommandLine, WrongCommandsAreStatusTwo) {
  EXPECT_EQ(hilgate({}).status, 2);
  EXPECT_EQ(hilgate({"frobnicate"}).status, 2);
  EXPECT_EQ(hilgate({"check"}).status, 2);
  EXPECT_THAT(hilgate({"check"}).output, HasSubstr("FILE is required"));
  EXPECT_EQ(hilgate({"check", kExample, "--lively"}).status, 2);
  EXPECT_EQ(hilgate({"lab"}).status, 2);
  EXPECT_EQ(hilgate({"lab", "exec", kExample, "red"}).status, 2);
  EXPECT_EQ(hilgate({"lab", "exec", kExample, "red", "--"}).status, 2);
  EXPECT_EQ(run({kHilgated, "a", "b"}).status, 2);
}

TEST(CommandLine, WrongOptionsOfMeasurementsAreStatusTwo) {
  EXPECT_EQ(hilgate({"bench", "nothing"}).status, 2);
  EXPECT_EQ(hilgate({"bench", "passthrough", "--seconds", "0"}).status, 2);
  const std::string absent = (std::filesystem::path(testing::TempDir()) / "hgt-absent").string();
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--only", "wires"},
                                                {"--size", "63"},
                                                {"--limit", "wire.ndr.64"},
                                                {"--length", "long"},
                                                {"--limits", absent + ".yaml"},
                                                {"--json", absent + "/c.json"}}) {
    std::vector<std::string> all{"certify"};
    all.insert(all.end(), wrong.begin(), wrong.end());
    const Finished refused = hilgate(all);
    EXPECT_EQ(refused.status, 2) << wrong.front() << ": " << refused.output;
    EXPECT_THAT(refused.output, HasSubstr(wrong.front() == "--limits" ? "hgt-absent.yaml" : wrong.front()));
  }
}

TEST(CommandLine, RunsAndRecordsThatAreNotThereAreNamed) {
  const Finished status = hilgate({"status", "hgt-no-such-run"});
  EXPECT_EQ(status.status, 1);
  EXPECT_THAT(status.output, HasSubstr("no gateway of this name is running"));
  const Finished record = hilgate({"record", "show", testing::TempDir() + "/hgt-absent"});
  EXPECT_NE(record.status, 0);
  EXPECT_THAT(record.output, HasSubstr("is no record; name the folder of a run"));
  EXPECT_THAT(hilgate({"record", "show", kExample}).output, HasSubstr("is no MCAP file"));
}

TEST(CommandLine, HelpIsACommandToo) {
  EXPECT_EQ(hilgate({"help"}).status, 0);
  EXPECT_EQ(hilgate({"help"}).output, hilgate({"--help"}).output);
  EXPECT_EQ(hilgate({"help", "check"}).output, hilgate({"check", "--help"}).output);
  EXPECT_EQ(hilgate({"help", "lab", "exec"}).output, hilgate({"lab", "exec", "--help"}).output);
  EXPECT_EQ(hilgate({"help", "help"}).output, hilgate({"help", "--help"}).output);
  EXPECT_EQ(hilgate({"help", "chek"}).status, 2);
  EXPECT_EQ(hilgate({"help", "chek"}).output, "'chek' is not a command of hilgate; did you mean 'check'?\n");
}

TEST(CommandLine, UnknownCommandsAreNamed) {
  EXPECT_EQ(hilgate({"stats", "--json"}).output, "'stats' is not a command of hilgate; did you mean 'status'?\n");
  EXPECT_THAT(hilgate({"frobnicate"}).output, AllOf(StartsWith("'frobnicate' is not a command of hilgate; "
                                                               "allowed: new, edit, check, run, status"),
                                                    Not(HasSubstr("reference"))));
  EXPECT_EQ(hilgate({"lab", "upp"}).output, "'upp' is not a command of hilgate lab; did you mean 'up'?\n");
  EXPECT_EQ(hilgate({"lab"}).output, "hilgate lab needs a command: up, status, exec, shell, down\n");
  EXPECT_THAT(hilgate({}).output, StartsWith("hilgate needs a command: new, edit, check, run, "));
}

TEST(CommandLine, CheckPraisesTheExamples) {
  const Finished first = hilgate({"check", kExample});
  EXPECT_EQ(first.status, 0);
  EXPECT_THAT(first.output,
              AllOf(StartsWith(kExample + ": valid: run 'first', 2 robots on 2 ports\n"),
                    HasSubstr("\n  radio wifi_11n_2g4_adhoc: compared with ns-3: path loss, 42 points, 95 % within ")));
  EXPECT_THAT(
      hilgate({"check", HILGATE_SOURCE_DIR "/examples/simulators/trace.yaml"}).output,
      HasSubstr("examples/simulators/../traces/cell-uplink.mahimahi: mahimahi, 1057 delivery opportunities in 1 s, "));
  const Finished reference = hilgate({"check", HILGATE_SOURCE_DIR "/examples/reference.yaml"});
  EXPECT_EQ(reference.status, 0) << reference.output;
}

TEST(CommandLine, NewPrintsAConfigurationThatIsValid) {
  for (const std::string robots : {"2", "50", "300"}) {
    const Finished made = hilgate({"new", "--robots", robots, "--radio", "sik_915_64k", "--spacing", "35m"});
    ASSERT_EQ(made.status, 0) << made.output;
    const TemporaryYaml file(made.output);
    const Finished check = hilgate({"check", file.path()});
    EXPECT_EQ(check.status, 0) << check.output;
    EXPECT_THAT(check.output, HasSubstr(": valid: run 'lab', " + robots + " robots on " + robots + " ports\n"));
  }
}

TEST(CommandLine, NewNamesTheOptionThatCannotBe) {
  const Finished radio = hilgate({"new", "--radio", "wifi_11n_2g4_adhok"});
  EXPECT_EQ(radio.status, 2);
  EXPECT_THAT(radio.output,
              HasSubstr("'wifi_11n_2g4_adhok' is not a radio profile; did you mean 'wifi_11n_2g4_adhoc'?"));
  EXPECT_EQ(hilgate({"new", "--name", "a/b"}).status, 2);
  EXPECT_EQ(hilgate({"new", "--robots", "1"}).status, 2);
  EXPECT_EQ(hilgate({"new", "--spacing", "20"}).status, 2) << "without a unit";
}

TEST(CommandLine, EventLogsOfEmaneBecomeScenarios) {
  const Finished import = hilgate({"scenario", "import", HILGATE_SOURCE_DIR "/examples/scenarios/emane.eel", "--robot",
                                   "1=red", "--robot", "2=blue"});
  ASSERT_EQ(import.status, 0) << import.output;
  const TemporaryYaml scenario(import.output);
  const Finished check = hilgate({"check", kExample, "--scenario", scenario.path()});
  EXPECT_EQ(check.status, 0) << check.output;
  EXPECT_EQ(hilgate({"scenario", "import", kExample}).status, 2) << "no event log";
}

TEST(CommandLine, CheckGivesOneLinePerFault) {
  const TemporaryYaml file(
      "name: t\nwindow: 0ms\nports: {p: {interface: a}}\nrobots: {red: {port: q}}\nnetsim: {type: wire}\n");
  const Finished check = hilgate({"check", file.path()});
  EXPECT_EQ(check.status, 2);
  EXPECT_EQ(check.output, file.path() + ":2: window: '0ms' is out of range; allowed: 100us to 10s\n" + file.path() +
                              ":4: robots.red.port: 'q' is not a port; known: p\n");
}

TEST(CommandLine, CheckListsTheProfilesThereAre) {
  const TemporaryYaml file(
      "name: t\nports: {p: {interface: a}}\nrobots: {red: {port: p, radio: wifi_11n_2g4_adhok}}\nnetsim: {type: "
      "wire}\n");
  const Finished check = hilgate({"check", file.path()});
  EXPECT_EQ(check.status, 2);
  EXPECT_THAT(check.output, HasSubstr(":3: robots.red.radio: 'wifi_11n_2g4_adhok' is not a radio profile; did you mean "
                                      "'wifi_11n_2g4_adhoc'? known: "));
}

TEST(CommandLine, TheBeginningOfAProfilesNameFindsIt) {
  const auto radio = [](const std::string& name) {
    const TemporaryYaml file("name: t\nports: {p: {interface: a}}\nrobots: {red: {port: p, radio: " + name +
                             "}}\nnetsim: {type: wire}\n");
    return hilgate({"check", file.path()}).output;
  };
  EXPECT_THAT(radio("wifi_11n"), HasSubstr("; did you mean 'wifi_11n_2g4_adhoc'? known: "));
  EXPECT_THAT(radio("wifi_11a"), HasSubstr("; did you mean 'wifi_11ac_80' or 'wifi_11ag' or 'wifi_11ax_20' or "
                                           "'wifi_11ax_40' or 'wifi_11ax_80'? known: "));
  EXPECT_THAT(radio("qqqqqq"), HasSubstr("is not a radio profile; known: "));
}

TEST(CommandLine, CheckReadsTheUsedProfiles) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("hgt-config-profiles-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "broken.yaml") << "id: broken\n";
  const TemporaryYaml file("name: t\nprofiles: [" + folder.string() +
                           "]\nports: {p: {interface: a}}\nrobots: {red: {port: p, radio: broken}}\n"
                           "netsim: {type: embedded}\nphysics: {type: trajectory, tracks: {red: [{at: 0s, "
                           "position: [0m, 0m, 0m]}]}}\n");
  const Finished check = hilgate({"check", file.path()});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(check.status, 2);
  EXPECT_THAT(check.output, StartsWith((folder / "broken.yaml").string() + ":1: "));
}

TEST(CommandLine, FilesThatAreMissingOrNoYamlAreNamed) {
  const Finished missing = hilgate({"check", "/nowhere/x.yaml"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.output, "/nowhere/x.yaml: cannot be read: No such file or directory\n");
  const TemporaryYaml file("name: [t\n");
  const Finished broken = hilgate({"check", file.path()});
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.output, AllOf(StartsWith(file.path() + ":"), HasSubstr("is not valid YAML")));
  EXPECT_EQ(run({kHilgated, "/nowhere/x.yaml"}).status, 2);
}

TEST(CommandLine, LiveCheckReadsThisMachine) {
  const TemporaryYaml file(
      "name: t\nports:\n  p: {interface: hgt-nowhere}\nrobots: {red: {port: p}}\nnetsim: {type: wire}\n");
  EXPECT_EQ(hilgate({"check", file.path()}).status, 0);
  const Finished live = hilgate({"check", "--live", file.path()});
  EXPECT_EQ(live.status, 2);
  EXPECT_THAT(live.output,
              StartsWith(file.path() +
                         ":3: ports.p.interface: interface 'hgt-nowhere' does not exist on this machine; it has: "));
  const TemporaryYaml good("name: t\nports: {p: {interface: lo}}\nrobots: {red: {port: p}}\nnetsim: {type: wire}\n");
  EXPECT_EQ(hilgate({"check", "--live", good.path()}).status, 0);
}

TEST(CommandLine, LabNeedsItsSection) {
  const TemporaryYaml file("name: t\nports: {p: {interface: a}}\nrobots: {red: {port: p}}\nnetsim: {type: wire}\n");
  for (const char* command : {"up", "down"}) {
    const Finished lab = hilgate({"lab", command, file.path()});
    EXPECT_EQ(lab.status, 2);
    EXPECT_EQ(lab.output, file.path() + ": misses the `lab:` section, which `hilgate lab` needs\n");
  }
}

TEST(CommandLine, ExecNamesTheRobotsThereAre) {
  const Finished exec = hilgate({"lab", "exec", kExample, "rad", "--", "true"});
  EXPECT_EQ(exec.status, 2);
  EXPECT_EQ(exec.output, "lab 'first': 'rad' is not a robot; did you mean 'red'? known: red, blue\n");
}

}  // namespace
}  // namespace hilgate::test
