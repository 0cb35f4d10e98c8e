// SPDX-License-Identifier: Apache-2.0
// Containers and virtual machines that a lab starts, and the process beside each. Run as root.
#include "gateway/lab/lab_machine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "gateway/lab/lab.h"
#include "gateway/lab/lab_keeper.h"
#include "gateway/lab/lab_record.h"
#include "host/netns.h"
#include "tests/support/eventually.h"
#include "tests/support/netns.h"

namespace hilgate::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text_in(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string fault_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class LabKeeper : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override {
    stop_kept(keeper_);
    fs::remove_all(folder_);
  }
  void start(const std::string& script) {
    start_kept(
        {.command = {"sh", "-c", script}, .netns = "", .tap = "", .output = folder_ / "output", .end = folder_ / "end"},
        [this](const KeptProcess& keeper) { keeper_ = keeper; });
  }
  [[nodiscard]] std::string output() const { return text_in(folder_ / "output"); }
  [[nodiscard]] std::string end() const { return text_in(folder_ / "end"); }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("keeper{}", ::getpid());
  KeptProcess keeper_;
};

TEST_F(LabKeeper, WritesWhatAProgramSaysAndHowItEnds) {
  start("echo one; echo 'two \x1b[31mwords' >&2; exit 7");
  EXPECT_TRUE(eventually([this] { return !is_there(keeper_); }));
  EXPECT_EQ(output(), "one\ntwo \x1b[31mwords\n");
  EXPECT_THAT(end(), AllOf(HasSubstr("ended with status 7: two "), Not(HasSubstr("\x1b"))));
}

TEST_F(LabKeeper, KeepsTheLastOfALongOutput) {
  start("i=0; while [ $i -lt 20000 ]; do echo \"line $i of a program that says a lot\"; i=$((i+1)); done");
  EXPECT_TRUE(eventually([this] { return !is_there(keeper_); }));
  EXPECT_LE(output().size(), kMostOutput);
  EXPECT_THAT(output(), HasSubstr("line 19999 of"));
}

TEST_F(LabKeeper, ReportsAProgramThatIsNotThere) {
  start_kept({.command = {"hilgate-no-such-program"},
              .netns = "",
              .tap = "",
              .output = folder_ / "output",
              .end = folder_ / "end"},
             [this](const KeptProcess& keeper) { keeper_ = keeper; });
  EXPECT_TRUE(eventually([this] { return !is_there(keeper_); }));
  EXPECT_THAT(end(), HasSubstr("cannot run 'hilgate-no-such-program': No such file"));
}

TEST_F(LabKeeper, EndsAProgramThatIgnoresItsSignal) {
  start("trap '' TERM; echo $$; while true; do sleep 0.1; done");
  EXPECT_TRUE(eventually([this] { return !output().empty(); }));
  const pid_t program = std::stoi(output());
  stop_kept(keeper_);
  EXPECT_FALSE(is_there(keeper_));
  EXPECT_NE(::kill(program, 0), 0);
  EXPECT_THAT(end(), HasSubstr("was ended by signal 9"));
}

TEST_F(LabKeeper, TheProgramGoesWithTheProcessBesideIt) {
  start("echo $$; exec sleep 60");
  EXPECT_TRUE(eventually([this] { return !output().empty(); }));
  const pid_t program = std::stoi(output());
  ASSERT_TRUE(is_there(keeper_));
  ::kill(keeper_.process, SIGKILL);
  EXPECT_TRUE(eventually([program] { return ::kill(program, 0) != 0; }));
}

TEST_F(LabKeeper, WithoutARecordNothingStarts) {
  const pid_t dying = ::fork();
  if (dying == 0) {
    start_kept({.command = {"sh", "-c", "echo started"},
                .netns = "",
                .tap = "",
                .output = folder_ / "output",
                .end = folder_ / "end"},
               [this](const KeptProcess& keeper) {
                 std::ofstream(folder_ / "keeper") << keeper.process << ' ' << keeper.since << std::flush;
                 ::kill(::getpid(), SIGKILL);
               });
  }
  ::waitpid(dying, nullptr, 0);
  std::ifstream(folder_ / "keeper") >> keeper_.process >> keeper_.since;
  EXPECT_GT(keeper_.process, 0);
  EXPECT_TRUE(eventually([this] { return !is_there(keeper_); }));
  EXPECT_FALSE(fs::exists(folder_ / "output"));
}

