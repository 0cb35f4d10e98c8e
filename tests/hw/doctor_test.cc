// SPDX-License-Identifier: Apache-2.0
// `hilgate doctor`: what it makes of copies of /proc and /sys, and what it says of this machine.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hw/doctor/doctor.h"
#include "hw/doctor/host_checks.h"
#include "tests/support/net_lab.h"
#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A root directory with a few files, gone with the object.
class FakeHost {
 public:
  FakeHost() : root_(std::filesystem::path(testing::TempDir()) / ("hgt-doctor-" + std::to_string(getpid()))) {}
  ~FakeHost() { std::filesystem::remove_all(root_); }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;
  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  [[nodiscard]] HostFiles files() const { return HostFiles(root_); }

 private:
  std::filesystem::path root_;
};

Finding of(const Findings& findings, const std::string& check) {
  const auto found = std::ranges::find(findings, check, &Finding::check);
  return found == findings.end() ? Finding{} : *found;
}

TEST(Doctor, ProcessorsOfATunedHost) {
  FakeHost host;
  host.file("sys/devices/system/cpu/isolated", "2-3,5");
  host.file("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance");
  host.file("sys/devices/system/cpu/cpu3/cpuidle/state1/name", "C1");
  host.file("sys/devices/system/cpu/cpu3/cpuidle/state1/latency", "2");
  host.file("sys/devices/system/cpu/cpu3/cpuidle/state2/name", "C6");
  host.file("sys/devices/system/cpu/cpu3/cpuidle/state2/latency", "133");
  host.file("sys/devices/system/cpu/cpu3/cpuidle/state2/disable", "1");
  host.file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
  host.file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu constant_tsc nonstop_tsc");
  Findings findings;
  check_processors(host.files(), 3, findings);
  for (const char* check : {"isolated processor", "governor", "idle states", "tsc", "clocksource"}) {
    EXPECT_EQ(of(findings, check).state, CheckState::kOk) << check << ": " << of(findings, check).found;
    EXPECT_EQ(of(findings, check).advice, "") << check;
  }
}

TEST(Doctor, ProcessorsOfAnUntunedHost) {
  FakeHost host;
  host.file("sys/devices/system/cpu/isolated", "2-3");
  host.file("sys/devices/system/cpu/cpu4/cpufreq/scaling_governor", "powersave");
  host.file("sys/devices/system/cpu/cpu4/cpuidle/state2/name", "C6");
  host.file("sys/devices/system/cpu/cpu4/cpuidle/state2/latency", "133");
  host.file("proc/cpuinfo", "flags\t\t: fpu constant_tsc");
  Findings findings;
  check_processors(host.files(), 4, findings);
  EXPECT_EQ(of(findings, "isolated processor").state, CheckState::kWarn);
  EXPECT_THAT(of(findings, "isolated processor").advice, HasSubstr("isolcpus=4"));
  EXPECT_EQ(of(findings, "governor").found, "powersave");
  EXPECT_EQ(of(findings, "idle states").found, "C6 allowed");
  EXPECT_EQ(of(findings, "tsc").state, CheckState::kFail);
  EXPECT_EQ(of(findings, "tsc").found, "without nonstop_tsc");
}

TEST(Doctor, ABusyMachineIsNamed) {
  FakeHost host;
  Findings findings;
  check_processors(host.files(), std::nullopt, findings);
  EXPECT_EQ(of(findings, "load").state, CheckState::kUnknown);
  findings.clear();
  host.file("proc/loadavg", "0.00 3.10 4.00 1/200 4711");
  check_processors(host.files(), std::nullopt, findings);
  EXPECT_EQ(of(findings, "load").state, CheckState::kOk);
  findings.clear();
  host.file("proc/loadavg", "4097.25 3.10 4.00 1/200 4711");
  check_processors(host.files(), std::nullopt, findings);
  EXPECT_EQ(of(findings, "load").state, CheckState::kWarn);
  EXPECT_THAT(of(findings, "load").found, HasSubstr("4097.25 on "));
}

