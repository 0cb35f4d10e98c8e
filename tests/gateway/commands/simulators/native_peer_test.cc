// SPDX-License-Identifier: Apache-2.0
// The example peers, as people start from them: whole programs against a real gateway end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/run/simulation/gateway_ends.h"
#include "gateway/run/windows/window_engine.h"
#include "gateway/run/windows/window_timer.h"
#include "physics_link/scripted_physics.h"
#include "tests/gateway/run/windows/window_fakes.h"
#include "tests/loop.h"
#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class CountingSink final : public WindowSink {
 public:
  void window_began(const WindowStart&) override {}
  void links(LinkTable&) override {}
  void verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten) override {
    for (const Verdict& verdict : verdicts) {
      lost += verdict.drop == AirDrop::kNone ? 0U : 1U;
      wrong += verdict.release_at == SimTime{7ms} ? 0U : 1U;
    }
    passed += verdicts.size();
    gone += forgotten.size();
  }
  void expired(std::span<const std::uint64_t>) override {}
  void ended(const std::string& why) override {
    over = true;
    reason = why;
  }
  std::size_t passed = 0, lost = 0, wrong = 0, gone = 0;
  bool over = false;
  std::string reason;
};

class NativePeer : public testing::TestWithParam<std::vector<std::string>> {};

INSTANTIATE_TEST_SUITE_P(Languages, NativePeer,
                         testing::Values(std::vector<std::string>{HILGATE_BIN_DIR "/native-peer"},
                                         std::vector<std::string>{"/usr/bin/python3",
                                                                  HILGATE_BIN_DIR "/../examples/native-peer/peer.py"}),
                         [](const auto& peer) { return peer.index == 0 ? "Cpp" : "Python"; });

TEST_P(NativePeer, JudgesPacketsAndCloses) {
  const TempDir dir;
  asio::io_context io;
  HostWindowTimer timer(io);
  ScriptedPhysics physics({.robots = 3});
  GatewayEnd end{.robots = {"red", "green", "blue"}, .step = 1ms};
  end.link.link.endpoint = Endpoint::parse("unix:" + dir.file("net"));
  const auto network = make_remote_network(io, end, nullptr);
  FakePackets packets;
  for (std::uint64_t id = 0; id < 1000; ++id) {
    packets.capture(id, SimTime{2ms});
    if (id % 2 == 0) {
      packets.waiting.back().receiver = std::nullopt;
    }
  }
  CountingSink sink;
  WindowEngine engine({.window = 1ms, .pace = Pace::kLockstep, .windows = 100}, timer, physics, *network, packets,
                      sink);
  engine.start();
  std::vector<std::string> command = GetParam();
  command.push_back(dir.file("net"));
  Process peer(command);
  ASSERT_TRUE(run_until(io, [&] { return sink.over; })) << peer.output();
  EXPECT_EQ(sink.reason, "") << peer.output();
  EXPECT_EQ(sink.passed, 1500U) << "a broadcast has two receivers";
  EXPECT_EQ(sink.gone, 1000U);
  EXPECT_EQ(sink.wrong, 0U);
  EXPECT_NEAR(static_cast<double>(sink.lost), 150, 4 * 12);
  EXPECT_EQ(peer.wait(10s), 0) << peer.output();
  EXPECT_THAT(peer.output(), HasSubstr("closed: the run has ended"));
}

}  // namespace
}  // namespace hilgate::test