class LabMachines : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    fs::create_directories(folder_ / "bundle/rootfs/bin");
    gateway_.emplace("machine");
    inside_.emplace(gateway_->name());
    plan_.name = fmt::format("tm{}", ::getpid());
    plan_.robots = {robot("red", 1), robot("blue", 2)};
  }
  void TearDown() override {
    if (inside_) {
      lab_down(plan_);
    }
    fs::remove_all(folder_);
  }
  [[nodiscard]] LabRobot robot(const std::string& name, int number) const {
    return {.robot = name,
            .netns = fmt::format("hgt-machine-{}-{}", ::getpid(), name),
            .port_interface = "hg-" + name,
            .mac = fmt::format("02:68:67:00:00:0{}", number),
            .addresses = {fmt::format("10.77.0.{}/24", number)}};
  }
  // Busybox in a root file system of its own, as `runc spec` describes it.
  void make_bundle(const std::string& script) const {
    const fs::path bundle = folder_ / "bundle";
    fs::copy_file("/bin/busybox", bundle / "rootfs/bin/busybox", fs::copy_options::overwrite_existing);
    fs::remove(bundle / "config.json");
    run_ok({"runc", "spec", "--bundle", bundle.string()});
    auto json = nlohmann::json::parse(text_in(bundle / "config.json"));
    json["process"]["args"] = {"/bin/busybox", "sh", "-c", script};
    std::ofstream(bundle / "config.json") << json.dump();
  }
  void make_red_a_container(const std::string& script) {
    make_bundle(script);
    plan_.robots[0].machine = ContainerConfig{.bundle = folder_ / "bundle", .image = "", .command = {}};
  }
  [[nodiscard]] std::string output_of_red() const { return text_in(machine_folder(plan_.name) / "red.output"); }
  // Namespaces are made side by side: the record has them in any order.
  [[nodiscard]] KeptProcess keeper_of_red() const {
    const LabRecord record = LabRecord::load(plan_.name).value();
    return std::ranges::find(record.namespaces(), plan_.robots[0].netns, &LabRecord::Namespace::name)->keeper;
  }
  [[nodiscard]] std::string problem_of_red() const { return lab_state(plan_).value().at(0).problem; }
  void expect_no_container() const {
    EXPECT_NE(run({"runc", "state", plan_.robots[0].netns}).status, 0);
    EXPECT_FALSE(fs::exists(machine_folder(plan_.name)));
    EXPECT_FALSE(netns_exists(plan_.robots[0].netns));
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("machines{}", ::getpid());
  std::optional<NetNs> gateway_;
  std::optional<InNetNs> inside_;
  LabPlan plan_;
};

class LabContainer : public LabMachines {
 protected:
  void SetUp() override {
    if (run({"sh", "-c", "command -v runc && test -x /bin/busybox"}).status != 0) {
      GTEST_SKIP() << "needs runc and busybox (Debian packages runc, busybox-static)";
    }
    LabMachines::SetUp();
  }
};

TEST_F(LabContainer, HasTheRobotsInterface) {
  make_red_a_container("busybox ip -o address show dev eth0; busybox hostname; echo ready; busybox sleep 60");
  lab_up(plan_);
  EXPECT_TRUE(eventually([this] { return output_of_red().find("ready") != std::string::npos; })) << output_of_red();
  EXPECT_THAT(output_of_red(), HasSubstr("inet 10.77.0.1/24"));
  EXPECT_NE(if_nametoindex("hg-red"), 0U);
  EXPECT_EQ(problem_of_red(), "");
  EXPECT_TRUE(lab_up(plan_).completed.empty()) << "it stays";
  EXPECT_TRUE(lab_down(plan_));
  expect_no_container();
}