TEST(Doctor, KernelsAndMemory) {
  FakeHost host;
  host.file("proc/sys/kernel/osrelease", "4.19.0-8-amd64");
  host.file("proc/net/protocols", "protocol  size\nXDP  1024");
  host.file("proc/sys/net/core/netdev_max_backlog", "1000");
  host.file("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "256");
  Findings findings;
  check_kernel(host.files(), findings);
  check_memory(host.files(), findings);
  EXPECT_EQ(of(findings, "kernel").state, CheckState::kFail);
  EXPECT_EQ(of(findings, "btf").state, CheckState::kWarn);
  EXPECT_EQ(of(findings, "af_xdp").state, CheckState::kOk);
  EXPECT_EQ(of(findings, "bpf compiler").state, CheckState::kUnknown);
  EXPECT_EQ(of(findings, "backlog").state, CheckState::kWarn);
  EXPECT_EQ(of(findings, "hugepages").found, "256 of 2 MiB");
  EXPECT_EQ(of(findings, "hugepages").state, CheckState::kOk);
}

TEST(Doctor, RaisesTheBacklogAndReportsTheOldValue) {
  FakeHost host;
  host.file("proc/sys/net/core/netdev_max_backlog", "1000");
  Fixes fixes;
  fix_backlog(host.files(), fixes);
  ASSERT_EQ(fixes.size(), 1U);
  EXPECT_EQ(fixes[0].before, "1000");
  EXPECT_EQ(fixes[0].after, "10000");
  EXPECT_EQ(fixes[0].undo, "sysctl -w net.core.netdev_max_backlog=1000");
  EXPECT_EQ(host.files().number("proc/sys/net/core/netdev_max_backlog"), 10000U);
  fix_backlog(host.files(), fixes);  // again: nothing to do
  host.file("proc/sys/net/core/netdev_max_backlog", "250000");
  fix_backlog(host.files(), fixes);
  EXPECT_EQ(fixes.size(), 1U);
  EXPECT_EQ(host.files().number("proc/sys/net/core/netdev_max_backlog"), 250000U);
}

TEST(Doctor, TakesHugePagesOnlyWhereThereIsMuchMemory) {
  const std::string file = "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
  FakeHost host;
  host.file(file, "4");
  host.file("proc/meminfo", "MemTotal:  2000000 kB\nMemAvailable:  900000 kB");
  Fixes fixes;
  fix_hugepages(host.files(), fixes);
  ASSERT_EQ(fixes.size(), 1U);
  EXPECT_THAT(fixes[0].failure, HasSubstr("120 MiB more are too much of the 878 MiB that are available"));
  EXPECT_EQ(host.files().number(file), 4U);
  host.file("proc/meminfo", "MemAvailable:  9000000 kB");
  fix_hugepages(host.files(), fixes);
  ASSERT_EQ(fixes.size(), 2U);
  EXPECT_EQ(fixes[1].before, "4");
  EXPECT_EQ(fixes[1].after, "64");
  EXPECT_EQ(host.files().number(file), 64U);
}

TEST(Doctor, FixesNothingWhereThereIsNothing) {
  const FakeHost host;
  Fixes fixes;
  fix_backlog(host.files(), fixes);
  fix_hugepages(host.files(), fixes);
  EXPECT_EQ(fixes.size(), 0U);
}

// In a namespace without the machine's own numbers.
TEST(Doctor, TurnsOffloadsOfPortsOff) {
  if (!can_make_namespaces()) {
    GTEST_SKIP() << "needs root";
  }
  const NetLab lab("doctor", {"red", "blue"});
  lab.gateway().run_ok("ethtool -K hg-red tx on rx on");
  const std::string file = std::filesystem::path(testing::TempDir()) / "hgt-doctor-fix.yaml";
  std::ofstream(file) << "name: doctor\nports: {r: {interface: hg-red}, b: {interface: hg-blue}}\n"
                         "robots: {red: {port: r}, blue: {port: b}}\nnetsim: {type: wire}\n";
  const std::string fix = "mount -t tmpfs none /sys/kernel/mm/hugepages && " HILGATE_BIN_DIR "/hilgate doctor --fix ";
  const std::string said = lab.gateway().run(fix + file).output;
  EXPECT_THAT(said, HasSubstr("fixed   port r: offloads: off, was on: "));
  EXPECT_THAT(said, HasSubstr("as before: ethtool -K hg-red "));
  EXPECT_THAT(lab.gateway().run_ok("ethtool -k hg-red"), HasSubstr("tx-checksumming: off"));
  EXPECT_THAT(lab.gateway().run(fix + file).output, HasSubstr("nothing to fix"));
  std::filesystem::remove(file);
}

TEST(Doctor, APortWithoutACarrierIsNamed) {
  if (!can_make_namespaces()) {
    GTEST_SKIP() << "needs root";
  }
  const NetLab lab("doctor-carrier", {"red", "blue"});
  lab.robot(0).run_ok("ip link set eth0 down");
  const std::string file = std::filesystem::path(testing::TempDir()) / "hgt-doctor-carrier.yaml";
  std::ofstream(file) << "name: doctor\nports: {r: {interface: hg-red}, b: {interface: hg-blue}}\n"
                         "robots: {red: {port: r}, blue: {port: b}}\nnetsim: {type: wire}\n";
  const std::string said = lab.gateway().run(HILGATE_BIN_DIR "/hilgate doctor " + file).output;
  EXPECT_THAT(said, HasSubstr("hg-red is up without a carrier"));
  EXPECT_THAT(said, HasSubstr("plug in the cable"));
  EXPECT_THAT(said, HasSubstr("hg-blue is up"));
  std::filesystem::remove(file);
}

TEST(Doctor, ReportsThisMachine) {
  const Finished finished = run({"sh", "-c", R"("$@" 2>/dev/null; echo " $?")", "sh", HILGATE_BIN_DIR "/hilgate",
                                 "doctor", HILGATE_SOURCE_DIR "/examples/first/two-robots.yaml", "--json"});
  const auto end = finished.output.rfind(' ');
  const json all = json::parse(finished.output.substr(0, end), nullptr, false);
  ASSERT_TRUE(all.is_object()) << finished.output;
  std::size_t failed = 0;
  for (const json& check : all["checks"]) {
    EXPECT_FALSE(check["name"].get<std::string>().empty());
    EXPECT_FALSE(check["found"].get<std::string>().empty()) << check;
    EXPECT_EQ(check["state"] == "ok", check["advice"] == "") << check;
    failed += check["state"] == "fail";
  }
  EXPECT_GE(all["checks"].size(), 16U);
  EXPECT_EQ(all["fail"], failed);
  EXPECT_EQ(finished.output.substr(end), failed == 0 ? " 0\n" : " 1\n");
}

TEST(Doctor, AFileWithFaultsIsTheCommandsFault) {
  EXPECT_EQ(run({HILGATE_BIN_DIR "/hilgate", "doctor", "/nowhere/x.yaml"}).status, 2);
}

}  // namespace
}  // namespace hilgate::test
