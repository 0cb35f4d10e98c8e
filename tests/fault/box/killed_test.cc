// SPDX-License-Identifier: Apache-2.0
// A gateway that is killed, and what passes its ports then. HILGATE_KILLS=100 kills so often.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/fault/box/box_fault.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::size_t kills() {
  const char* wanted = std::getenv("HILGATE_KILLS");
  return wanted == nullptr ? 5 : std::stoul(wanted);
}

class Killed : public GatewayTest {
 protected:
  void start(const std::string& port, const std::string& further) {
    gateway_ = std::make_unique<RunningGateway>(
        GatewaySetup{.yaml = "memory: {frames: 4096}\nnetsim: {type: wire}\n" + further, .port = port});
    for (std::size_t n = 0; n < 2; ++n) {
      gateway_->robot(n).run_ok("ethtool -K eth0 gro on");  // a veth end polls, as a NIC does
    }
    run_ = nullptr;
  }
  void TearDown() override {
    if (gateway_) {
      (run_ ? *run_ : gateway_->process()).stop(SIGKILL);
      const auto end = Clock::now() + 10s;
      while (host().start({hilgate_program(), "detach", gateway_->run()})->wait(10s) != 0 && Clock::now() < end) {
      }
    }
  }
  [[nodiscard]] const NetNs& host() const { return gateway_->lab().gateway(); }
  void kill() { (run_ ? *run_ : gateway_->process()).stop(SIGKILL); }
  void run_again() {
    run_ = host().start({"nice", "-n", "-15", hilgate_program(), "run", gateway_->file()});
    ASSERT_TRUE(run_->wait_for_output("running", 30s)) << run_->output();
  }

  std::unique_ptr<RunningGateway> gateway_;
  std::unique_ptr<Process> run_;
};

// A frame of red's to blue each millisecond; when they arrived.
class Arrivals {
 public:
  explicit Arrivals(const RunningGateway& gateway) : red_(gateway.robot(0), "eth0"), blue_(gateway.robot(1), "eth0") {
    receiver_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto frame = blue_.receive(20ms);
        if (frame && get16(*frame, 12) == kTrafficEthertype) {
          times_.push_back(Clock::now());
        }
      }
    });
    sender_ = std::jthread([this](const std::stop_token& stop) {
      const Bytes frame = ethernet({robot_mac(1), robot_mac(0)}, kTrafficEthertype, Bytes(60));
      for (auto due = Clock::now(); !stop.stop_requested(); due += 1ms) {
        red_.send(frame);
        std::this_thread::sleep_until(due + 1ms);
      }
    });
  }
  std::vector<Clock::time_point> finish() {
    sender_ = {};
    std::this_thread::sleep_for(30ms);
    receiver_ = {};
    return times_;
  }

 private:
  RawSocket red_, blue_;
  std::vector<Clock::time_point> times_;
  std::jthread receiver_, sender_;
};

Clock::duration longest_gap(const std::vector<Clock::time_point>& times) {
  Clock::duration longest{};
  for (std::size_t i = 1; i < times.size(); ++i) {
    longest = std::max(longest, times[i] - times[i - 1]);
  }
  return longest;
}

TEST_F(Killed, WireGap) {
  start(", fail: wire", "heartbeat: {stale: 10ms}\n");
  std::vector<Clock::duration> gaps;
  for (std::size_t round = 0; round < kills(); ++round) {
    if (round > 0) {
      run_again();
    }
    Arrivals arrivals(*gateway_);
    std::this_thread::sleep_for(100ms);
    kill();
    std::this_thread::sleep_for(200ms);
    const auto times = arrivals.finish();
    ASSERT_GT(times.size(), 100U);

    gaps.push_back(longest_gap(times));
  }
  std::sort(gaps.begin(), gaps.end());
  EXPECT_LT(gaps.back(), 5s) << "nothing hangs";
  record({"SIGKILL with `fail: wire` and `heartbeat: {stale: 10ms}`",
          "The kernel joins the robots; the gap stays below 20 ms on an idle machine",
          fmt::format("{} kills: gap p50 {}, p99 {}", gaps.size(), text_of(gaps[gaps.size() / 2]),
                      text_of(gaps[(gaps.size() - 1) * 99 / 100]))});
}

