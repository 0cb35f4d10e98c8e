// SPDX-License-Identifier: Apache-2.0
// Gateways that are given too little to start with: they say what is missing, and leave nothing behind.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/fault/fault_record.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/sanitized.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class TooLittle : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (!IsSkipped()) {
      lab_ = std::make_unique<NetLab>("e2e", std::vector<std::string>{"red", "blue"});
      file_ = folder_.write(ports_and_robots({"red", "blue"}, "", ", fail: none") +
                            "memory: {frames: 65536}\nnetsim: {type: wire}\n");
    }
  }
  // What a run says that a shell command precedes, and that must end by itself, with an error and no signal.
  std::string refusal_behind(const std::string& command) {
    const auto run = lab_->gateway().start(
        {"unshare", "--mount", "bash", "-c", command + " && exec \"$@\"", "bash", hilgate_program(), "run", file_});
    const auto status = run->wait(30s);
    EXPECT_TRUE(status && *status > 0 && *status < 128) << status.value_or(-1) << run->output();
    EXPECT_THAT(lab_->gateway().run_ok("ip link"), testing::Not(testing::HasSubstr("prog/xdp")));
    return run->output();
  }
  void expect_next_run() {
    const auto run = lab_->gateway().start({hilgate_program(), "run", file_});
    EXPECT_TRUE(run->wait_for_output("running", 30s)) << run->output();
  }
  static std::string last_line(const std::string& output) {
    const std::size_t end = output.find_last_not_of('\n');
    return output.substr(output.rfind('\n', end) + 1, end - output.rfind('\n', end));
  }

  RunFolder folder_;
  std::unique_ptr<NetLab> lab_;
  std::string file_;
};

TEST_F(TooLittle, RoomForItsSocketOrDescriptors) {
  const std::string full = refusal_behind("mount -t tmpfs -o nr_inodes=1 none /run/hilgate");
  EXPECT_THAT(full, testing::HasSubstr("/run/hilgate"));
  // Enough to reach the programs of ports, also where the test's parent leaves one more open. UBSan's own checks need
  // descriptors: with fewer than 14 it reports every object as invalid.
  const std::string few = refusal_behind("ulimit -n 16");
  EXPECT_THAT(few, testing::HasSubstr("Too many open files"));
  expect_next_run();
  record({"The file system of /run/hilgate is full at the start", "The run reports it and leaves nothing behind",
          last_line(full)});
  record({"16 file descriptors at the start", "The run reports it and leaves nothing behind", last_line(few)});
}

TEST_F(TooLittle, Memory) {
  if (kAddressSanitizer) {
    GTEST_SKIP() << "AddressSanitizer needs terabytes of addresses";
  }
  const std::string said = refusal_behind("ulimit -v 150000");
  EXPECT_NE(said, "");
  expect_next_run();
  record({"150 MB of addresses for 128 MB of frames", "The run reports it and leaves nothing behind", last_line(said)});
}

}  // namespace
}  // namespace hilgate::test
