// SPDX-License-Identifier: Apache-2.0
// Labs of processes that are there already. Run as root.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "gateway/lab/lab.h"
#include "gateway/lab/lab_record.h"
#include "host/netns.h"
#include "tests/support/netns.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string message_of_failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

ino_t inode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}
ino_t network_of(const std::string& process) {
  return inode_of("/proc/" + process + "/ns/net");
}

class LabAttach : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    gateway_.emplace("attach");
    inside_.emplace(gateway_->name());
    process_.emplace(std::vector<std::string>{"unshare", "--net", "sleep", "120"});
    for (int i = 0; i < 1000 && network_of(pid()) == network_of("self"); ++i) {
      std::this_thread::sleep_for(5ms);
    }
    plan_.name = "ta" + std::to_string(getpid());
    plan_.robots = {{.robot = "red",
                     .netns = "hgt-attach-" + std::to_string(getpid()) + "-red",
                     .port_interface = "hg-red",
                     .mac = "02:68:67:00:00:01",
                     .addresses = {"10.77.0.1/24"},
                     .attach = static_cast<std::uint32_t>(process_->pid())}};
  }
  void TearDown() override {
    if (inside_) {
      lab_down(plan_);
    }
  }

  [[nodiscard]] std::string pid() const { return std::to_string(process_->pid()); }
  std::string in_process(const std::string& command) const {  // NOLINT(modernize-use-nodiscard)
    return run_ok({"nsenter", "--net=/proc/" + pid() + "/ns/net", "sh", "-c", command});
  }

  std::optional<NetNs> gateway_;
  std::optional<InNetNs> inside_;
  std::optional<Process> process_;
  LabPlan plan_;
};

TEST_F(LabAttach, AProcessGetsTheInterfaceAndKeepsAllElse) {
  in_process(
      "ip link add mine type veth peer name mine2 && ip link set mine up && ip address add 192.0.2.1/24 dev mine");
  lab_up(plan_);
  EXPECT_THAT(in_process("ip -o address show dev eth0"), HasSubstr("10.77.0.1/24"));
  EXPECT_THAT(in_process("ip -o link show dev eth0"), HasSubstr("02:68:67:00:00:01"));
  EXPECT_EQ(inode_of("/run/netns/" + plan_.robots[0].netns), network_of(pid())) << "`lab exec` gets there";
  EXPECT_NE(if_nametoindex("hg-red"), 0U);
  EXPECT_TRUE(lab_down(plan_));
  EXPECT_EQ(if_nametoindex("hg-red"), 0U);
  EXPECT_FALSE(netns_exists(plan_.robots[0].netns));
  const std::string left = in_process("ip -o link show");
  EXPECT_THAT(left, Not(HasSubstr("eth0")));
  EXPECT_THAT(left, HasSubstr("mine"));
  EXPECT_FALSE(process_->wait(0ms)) << "the process goes on";
  lab_up(plan_);
  EXPECT_THAT(in_process("ip -o link show dev eth0"), HasSubstr("LOWER_UP"));
}

TEST_F(LabAttach, AnInterfaceOfTheProcessStaysItsOwn) {
  in_process("ip link add eth0 type veth peer name eth1");
  EXPECT_THAT(message_of_failure([&] { lab_up(plan_); }), HasSubstr("robot 'red' has an interface eth0 already"));
  EXPECT_THAT(in_process("ip -o link show dev eth0"), HasSubstr("eth0"));
  EXPECT_FALSE(std::filesystem::exists(LabRecord::path_of(plan_.name)));
  plan_.robots[0].interface = "lab0";
  lab_up(plan_);
  EXPECT_THAT(in_process("ip -o address show dev lab0"), HasSubstr("10.77.0.1/24"));
  EXPECT_TRUE(lab_down(plan_));
  EXPECT_THAT(in_process("ip -o link show"), HasSubstr("eth0"));
}

TEST_F(LabAttach, ForeignReplacementOfTheLabStays) {
  lab_up(plan_);
  in_process("ip link del eth0 && ip link add eth0 type veth peer name eth1");
  EXPECT_TRUE(lab_down(plan_));
  EXPECT_THAT(in_process("ip -o link show dev eth0"), HasSubstr("eth0"));
}

TEST_F(LabAttach, TheProcessMayEndBeforeTheLab) {
  lab_up(plan_);
  process_->stop(SIGKILL);
  EXPECT_NE(if_nametoindex("hg-red"), 0U);
  EXPECT_TRUE(lab_down(plan_));
  EXPECT_EQ(if_nametoindex("hg-red"), 0U);
  EXPECT_FALSE(netns_exists(plan_.robots[0].netns));
}

TEST_F(LabAttach, NamesTheFaultOfTheProcess) {
  plan_.robots[0].attach = static_cast<std::uint32_t>(getpid());
  EXPECT_THAT(message_of_failure([&] { lab_up(plan_); }), HasSubstr("is in the gateway's own network"));
  process_->stop(SIGKILL);
  plan_.robots[0].attach = static_cast<std::uint32_t>(process_->pid());
  EXPECT_THAT(message_of_failure([&] { lab_up(plan_); }),
              HasSubstr(fmt::format("robot 'red': process {} does not run; start it first", pid())));
  EXPECT_FALSE(std::filesystem::exists(LabRecord::path_of(plan_.name)));
}

// An engine that knows the containers `nav`, which runs, and `old`, which does not.
TEST_F(LabAttach, ContainersAreFoundByName) {
  const auto folder = std::filesystem::temp_directory_path() / plan_.name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "docker") << "#!/bin/sh\nfor last in \"$@\"; do :; done\ncase $last in nav) echo " << pid()
                                   << ";; old) echo 0;; *) echo \"no such container $last\" >&2; exit 1;; esac\n";
  std::ofstream(folder / "podman") << "#!/bin/sh\necho 'no such object' >&2\nexit 125\n";
  for (const char* engine : {"docker", "podman"}) {
    std::filesystem::permissions(folder / engine, std::filesystem::perms{0755});
  }
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (folder.string() + ":" + before).c_str(), 1);
  plan_.robots[0].attach = "nav";
  lab_up(plan_);
  EXPECT_THAT(in_process("ip -o address show dev eth0"), HasSubstr("10.77.0.1/24"));
  EXPECT_TRUE(lab_down(plan_));
  plan_.robots[0].attach = "old";
  EXPECT_THAT(message_of_failure([&] { lab_up(plan_); }), HasSubstr("container 'old' does not run"));
  plan_.robots[0].attach = "none";
  EXPECT_THAT(message_of_failure([&] { lab_up(plan_); }),
              AllOf(HasSubstr("there is no container 'none'"), HasSubstr("no such object"),
                    HasSubstr("no such container none")));
  ::setenv("PATH", before.c_str(), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hilgate::test