TEST_F(Killed, WirePassesOnlyTheRobotsFrames) {
  start(", fail: wire", "");
  kill();
  std::this_thread::sleep_for(200ms);  // until the heartbeat is stale
  constexpr std::uint16_t kForged = 0x88b6;
  const RawSocket red(gateway_->robot(0), "eth0");
  const RawSocket blue(gateway_->robot(1), "eth0", kForged);
  Arrivals arrivals(*gateway_);
  for (int n = 0; n < 200; ++n) {
    for (const unsigned of : {1U, 9U}) {  // blue's own address, and that of no robot
      red.send(ethernet({robot_mac(1), robot_mac(of)}, kForged, Bytes(60)));
      red.send(ethernet({kBroadcast, robot_mac(of)}, kForged, Bytes(60)));
    }
    std::this_thread::sleep_for(1ms);
  }
  const std::size_t passed = arrivals.finish().size();
  EXPECT_GT(passed, 50U) << "what red sends as itself";
  EXPECT_FALSE(blue.receive(100ms));
  record({"SIGKILL with `fail: wire`, and a robot that sends with the addresses of others",
          "The kernel passes the port's own robots alone",
          fmt::format("0 of 800 passed beside {} of its own", passed)});
}

TEST_F(Killed, BlockLetsNothingPass) {
  start("", "");
  std::size_t passed = 0;
  std::size_t rounds = 0;
  for (; rounds < std::min<std::size_t>(kills(), 3); ++rounds) {
    if (rounds > 0) {
      run_again();
    }
    kill();
    std::this_thread::sleep_for(20ms);  // what was on its way is there
    Arrivals arrivals(*gateway_);
    std::this_thread::sleep_for(200ms);
    passed += arrivals.finish().size();
  }
  EXPECT_EQ(passed, 0U);
  record({"SIGKILL with `fail: block`", "Nothing passes until the next run",
          fmt::format("{} kills: {} of {} frames passed", rounds, passed, rounds * 200)});
}

TEST_F(Killed, TheNextRunWorks) {
  start("", "");
  kill();
  const auto took = time_of([this] { run_again(); });
  Arrivals arrivals(*gateway_);
  std::this_thread::sleep_for(200ms);
  EXPECT_GT(arrivals.finish().size(), 100U);
  EXPECT_TRUE(gateway_->status().balanced);
  record({"The gateway is killed and started again", "The next run takes over what the last one left in the kernel",
          fmt::format("frames pass {} after the start", text_of(took))});
}

TEST_F(Killed, IsNotListedAmongTheRuns) {
  start("", "");
  const auto status = [] { return run({hilgate_program(), "status"}); };
  RunningGateway other({.yaml = "netsim: {type: wire}\n"});
  EXPECT_THAT(status().output, ::testing::HasSubstr("several gateways are running"));
  other.process().stop(SIGKILL);
  Finished answer;
  const auto took = time_of([&] { answer = status(); });
  EXPECT_EQ(answer.status, 0) << answer.output;
  EXPECT_THAT(answer.output, ::testing::HasSubstr(gateway_->run()));
  const std::string interfaces = run({hilgate_program(), "extcap", "--extcap-interfaces"}).output;
  EXPECT_THAT(interfaces, ::testing::HasSubstr("hilgate:" + gateway_->run()));
  EXPECT_THAT(interfaces, ::testing::Not(::testing::HasSubstr("hilgate:" + other.run())));
  record({"A gateway is killed beside another; commands without a run's name", "The one that runs answers",
          fmt::format("answered after {}", text_of(took))});
}

}  // namespace
}  // namespace hilgate::test
