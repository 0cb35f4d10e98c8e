// SPDX-License-Identifier: Apache-2.0
// Five robots that find one another by multicast and share a topic over a radio: Cyclone DDS and Fast DDS as Debian
// ships them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr int kSwarm = 5;

/// Robots r0 to r4 of a lab, on a circle of 20 m, with a gateway between them.
class DdsSwarm : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    std::string ports;
    std::string robots;
    std::string tracks;
    for (int i = 0; i < kSwarm; ++i) {
      const double angle = 2 * std::numbers::pi * i / kSwarm;
      ports += fmt::format("  p{0}: {{interface: hgs{1}-{0}}}\n", i, ::getpid() % 10'000);
      robots += fmt::format(
          "  r{0}: {{port: p{0}, mac: \"02:68:67:03:00:0{0}\", ip: 10.81.0.{1}, radio: wifi_11n_2g4_adhoc}}\n", i,
          i + 1);
      tracks += fmt::format("    r{}: [{{at: 0s, position: [{:.3f}m, {:.3f}m, 2m]}}]\n", i, 20 * std::cos(angle),
                            20 * std::sin(angle));
    }
    file_ = folder_.write("ports:\n" + ports + "robots:\n" + robots + "physics:\n  type: trajectory\n  tracks:\n" +
                          tracks + "netsim: {type: embedded}\nlab: {mtu: 1500 B}\ndds: {}\n");
    run_ok({hilgate_program(), "lab", "up", file_});
    gateway_ = std::make_unique<Process>(std::vector<std::string>{hilgate_program(), "run", file_});
    ASSERT_TRUE(gateway_->wait_for_output("running", 30s)) << gateway_->output();
  }
  void TearDown() override {
    gateway_.reset();
    if (!file_.empty()) {
      test::run({hilgate_program(), "lab", "down", file_});
    }
  }

  [[nodiscard]] std::vector<std::string> at(int robot, const std::string& command) const {
    return {hilgate_program(), "lab", "exec", file_, fmt::format("r{}", robot), "--", "sh", "-c", "exec " + command};
  }
  /// On all robots but the first.
  [[nodiscard]] std::vector<std::unique_ptr<Process>> start_on_others(const std::string& command) const {
    std::vector<std::unique_ptr<Process>> started;
    for (int i = 1; i < kSwarm; ++i) {
      started.push_back(std::make_unique<Process>(at(i, command)));
    }
    return started;
  }
  [[nodiscard]] nlohmann::ordered_json status() const {
    return control_request(control_socket(folder_.run()), {{"command", "status"}});
  }

 private:
  RunFolder folder_;
  std::string file_;
  std::unique_ptr<Process> gateway_;
};

TEST_F(DdsSwarm, OfCycloneLosesNoSample) {
  const std::string on_eth0 =
      "env CYCLONEDDS_URI='<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"eth0\"/></Interfaces>"
      "</General></Domain></CycloneDDS>' ddsperf ";
  const auto subscribers = start_on_others(on_eth0 + "sub");
  const Finished publisher = test::run(at(0, on_eth0 + "-Q minmatch:4 -Q maxwait:30 -D 5 pub 50Hz size 200"));
  EXPECT_EQ(publisher.status, 0) << publisher.output;
  EXPECT_EQ(status().at("dds").at("participants").size(), kSwarm - 1U) << status().at("dds");
  for (const auto& subscriber : subscribers) {
    EXPECT_TRUE(subscriber->wait_for_output("gone", 20s)) << subscriber->output() << publisher.output;
    const std::string heard = subscriber->output();
    const std::size_t last = heard.rfind(" total ");
    ASSERT_NE(last, std::string::npos) << heard;
    EXPECT_GT(std::stoul(heard.substr(last + 7)), 100U) << heard;
    EXPECT_THAT(heard.substr(last, heard.find(" delta", last) - last), HasSubstr(" lost 0")) << heard;
  }
}

#ifdef HILGATE_FASTDDS_PEER
TEST_F(DdsSwarm, OfFastDdsLosesNoSample) {
  const auto listeners = start_on_others(HILGATE_FASTDDS_PEER " hear");
  for (const auto& listener : listeners) {
    ASSERT_TRUE(listener->wait_for_output("listening", 20s)) << listener->output();
  }
  const Finished speaker = test::run(at(0, HILGATE_FASTDDS_PEER " say 200 4"));
  EXPECT_EQ(speaker.output, "said 200\n");
  for (const auto& listener : listeners) {
    EXPECT_EQ(listener->wait(40s), 0) << listener->output();
    EXPECT_THAT(listener->output(), HasSubstr("heard 200, 200 of them in order"));
  }
}
#endif

}  // namespace
}  // namespace hilgate::test
