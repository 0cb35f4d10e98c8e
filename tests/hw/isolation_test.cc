// SPDX-License-Identifier: Apache-2.0
// `hilgate doctor` on a port with two robots behind a switch, a Linux bridge in a namespace.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/support/net_lab.h"

namespace hilgate::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class DoctorOfSwitch : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    gateway_.emplace("switch-gw");
    bridge_.emplace("switch");
    red_.emplace("switch-red");
    blue_.emplace("switch-blue");
    if (bridge_->run("ip link add sw type bridge").status != 0) {
      GTEST_SKIP() << "this kernel has no bridges";
    }
    VethPair({&*gateway_, "hg-switch"}, {&*bridge_, "uplink"});
    plug(*red_, 0);
    plug(*blue_, 1);
    bridge_->run_ok("ip link set uplink master sw && ip link set sw up");
    configure("");
  }
  void TearDown() override { std::filesystem::remove(file_); }

  void configure(const std::string& port_keys) const {
    std::ofstream(file_) << "name: " << run_ << "\nports: {s: {interface: hg-switch, fail: block" << port_keys
                         << "}}\n"
                            "robots:\n"
                            "  red: {port: s, mac: '02:68:67:00:00:01', ip: 10.77.0.1}\n"
                            "  blue: {port: s, mac: '02:68:67:00:00:02', ip: 10.77.0.2}\n"
                            "netsim: {type: wire}\n";
  }

  void plug(const NetNs& robot, std::size_t n) const {
    const std::string name = "to-" + std::to_string(n);
    VethPair({&*bridge_, name}, {&robot, "eth0", NetLab::mac(n), {NetLab::ipv4(n) + "/24"}});
    bridge_->run_ok("ip link set " + name + " master sw");
  }
  void isolate() const {
    bridge_->run_ok("bridge link set dev to-0 isolated on && bridge link set dev to-1 isolated on");
  }
  /// What a command prints. Its mounts are the test's, so that a closed port stays closed behind it.
  [[nodiscard]] std::string hilgate(const std::string& command) const {
    const auto process = gateway_->start({"sh", "-c", HILGATE_BIN_DIR "/hilgate " + command + " 2>/dev/null"});
    EXPECT_TRUE(process->wait(std::chrono::minutes{1})) << command;
    return process->output();
  }
  [[nodiscard]] json isolation() const {
    const std::string said = hilgate("doctor --json " + file_);
    const json all = json::parse(said, nullptr, false);
    if (all.is_object()) {
      for (const json& check : all["checks"]) {
        if (check["name"] == "port s: isolation") {
          return check;
        }
      }
    }
    ADD_FAILURE() << said;
    return {{"state", ""}, {"found", ""}, {"advice", ""}};
  }

  std::optional<NetNs> gateway_, bridge_, red_, blue_;
  std::string run_ = "hgt-switch-" + std::to_string(getpid());
  std::string file_ = std::filesystem::path(testing::TempDir()) / (run_ + ".yaml");
};

TEST_F(DoctorOfSwitch, WarnsOfRobotsThatFindEachOtherPastTheGateway) {
  const json check = isolation();
  EXPECT_EQ(check["state"], "warn") << check;
  EXPECT_THAT(check["found"], testing::AnyOf(HasSubstr("red finds blue"), HasSubstr("blue finds red")));
  EXPECT_THAT(check["advice"], HasSubstr("docs/how-to/switches.md"));
}

TEST_F(DoctorOfSwitch, IsContentWithIsolatedPorts) {
  isolate();
  const json check = isolation();
  EXPECT_EQ(check["state"], "ok") << check;
  EXPECT_THAT(check["found"], HasSubstr("isolated: true"));
}

TEST_F(DoctorOfSwitch, AgreesWithAnIsolatedConfiguration) {
  configure(", isolated: true");
  EXPECT_EQ(isolation()["state"], "warn");
  red_->run_ok("ip neigh flush all");
  blue_->run_ok("ip neigh flush all");
  isolate();
  const json check = isolation();
  EXPECT_EQ(check["state"], "ok") << check;
  EXPECT_THAT(check["found"], testing::Not(HasSubstr("isolated: true")));
}

TEST_F(DoctorOfSwitch, WarnsOfOneIsolatedPortAmongOthers) {
  bridge_->run_ok("bridge link set dev to-0 isolated on");
  EXPECT_EQ(isolation()["state"], "warn");
}

TEST_F(DoctorOfSwitch, CannotTellOfARobotThatIsOff) {
  blue_->run_ok("ip link set eth0 down");
  const json check = isolation();
  EXPECT_EQ(check["state"], "unknown") << check;
  EXPECT_THAT(check["found"], HasSubstr("blue does not ask for red"));
}

TEST_F(DoctorOfSwitch, CannotTellOfRobotsThatKnowEachOther) {
  red_->run_ok("ping -c 1 -W 5 " + NetLab::ipv4(1));
  const json check = isolation();
  EXPECT_EQ(check["state"], "unknown") << check;
  EXPECT_THAT(check["advice"], HasSubstr("ip neigh flush all"));
}

TEST_F(DoctorOfSwitch, LeavesAPortOfAGatewayAlone) {
  EXPECT_THAT(hilgate("close " + file_), HasSubstr("hg-switch"));
  const json check = isolation();
  EXPECT_THAT(hilgate("detach " + run_), HasSubstr(run_));
  EXPECT_EQ(check["state"], "unknown") << check;
  EXPECT_THAT(check["advice"], HasSubstr("hilgate detach " + run_));
}

}  // namespace
}  // namespace hilgate::test
