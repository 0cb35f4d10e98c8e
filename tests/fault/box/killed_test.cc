// SPDX-License-Identifier: Apache-2.0
// A gateway that is killed, and what passes its ports then. HILGATE_KILLS=100 kills so often.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/fault/box/box_fault.h"
#include "tests/support/eventually.h"
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
      // Once asked to stop until no more is there.
      for (bool more = true; more || !stop.stop_requested();) {
        const auto frame = blue_.receive(20ms);
        more = frame.has_value();
        if (frame && get16(*frame, 12) == kTrafficEthertype) {
          times_.push_back(Clock::now());
          ++come_;
        }
      }
    });
    sender_ = std::jthread([this](const std::stop_token& stop) {
      const Bytes frame = ethernet({robot_mac(1), robot_mac(0)}, kTrafficEthertype, Bytes(60));
      for (auto due = Clock::now(); !stop.stop_requested(); due += 1ms) {
        red_.send(frame);
        ++sent_;
        std::this_thread::sleep_until(due + 1ms);
      }
    });
  }
  /// Waits until so many more have been sent.
  void when_sent(std::size_t more) const {
    EXPECT_TRUE(eventually([this, wanted = sent_ + more] { return sent_ >= wanted; }));
  }
  /// Waits until so many more have come.
  void when_come(std::size_t more) const {
    EXPECT_TRUE(eventually([this, wanted = come_ + more] { return come_ >= wanted; }));
  }
  std::vector<Clock::time_point> finish() {
    sender_ = {};
    receiver_ = {};
    return times_;
  }

 private:
  RawSocket red_, blue_;
  std::vector<Clock::time_point> times_;
  std::atomic<std::size_t> sent_ = 0, come_ = 0;
  std::jthread receiver_, sender_;
};

Clock::duration longest_gap(const std::vector<Clock::time_point>& times) {
  Clock::duration longest{};
  for (std::size_t i = 1; i < times.size(); ++i) {
    longest = std::max(longest, times[i] - times[i - 1]);
  }
  return longest;
}

TEST_F(Killed, WireJoinsTheRobotsAloneAfterAGap) {
  start(", fail: wire", "heartbeat: {stale: 10ms}\n");
  std::vector<Clock::duration> gaps;
  for (std::size_t round = 0; round < kills(); ++round) {
    if (round > 0) {
      run_again();
    }
    Arrivals arrivals(*gateway_);
    arrivals.when_come(100);
    kill();
    arrivals.when_come(100);
    gaps.push_back(longest_gap(arrivals.finish()));
  }
  std::sort(gaps.begin(), gaps.end());
  EXPECT_LT(gaps.back(), 5s) << "nothing hangs";
  record({"SIGKILL with `fail: wire` and `heartbeat: {stale: 10ms}`",
          "The kernel joins the robots; the gap stays below 20 ms on an idle machine",
          fmt::format("{} kills: gap p50 {}, p99 {}", gaps.size(), text_of(gaps[gaps.size() / 2]),
                      text_of(gaps[(gaps.size() - 1) * 99 / 100]))});

  constexpr std::uint16_t kForged = 0x88b6;
  const RawSocket red(gateway_->robot(0), "eth0");
  const RawSocket blue(gateway_->robot(1), "eth0", kForged);
  Arrivals arrivals(*gateway_);
  for (int n = 0; n < 200; ++n) {
    for (const unsigned of : {1U, 9U}) {  // blue's own address, and that of no robot
      red.send(ethernet({robot_mac(1), robot_mac(of)}, kForged, Bytes(60)));
      red.send(ethernet({kBroadcast, robot_mac(of)}, kForged, Bytes(60)));
    }
  }
  arrivals.when_come(50);  // what red sends as itself, after all that
  const std::size_t passed = arrivals.finish().size();
  EXPECT_FALSE(blue.receive(1ms));
  record({"SIGKILL with `fail: wire`, and a robot that sends with the addresses of others",
          "The kernel passes the port's own robots alone",
          fmt::format("0 of 800 passed beside {} of its own", passed)});
}

TEST_F(Killed, BlockLetsNothingPassUntilTheNextRun) {
  start("", "");
  constexpr std::size_t kSent = 200;
  std::size_t passed = 0;
  std::size_t rounds = 0;
  std::chrono::nanoseconds took{};
  for (; rounds < std::min<std::size_t>(kills(), 3); ++rounds) {
    kill();
    {
      Arrivals arrivals(*gateway_);
      arrivals.when_sent(kSent);
      passed += arrivals.finish().size();
    }
    took = time_of([this] { run_again(); });
    Arrivals arrivals(*gateway_);
    arrivals.when_come(100);
    EXPECT_TRUE(gateway_->status().balanced);
  }
  EXPECT_EQ(passed, 0U);
  record({"SIGKILL with `fail: block`", "Nothing passes until the next run",
          fmt::format("{} kills: {} of {} frames passed", rounds, passed, rounds * kSent)});
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
