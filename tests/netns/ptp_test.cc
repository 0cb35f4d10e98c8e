// SPDX-License-Identifier: Apache-2.0
// A robot's stock ptp4l follows another robot's through the real gateway. Both read the same clock of this machine,
// so whatever offset the slave sees is the gateway's doing. Neither may steer that clock.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "clock/ptp/management_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

struct Seen {
  std::vector<Nanoseconds> offsets;  // sorted
  Nanoseconds path_delay{0};         // the last
  [[nodiscard]] Nanoseconds middle() const { return offsets.empty() ? Nanoseconds{0} : offsets[offsets.size() / 2]; }
};

class PtpBetweenRobots {
 public:
  explicit PtpBetweenRobots(const RunningGateway& gateway, const std::string& transport = "UDPv4")
      : folder_(std::filesystem::temp_directory_path() / gateway.run()) {
    std::filesystem::create_directories(folder_);
    master_ = start(gateway.robot(0), "master", transport, "announceReceiptTimeout 2");
    slave_ = start(gateway.robot(1), "slave", transport, "slaveOnly 1\nannounceReceiptTimeout 4");
  }
  ~PtpBetweenRobots() {
    slave_.reset();
    master_.reset();
    std::filesystem::remove_all(folder_);
  }
  PtpBetweenRobots(const PtpBetweenRobots&) = delete;
  PtpBetweenRobots& operator=(const PtpBetweenRobots&) = delete;

  [[nodiscard]] std::string output() const { return master_->output() + slave_->output(); }
  /// What the slave makes of its next `syncs` Syncs; fewer when `limit` passes first.
  Seen watch(std::size_t syncs, std::chrono::milliseconds limit) {
    ManagementClient client({.server = folder_ / "slave.uds", .directory = folder_ / "own", .domain = 0});
    Seen seen;
    std::int64_t last = 0;
    for (const auto end = std::chrono::steady_clock::now() + limit;
         seen.offsets.size() < syncs && std::chrono::steady_clock::now() < end;) {
      const ManagementAnswers answers = client.ask(50ms);
      if (answers.time_status && answers.current && answers.time_status->ingress_ns != last &&
          answers.current->mean_path_delay != Nanoseconds{0}) {
        last = answers.time_status->ingress_ns;
        seen.offsets.push_back(answers.time_status->master_offset);
        seen.path_delay = answers.current->mean_path_delay;
      }
      std::this_thread::sleep_for(10ms);
    }
    std::ranges::sort(seen.offsets);
    return seen;
  }

 private:
  std::unique_ptr<Process> start(const NetNs& robot, const std::string& role, const std::string& transport,
                                 const std::string& options) {
    const std::filesystem::path file = folder_ / (role + ".conf");
    std::ofstream(file) << fmt::format(
        "[global]\nnetwork_transport {}\ntime_stamping software\nfree_running 1\nlogSyncInterval -3\n"
        "logMinDelayReqInterval -3\nlogAnnounceInterval -2\nuds_address {}\nuse_syslog 0\nverbose 1\n{}\n[eth0]\n",
        transport, (folder_ / (role + ".uds")).string(), options);
    return robot.start({"setpriv", "--bounding-set=-sys_time", "--inh-caps=-sys_time", "ptp4l", "-f", file.string()});
  }

  std::filesystem::path folder_;
  std::unique_ptr<Process> master_, slave_;
};

constexpr std::string_view kFarAndUneven = R"(
netsim: {type: wire}
links:
  - {from: "*", to: "*", delay: {base: 20ms, distribution: uniform, min: 0ms, max: 10ms}}
)";

using PtpThroughTheBox = GatewayTest;

TEST_F(PtpThroughTheBox, BypassingTheAirTheSlaveMeasuresNeitherDelayNorJitter) {
  const RunningGateway gateway({.yaml = std::string{kFarAndUneven}, .port = ", ptp: transparent"});
  for (const std::string transport : {"UDPv4", "L2"}) {
    const std::uint64_t passed = gateway.status().totals("ptp_passed");
    PtpBetweenRobots ptp(gateway, transport);
    const Seen seen = ptp.watch(9, 40s);
    ASSERT_EQ(seen.offsets.size(), 9U) << transport << gateway.output() << ptp.output();
    EXPECT_LT(std::abs(seen.middle().count()), 2'000'000) << transport;
    EXPECT_LT(seen.path_delay, 5ms) << transport;
    const GatewayStatus status = gateway.status();
    EXPECT_GT(status.totals("ptp_passed"), passed + 15) << transport;
    EXPECT_TRUE(status.balanced);
  }
}

TEST_F(PtpThroughTheBox, ThroughTheAirItsPathIsTheAirs) {
  const RunningGateway gateway({.yaml = std::string{kFarAndUneven}, .port = ", ptp: air"});
  EXPECT_THAT(gateway.output(), testing::HasSubstr("PTP passes through the simulated medium"));
  PtpBetweenRobots ptp(gateway);
  const Seen seen = ptp.watch(5, 40s);
  ASSERT_EQ(seen.offsets.size(), 5U) << gateway.output() << ptp.output();
  EXPECT_GT(seen.path_delay, 15ms);
  EXPECT_EQ(gateway.status().totals("ptp_passed"), 0U);
}

TEST_F(PtpThroughTheBox, KeptAtThePortTheSlaveReceivesNoMaster) {
  const RunningGateway gateway({.yaml = std::string{kFarAndUneven}});
  PtpBetweenRobots ptp(gateway);
  // Four Syncs, with what belongs to them, would do in place of so many of the master's frames.
  constexpr std::uint64_t kEnough = 80;
  const auto sent = [&gateway] {
    const auto links = nlohmann::json::parse(gateway.robot(0).run_ok("ip -s -j link show eth0"));
    return links.at(0).at("stats64").at("tx").at("packets").get<std::uint64_t>();
  };
  const std::uint64_t before = sent();
  gateway.status_when([&](const GatewayStatus&) { return sent() > before + kEnough; }, 60s);
  EXPECT_GT(sent(), before + kEnough) << ptp.output();
  EXPECT_TRUE(ptp.watch(1, 200ms).offsets.empty());
  EXPECT_EQ(gateway.status().totals("ptp_passed"), 0U);
}

}  // namespace
}  // namespace hilgate::test
