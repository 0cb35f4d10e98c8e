// SPDX-License-Identifier: Apache-2.0
// `hilgate try` as a program, in a network namespace of its own. Run as root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/lab/lab_record.h"
#include "host/netns.h"
#include "tests/support/netns.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

class TryCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    gateway_.emplace("try");
    inside_.emplace(gateway_->name());
    write_file("wire");
  }
  void TearDown() override {
    if (inside_) {
      run({HILGATE_BIN_DIR "/hilgate", "lab", "down", file_});
      std::filesystem::remove(file_);
    }
  }

  void write_file(const std::string& netsim) {
    std::ofstream(file_) << "name: " << name_ << "\nnetsim: {type: " << netsim << "}\nlab: {}\n"
                         << "ports: {p1: {interface: hg-t1}, p2: {interface: hg-t2}}\n"
                         << "robots: {red: {port: p1, ip: 10.1.1.1}, blue: {port: p2, ip: 10.1.1.2}}\n";
  }
  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> words) const {
    words.insert(words.begin(), {HILGATE_BIN_DIR "/hilgate", "try", file_, "--"});
    return words;
  }
  [[nodiscard]] bool is_there(const std::string& robot) const { return netns_exists("hg-" + name_ + "-" + robot); }
  void expect_gone() const {
    EXPECT_FALSE(is_there("red"));
    EXPECT_FALSE(std::filesystem::exists(LabRecord::path_of(name_)));
    EXPECT_FALSE(std::filesystem::exists(control_socket(name_)));
  }

  std::string name_ = "hgy" + std::to_string(getpid());
  std::string file_ = (std::filesystem::path(testing::TempDir()) / (name_ + ".yaml")).string();
  std::optional<NetNs> gateway_;
  std::optional<InNetNs> inside_;
};

TEST_F(TryCommand, APingArrivesAndNothingStays) {
  const Finished ping = run(command({"red", "ping", "-c", "3", "-i", "0.2", "-W", "5", "blue"}));
  EXPECT_EQ(ping.status, 0) << ping.output;
  EXPECT_THAT(ping.output, HasSubstr(" 0% packet loss"));
  EXPECT_THAT(ping.output, Not(HasSubstr("[info]"))) << "the gateway's log is not the command's";
  expect_gone();
}

TEST_F(TryCommand, TheExitStatusIsTheCommands) {
  EXPECT_EQ(run(command({"red", "sh", "-c", "exit 7"})).status, 7);
  EXPECT_EQ(run(command({"red", "hgt-no-such-command"})).status, 127);
  const Finished nobody = run(command({"green", "true"}));
  EXPECT_EQ(nobody.status, 2);
  EXPECT_THAT(nobody.output, HasSubstr("red"));
  expect_gone();
}

TEST_F(TryCommand, GatewayThatDoesNotStartReportsWhy) {
  std::ofstream(file_, std::ios::app) << "record: {folder: /proc/hilgate}\n";
  const Finished tried = run(command({"red", "true"}));
  EXPECT_EQ(tried.status, 1);
  EXPECT_THAT(tried.output, HasSubstr("record.folder"));
  expect_gone();
}

TEST_F(TryCommand, TheVerdictOfAScenarioIsPrinted) {
  const std::string scenario = (std::filesystem::path(testing::TempDir()) / (name_ + "-scenario.yaml")).string();
  std::ofstream(file_, std::ios::app) << "scenario: " << scenario << "\n";
  std::ofstream(scenario)
      << "end: 500ms\nexpect:\n  - {reachable: always}\n  - {reachable: always, from: red, to: blue}\n";
  const Finished met = run(command({"red", "sleep", "60"}));
  EXPECT_EQ(met.status, 0) << met.output;
  EXPECT_THAT(met.output, HasSubstr(name_ + "-scenario.yaml: 2 expectations, all met\n"));
  std::ofstream(scenario) << "end: 500ms\nexpect:\n  - {reachable: never}\n";
  const Finished failed = run(command({"red", "sleep", "60"}));
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.output, Not(HasSubstr("all met")));
  EXPECT_THAT(failed.output, HasSubstr(name_ + "-scenario.yaml:3: "));
  std::filesystem::remove(scenario);
  expect_gone();
}

TEST_F(TryCommand, ASignalEndsTheCommandAndTakesAllBack) {
  Process tried(command({"red", "sh", "-c", "echo begun; exec sleep 60"}));
  ASSERT_TRUE(tried.wait_for_output("begun", 60s)) << tried.output();
  tried.signal(SIGTERM);
  EXPECT_EQ(tried.wait(30s), 128 + SIGTERM) << tried.output();
  expect_gone();
}

TEST_F(TryCommand, ProcessesInTheBackgroundEndWithTheLab) {
  const Finished tried = run(command({"red", "sh", "-c",
                                      "ready=$(mktemp -u); mkfifo $ready; sleep 600 >/dev/null 2>&1 & echo $!; "
                                      "sh -c 'trap \"\" TERM; sleep 601 & echo $!; : >$1; wait' - $ready 2>/dev/null & "
                                      "cat $ready; rm $ready"}));
  EXPECT_EQ(tried.status, 0) << tried.output;
  std::istringstream output(tried.output);
  const std::vector<pid_t> background(std::istream_iterator<pid_t>(output), {});
  ASSERT_EQ(background.size(), 2U) << tried.output;
  for (const pid_t process : background) {
    EXPECT_EQ(kill(process, 0), -1) << process;
  }
  expect_gone();
}

TEST_F(TryCommand, ALabThatIsThereStays) {
  ASSERT_EQ(run({HILGATE_BIN_DIR "/hilgate", "lab", "up", file_}).status, 0);
  EXPECT_EQ(run(command({"red", "true"})).status, 0);
  EXPECT_TRUE(is_there("red"));
}

TEST_F(TryCommand, ExecWaitsForTheRun) {
  ASSERT_EQ(run({HILGATE_BIN_DIR "/hilgate", "lab", "up", file_}).status, 0);
  Process ping(
      {HILGATE_BIN_DIR "/hilgate", "lab", "exec", "--wait", file_, "red", "--", "ping", "-c", "1", "-W", "5", "blue"});
  EXPECT_EQ(ping.wait(500ms), std::nullopt);
  Process gateway({HILGATE_BIN_DIR "/hilgate", "run", file_});
  EXPECT_EQ(ping.wait(60s), 0) << ping.output();
}

}  // namespace
}  // namespace hilgate::test
