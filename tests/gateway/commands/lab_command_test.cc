// SPDX-License-Identifier: Apache-2.0
// `hilgate lab` as a program, in a network namespace of its own. Run as root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "gateway/lab/lab_record.h"
#include "host/netns.h"
#include "tests/support/netns.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

class LabCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    gateway_.emplace("config");
    inside_.emplace(gateway_->name());
    write_file(2);
  }
  void TearDown() override {
    if (inside_) {
      lab({"down", file_});
      std::filesystem::remove(file_);
    }
  }

  /// A configuration with robots r1, r2, ...
  void write_file(int robots) {
    std::ofstream file(file_);
    file << "name: " << name_ << "\nnetsim: {type: wire}\nlab: {}\nports:\n";
    for (int i = 1; i <= robots; ++i) {
      file << "  p" << i << ": {interface: hg-r" << i << "}\n";
    }
    file << "robots:\n";
    for (int i = 1; i <= robots; ++i) {
      file << "  r" << i << ": {port: p" << i << ", ip: 10.1.1." << i << "}\n";
    }
  }
  static Finished lab(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {HILGATE_BIN_DIR "/hilgate", "lab"});
    return run(arguments);
  }
  [[nodiscard]] Finished exec(std::vector<std::string> command) const {
    command.insert(command.begin(), {"exec", file_, "r1", "--"});
    return lab(command);
  }
  [[nodiscard]] bool exists(const std::string& robot) const { return netns_exists("hg-" + name_ + "-" + robot); }

  std::string name_ = "hgt" + std::to_string(getpid());
  std::string file_ = (std::filesystem::path(testing::TempDir()) / (name_ + ".yaml")).string();
  std::optional<NetNs> gateway_;
  std::optional<InNetNs> inside_;
};

TEST_F(LabCommand, UpReportsItsWorkAndDownIsIdempotent) {
  const Finished up = lab({"up", file_});
  EXPECT_EQ(up.status, 0) << up.output;
  EXPECT_THAT(up.output, HasSubstr("r1: namespace hg-" + name_ + "-r1, eth0 <-> hg-r1, 10.1.1.1/24\n"));
  const Finished again = lab({"up", file_});
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("10.1.1.1/24: is up already\n"));
  EXPECT_EQ(lab({"down", file_}).output, "lab '" + name_ + "' is removed\n");
  const Finished down = lab({"down", file_});
  EXPECT_EQ(down.status, 0);
  EXPECT_EQ(down.output, "lab '" + name_ + "' does not exist\n");
}

TEST_F(LabCommand, UpAddsARobotAndKeepsExistingOnes) {
  ASSERT_EQ(lab({"up", file_}).status, 0);
  const Process program({HILGATE_BIN_DIR "/hilgate", "lab", "exec", file_, "r1", "--", "sleep", "60"});
  write_file(3);
  EXPECT_THAT(lab({"status", file_}).output, HasSubstr("`hilgate lab up` adds what is missing"));
  const Finished up = lab({"up", file_});
  EXPECT_EQ(up.status, 0) << up.output;
  EXPECT_THAT(up.output, AllOf(HasSubstr("10.1.1.2/24: is up already\n"), HasSubstr("10.1.1.3/24\n")));
  EXPECT_EQ(lab({"status", file_}).status, 0);
  EXPECT_EQ(kill(program.pid(), 0), 0) << "it runs on";
  write_file(1);
  EXPECT_THAT(lab({"up", file_}).output,
              HasSubstr("namespace hg-" + name_ + "-r3 is of a robot that the file does not"));
  EXPECT_TRUE(exists("r3"));
  EXPECT_EQ(lab({"down", file_}).status, 0);
  EXPECT_FALSE(exists("r3"));
}

TEST_F(LabCommand, UpAddsAnAddressAndANamespaceThatIsGone) {
  ASSERT_EQ(lab({"up", file_}).status, 0);
  run_ok({"ip", "netns", "del", "hg-" + name_ + "-r2"});
  run_ok({"ip", "-n", "hg-" + name_ + "-r1", "address", "del", "10.1.1.1/24", "dev", "eth0"});
  EXPECT_THAT(lab({"status", file_}).output,
              AllOf(HasSubstr("interface eth0 has not the address 10.1.1.1/24\n"), HasSubstr("-r2 is gone\n")));
  const Finished up = lab({"up", file_});
  EXPECT_EQ(up.status, 0) << up.output;
  EXPECT_THAT(up.output, HasSubstr("10.1.1.1/24: completed\n"));
  EXPECT_EQ(lab({"status", file_}).status, 0);
}

TEST_F(LabCommand, FailedUpRemovesItsAdditionsAlone) {
  ASSERT_EQ(lab({"up", file_}).status, 0);
  write_file(4);
  run_ok({"ip", "link", "add", "hg-r4", "type", "veth"});
  EXPECT_EQ(lab({"up", file_}).status, 1);
  run_ok({"ip", "link", "del", "hg-r4"});
  EXPECT_FALSE(exists("r3"));
  EXPECT_TRUE(exists("r1"));
  write_file(2);
  EXPECT_EQ(lab({"status", file_}).status, 0);
}

TEST_F(LabCommand, ShellIsTheUsersInTheNamespace) {
  ASSERT_EQ(lab({"up", file_}).status, 0);
  EXPECT_EQ(run({"sh", "-c",
                 "echo 'ls /sys/class/net' | SHELL=/bin/sh " HILGATE_BIN_DIR "/hilgate lab shell " + file_ + " r1"})
                .output,
            "eth0\nlo\n");
}