TEST_F(LabContainer, ItsCommandMayBeTheLabs) {
  make_red_a_container("exit 1");
  std::get<ContainerConfig>(*plan_.robots[0].machine).command = {"/bin/busybox", "sleep", "61"};
  lab_up(plan_);
  EXPECT_EQ(problem_of_red(), "");
}

TEST_F(LabContainer, OneThatEndsAtOnceIsAnError) {
  make_red_a_container("echo nothing to do; exit 3");
  EXPECT_THAT(fault_of([this] { lab_up(plan_); }),
              HasSubstr("robot 'red': its container ended with status 3: nothing to do"));
  expect_no_container();
  EXPECT_FALSE(fs::exists(LabRecord::path_of(plan_.name)));
}

TEST_F(LabContainer, OneThatHasEndedIsStartedAgain) {
  const fs::path end = folder_ / "bundle/rootfs/end";
  make_red_a_container("echo life; until busybox test -e /end; do busybox sleep 0.1; done; exit 4");
  lab_up(plan_);
  EXPECT_EQ(problem_of_red(), "");
  std::ofstream{end};
  EXPECT_TRUE(eventually([this] { return !problem_of_red().empty(); }));
  EXPECT_THAT(problem_of_red(), HasSubstr("its container ended with status 4: life"));
  fs::remove(end);
  EXPECT_EQ(lab_up(plan_).completed, std::vector<std::string>{"red"});
  EXPECT_EQ(problem_of_red(), "");
}

TEST_F(LabContainer, OneWhoseKeeperWasKilledIsRemoved) {
  make_red_a_container("busybox sleep 62");
  lab_up(plan_);
  const KeptProcess keeper = keeper_of_red();
  ASSERT_TRUE(is_there(keeper));
  ::kill(keeper.process, SIGKILL);
  EXPECT_TRUE(eventually([this] { return !problem_of_red().empty(); }));
  EXPECT_THAT(problem_of_red(), HasSubstr("its container ended with the process beside it"));
  EXPECT_TRUE(lab_down(plan_));
  expect_no_container();
}

TEST_F(LabContainer, ABadBundleIsNamedBeforeAnythingIsMade) {
  make_red_a_container("true");
  const fs::path config = folder_ / "bundle/config.json";
  std::ofstream(config) << "{\"root\": 7}";
  EXPECT_THAT(fault_of([this] { lab_up(plan_); }),
              AllOf(HasSubstr("robot 'red': "), HasSubstr("config.json is no conf")));
  std::ofstream(config) << R"({"root": {"path": "nowhere"}, "process": {}, "linux": {}})";
  EXPECT_THAT(fault_of([this] { lab_up(plan_); }), HasSubstr("bundle/nowhere is no folder"));
  fs::remove(config);
  EXPECT_THAT(fault_of([this] { lab_up(plan_); }), HasSubstr("config.json: No such file or directory"));
  EXPECT_FALSE(fs::exists(LabRecord::path_of(plan_.name)));
  EXPECT_FALSE(netns_exists(plan_.robots[1].netns));
}

// Programs that are not installed: a PATH with `ip` and `podman` alone, whose images are those of the test.
TEST_F(LabMachines, WhatIsNotInstalledIsNamedWithItsPackage) {
  std::ofstream(folder_ / "podman") << "#!/bin/sh\ntest \"$1 $2 $3\" = 'image exists there'\n";
  fs::permissions(folder_ / "podman", fs::perms{0755});
  const std::string before = std::getenv("PATH");
  const fs::path with_podman = folder_;
  const fs::path without = folder_ / "bundle";
  const auto fault_with = [this](const fs::path& path, const auto& machine) {
    ::setenv("PATH", path.c_str(), 1);
    plan_.robots[0].machine = machine;
    return fault_of([this] { check_machine(plan_.robots[0]); });
  };
  EXPECT_THAT(fault_with(without, VmConfig{.image = "/dev/null", .kernel = "", .initrd = "", .append = ""}),
              HasSubstr("robot 'red': qemu-system-x86_64 is not installed, which runs virtual machines; install the "
                        "package qemu-system-x86"));
  EXPECT_THAT(fault_with(without, ContainerConfig{.bundle = folder_, .image = ""}),
              HasSubstr("install the package runc"));
  EXPECT_THAT(fault_with(without, ContainerConfig{.bundle = "", .image = "nav"}),
              HasSubstr("install the package podman"));
  EXPECT_THAT(fault_with(with_podman, ContainerConfig{.bundle = "", .image = "nav"}),
              HasSubstr("podman has no image 'nav'; get it with `podman pull nav` or `podman load`"));
  EXPECT_EQ(fault_with(with_podman, ContainerConfig{.bundle = "", .image = "there"}), "");
  ::setenv("PATH", before.c_str(), 1);
  plan_.robots[0].machine.reset();
}

