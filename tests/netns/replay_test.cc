// SPDX-License-Identifier: Apache-2.0
// Recorded runs of the real gateway, with the frames of their captures once more.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gateway/record/pcapng/pcapng_reader.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/netns/simulator_rig.h"
#include "tests/support/raw_socket.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// What a capture has at a port's end of the air, in its order: link and bytes, without times. `reason`: of what was
/// dropped; empty: of what was released.
std::vector<std::string> deliveries_in(const std::string& file, const std::string& reason) {
  std::vector<std::string> found;
  PcapngReader reader(file);
  for (CapturedFrame frame; reader.next(frame);) {
    const std::size_t drop = frame.comment.find(" drop=");
    const std::string_view said = drop == std::string_view::npos ? "" : frame.comment.substr(drop + 6);
    if (frame.interface.ends_with(" out") && said.substr(0, said.find(' ')) == reason) {
      found.push_back(std::string(frame.comment.substr(0, frame.comment.find(' '))) + " " +
                      std::string(reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()));
    }
  }
  return found;
}

class FrameReplayTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    folder_ = std::filesystem::temp_directory_path() / fmt::format("hilgate-replay-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Has red send `frames` numbered frames to blue, some to everybody, through a gateway with `yaml`, which is recorded
  /// and captured. The folder of its record.
  [[nodiscard]] std::string record(const std::string& yaml, const std::string& robot_keys, std::size_t frames) const {
    {
      RunningGateway gateway({.yaml = yaml + fmt::format("record: {{folder: {}}}\ncapture: {{file: {}}}\n",
                                                         path("runs"), path("run.pcapng")),
                              .robot = robot_keys});
      windows_running(gateway);
      const RawSocket red(gateway.robot(0), "eth0");
      const RawSocket blue(gateway.robot(1), "eth0");
      for (std::size_t n = 0; n < frames; ++n) {
        const Bytes body(100 + n % 700, static_cast<std::uint8_t>(n));
        red.send(ethernet({n % 10 == 0 ? kBroadcast : robot_mac(1)}, kTrafficEthertype, body));
        if (n % 40 == 39) {
          gateway.settled(n + 1);
        }
      }
      gateway.settled(frames);
      const auto capture = status_of(gateway.run()).at("capture");
      EXPECT_EQ(capture.at("going_on"), 1);
      EXPECT_EQ(capture.at("missed"), 0);
      EXPECT_EQ(capture.at("file"), path("run.pcapng"));
      EXPECT_FALSE(capture.contains("problem"));
      gateway.process().signal(SIGTERM);
      EXPECT_EQ(gateway.process().wait(30s), 0) << gateway.output();
    }
    std::filesystem::path folder;
    for (const auto& entry : std::filesystem::directory_iterator(path("runs"))) {
      folder = entry.path();
    }
    return folder;
  }
  [[nodiscard]] Finished replay(const std::string& folder, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> command{hilgate_program(),   "replay", folder, "--frames", path("run.pcapng"), "-w",
                                     path("again.pcapng")};
    command.insert(command.end(), options.begin(), options.end());
    return run(command);
  }
  void expect_the_same() const {
    const auto before = deliveries_in(path("run.pcapng"), "");
    EXPECT_GT(before.size(), 20U);
    EXPECT_EQ(deliveries_in(path("again.pcapng"), ""), before);
  }

 private:
  std::filesystem::path folder_;
};

// Link tables of every window, a medium whose transmissions do not begin as frames arrive, and what links add to it.
TEST_F(FrameReplayTest, OfMovingRadiosInRealTimeReleasesTheSameBytesAsFarAsItsFilesGo) {
  const std::string folder = record(
      "seed: 7\nwindow: 5ms\nnetsim: {type: embedded}\n"
      "physics:\n  type: trajectory\n  tracks:\n    red: [{at: 0s, position: [0m, 0m, 2m]}]\n"
      "    blue: [{at: 0s, position: [100m, 0m, 2m]}, {at: 6s, position: [700m, 0m, 2m]}]\n"
      "links:\n  - {from: red, to: blue, delay: 3ms, loss: 20 %, ber: 1e-4, policy: corrupt_raw}\n",
      ", radio: wifi_11n_2g4_adhoc", 400);
  const Finished again = replay(folder);
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("all as recorded"));
  EXPECT_THAT(again.output, HasSubstr("400 frames in, "));
  EXPECT_THAT(again.output, Not(HasSubstr("rounded")));
  expect_the_same();
  EXPECT_FALSE(deliveries_in(path("again.pcapng"), "configured_loss").empty());
  EXPECT_EQ(deliveries_in(path("again.pcapng"), "configured_loss"),
            deliveries_in(path("run.pcapng"), "configured_loss"));

  // What is not the run's any more is said.
  std::string text;
  std::getline(std::ifstream(folder + "/configuration.yaml"), text, '\0');
  const std::string run_text = text;
  std::ofstream(folder + "/configuration.yaml") << text.replace(text.find("seed: 7"), 7, "seed: 8");
  const Finished refused = replay(folder);
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.output, HasSubstr("configuration.yaml is not as the run had it"));
  EXPECT_THAT(refused.output, HasSubstr("--force replays it all the same"));
  const Finished other = replay(folder, {"--force"});
  EXPECT_EQ(other.status, 1) << other.output;
  EXPECT_THAT(other.output, HasSubstr("not as recorded:"));
  EXPECT_THAT(other.output, HasSubstr("red>blue: release"));

  std::ofstream(folder + "/configuration.yaml") << run_text;
  for (const std::string& file : {folder + "/run.mcap", path("run.pcapng")}) {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 20);
  }
  const Finished truncated = replay(folder);
  EXPECT_THAT(truncated.output, HasSubstr("has no end: "));
  EXPECT_THAT(truncated.output, HasSubstr("ends within a block: "));
  EXPECT_THAT(truncated.output, HasSubstr("400 frames in, "));
  EXPECT_EQ(truncated.status, 0) << truncated.output;
  EXPECT_THAT(run({hilgate_program(), "replay", folder, "--frames", folder + "/configuration.yaml"}).output,
              HasSubstr("is no pcapng or pcap file"));
}

TEST_F(FrameReplayTest, OfALockstepRunReleasesTheSameBytes) {
  const SimulatorSockets sockets;
  const auto netsim =
      sockets.start("network", "native", 2, {"--window", "5ms", "--delay", "15ms", "--loss", "20%", "--ber", "1e-4"});
  const std::string folder = record(
      fmt::format("window: 5ms\npace: lockstep\nnetsim: {{type: native, address: '{}'}}\n", sockets.netsim()), "", 400);
  const Finished again = replay(folder);
  EXPECT_EQ(again.status, 0) << again.output;
  expect_the_same();
  EXPECT_LT(deliveries_in(path("again.pcapng"), "").size(), 390U);
}

}  // namespace
}  // namespace hilgate::test