TEST_F(LabCommand, ExecIsTheCommandInsideTheNamespace) {
  ASSERT_EQ(lab({"up", file_}).status, 0);
  EXPECT_EQ(exec({"true"}).status, 0);
  EXPECT_EQ(exec({"sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(exec({"sh", "-c", "kill -TERM $$"}).status, 128 + SIGTERM);
  EXPECT_EQ(exec({"printf", "%s|", "--live", "--", "a b", "check"}).output, "--live|--|a b|check|");
  EXPECT_THAT(exec({"ip", "-o", "link"}).output, HasSubstr("eth0"));
  EXPECT_EQ(exec({"ls", "/sys/class/net"}).output, "eth0\nlo\n");
}

TEST_F(LabCommand, ExecFindsRobotsByTheirNames) {
  ASSERT_EQ(lab({"up", file_}).status, 0);
  EXPECT_THAT(exec({"getent", "hosts", "r1", "r2"}).output,
              AllOf(HasSubstr("10.1.1.1        r1\n"), HasSubstr("10.1.1.2        r2\n")));
  std::ifstream hosts("/etc/hosts");
  const std::string machines(std::istreambuf_iterator<char>(hosts), {});
  EXPECT_THAT(exec({"cat", "/etc/hosts"}).output, StartsWith(machines)) << "the machine's names stay";
  EXPECT_THAT(machines, Not(HasSubstr("10.1.1.2")));
}

TEST_F(LabCommand, StatusReportsDeviations) {
  const Finished none = lab({"status", file_});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.output, "lab '" + name_ + "' does not exist; `hilgate lab up` makes it\n");
  ASSERT_EQ(lab({"up", file_}).status, 0);
  const Finished well = lab({"status", file_});
  EXPECT_EQ(well.status, 0) << well.output;
  EXPECT_THAT(well.output, HasSubstr("r1: namespace hg-" + name_ + "-r1, eth0 <-> hg-r1, 10.1.1.1/24: up\n"));
  run_ok({"ip", "link", "set", "hg-r1", "down"});
  const Finished down = lab({"status", file_});
  EXPECT_EQ(down.status, 1);
  EXPECT_THAT(down.output, AllOf(HasSubstr("10.1.1.1/24: interface hg-r1 is down\n"), HasSubstr("10.1.1.2/24: up\n"),
                                 HasSubstr("`hilgate lab down` and `hilgate lab up` make it anew")));
  run_ok({"ip", "link", "del", "hg-r1"});
  EXPECT_THAT(lab({"status", file_}).output, HasSubstr("interface hg-r1 is gone\n"));
  run_ok({"ip", "netns", "del", "hg-" + name_ + "-r2"});
  EXPECT_THAT(lab({"status", file_}).output, HasSubstr("namespace hg-" + name_ + "-r2 is gone\n"));
  write_file(3);
  EXPECT_THAT(lab({"status", file_}).output, HasSubstr("10.1.1.3/24: the lab was made without this robot\n"));
}

TEST_F(LabCommand, ExecOfNoCommandHasTheStatusThatShellsGive) {
  ASSERT_EQ(lab({"up", file_}).status, 0);
  const Finished missing = exec({"hgt-no-such-command"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_EQ(missing.output, "hilgate: cannot run 'hgt-no-such-command': No such file or directory\n");
  EXPECT_EQ(exec({"/etc/passwd"}).status, 126);
}

TEST_F(LabCommand, ExecWithoutLabNamesTheCommand) {
  const Finished early = exec({"true"});
  EXPECT_EQ(early.status, 1);
  EXPECT_THAT(early.output, HasSubstr("is not up: network namespace"));
}

TEST_F(LabCommand, WithoutRightsNamesTheMissingCapabilities) {
  const Finished up =
      run({"setpriv", "--bounding-set=-all", "--inh-caps=-all", HILGATE_BIN_DIR "/hilgate", "lab", "up", file_});
  EXPECT_EQ(up.status, 1);
  EXPECT_EQ(up.output, "hilgate: hilgate lab up needs CAP_SYS_ADMIN and CAP_NET_ADMIN; run it as root\n");
  EXPECT_FALSE(exists("r1"));
}

TEST_F(LabCommand, IpNetnsExecIsRefusedAsNotLasting) {
  const Finished up = run({"ip", "netns", "exec", gateway_->name(), HILGATE_BIN_DIR "/hilgate", "lab", "up", file_});
  EXPECT_EQ(up.status, 1);
  EXPECT_THAT(up.output, HasSubstr("use `nsenter --net=/run/netns/NAME hilgate ...`"));
  EXPECT_FALSE(exists("r1"));
}

TEST_F(LabCommand, InterruptedUpTakesEverythingBack) {
  write_file(40);
  Process up({HILGATE_BIN_DIR "/hilgate", "lab", "up", file_});
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!exists("r1") && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  up.signal(SIGINT);
  EXPECT_EQ(up.wait(60s), 128 + SIGINT) << up.output();
  EXPECT_FALSE(exists("r1"));
  EXPECT_FALSE(std::filesystem::exists(LabRecord::path_of(name_)));
}

}  // namespace
}  // namespace hilgate::test