TEST_F(LabMachines, AnImageThatCannotBeReadIsNamed) {
  if (run({"sh", "-c", "command -v qemu-system-x86_64"}).status != 0) {
    GTEST_SKIP() << "needs QEMU (Debian package qemu-system-x86)";
  }
  VmConfig vm;
  vm.image = folder_ / "absent.qcow2";
  plan_.robots[0].tap = true;
  plan_.robots[0].machine = vm;
  EXPECT_THAT(fault_of([this] { lab_up(plan_); }),
              AllOf(HasSubstr("robot 'red': image "), HasSubstr("absent.qcow2: No such file")));
  vm.image = folder_;
  plan_.robots[0].machine = vm;
  EXPECT_THAT(fault_of([this] { lab_up(plan_); }), HasSubstr("is a folder, not a file"));
  vm.image = folder_ / "broken.qcow2";
  std::ofstream(vm.image) << "QFI\xfb and nothing else";
  plan_.robots[0].machine = vm;
  EXPECT_THAT(fault_of([this] { lab_up(plan_); }), HasSubstr("robot 'red': its virtual machine ended with status 1: "));
  EXPECT_EQ(if_nametoindex("hg-red"), 0U);
  EXPECT_FALSE(fs::exists(LabRecord::path_of(plan_.name)));
}

// A machine whose disk boots nothing.
TEST_F(LabMachines, AVirtualMachineHasATapDeviceAndEndsWithTheLab) {
  if (run({"sh", "-c", "command -v qemu-system-x86_64"}).status != 0) {
    GTEST_SKIP() << "needs QEMU (Debian package qemu-system-x86)";
  }
  VmConfig vm;
  vm.image = folder_ / "disk.raw";
  vm.memory = std::uint64_t{64} << 20;
  vm.processor = VmConfig::Processor::kEmulated;
  std::ofstream(vm.image) << std::string(1 << 20, '\0');
  plan_.mtu = 1400;
  plan_.robots[0].tap = true;
  plan_.robots[0].machine = vm;
  lab_up(plan_);
  EXPECT_EQ(problem_of_red(), "");
  EXPECT_THAT(run_ok({"ip", "-d", "link", "show", "dev", "hg-red"}),
              AllOf(HasSubstr("mtu 1400"), HasSubstr("LOWER_UP"), HasSubstr("tun type tap")));
  EXPECT_EQ(run_ok({"ip", "-n", plan_.robots[0].netns, "-o", "link"}).find("eth0"), std::string::npos);
  const KeptProcess keeper = keeper_of_red();
  ASSERT_TRUE(is_there(keeper));
  ::kill(keeper.process, SIGKILL);
  EXPECT_TRUE(eventually([this] { return !problem_of_red().empty(); }));
  EXPECT_THAT(problem_of_red(), HasSubstr("its virtual machine ended with the process beside it"));
  EXPECT_EQ(lab_up(plan_).completed, std::vector<std::string>{"red"});
  EXPECT_TRUE(lab_down(plan_));
  EXPECT_EQ(if_nametoindex("hg-red"), 0U);
  EXPECT_FALSE(fs::exists(machine_folder(plan_.name)));
}

}  // namespace
}  // namespace hilgate::test
