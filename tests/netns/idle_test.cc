// SPDX-License-Identifier: Apache-2.0
// A gateway without traffic leaves the processor to others, and is there when a frame comes.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::Each;
using testing::IsEmpty;

using Idle = GatewayTest;

nlohmann::ordered_json loop_of(const RunningGateway& gateway) {
  return control_request(control_socket(gateway.run()), {{"command", "status"}}).at("loop");
}

// Processor time of the threads of this name, by fields 14 and 15 of /proc/PID/task/TID/stat (proc(5)).
nanoseconds processor_time(pid_t process, const std::string& thread) {
  nanoseconds sum{0};
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    std::string line;
    std::getline(std::ifstream(task.path() / "stat"), line);
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::vector<std::string> values{std::istream_iterator<std::string>(fields), {}};
    if (name == thread) {
      sum += (std::stoll(values.at(11)) + std::stoll(values.at(12))) * nanoseconds{1s} / ::sysconf(_SC_CLK_TCK);
    }
  }
  return sum;
}

// Of one processor, while so many windows of 1 ms pass.
double share_while_idle(RunningGateway& gateway, std::uint64_t windows) {
  gateway.mute();
  gateway.settled(0);
  const auto started = std::chrono::steady_clock::now();
  const nanoseconds before = processor_time(gateway.process().pid(), "hilgate-loop");
  pass_windows(gateway.run(), windows, 1ms);
  const nanoseconds used = processor_time(gateway.process().pid(), "hilgate-loop") - before;
  return std::chrono::duration<double>(used) / (std::chrono::steady_clock::now() - started);
}

TEST_F(Idle, WithoutTrafficLoopsTakeAlmostNoProcessorTime) {
  RunningGateway gateway({.yaml = "window: 1ms\npacket_loop: {cores: [{ports: [red]}, {ports: [blue]}]}\nnetsim: "
                                  "{type: wire}\n"});
  EXPECT_LT(share_while_idle(gateway, 2000), 0.2) << "of both";
  const auto threads = loop_of(gateway).at("threads");
  ASSERT_EQ(threads.size(), 2U);
  for (const auto& thread : threads) {
    EXPECT_EQ(thread.at("idle"), "sleep");
    EXPECT_GT(thread.at("sleeps"), 0U);
  }
}

TEST_F(Idle, APollingLoopNeverSleeps) {
  const RunningGateway gateway({.yaml = "window: 1ms\npacket_loop: {idle: poll}\nnetsim: {type: wire}\n"});
  pass_windows(gateway.run(), 100, 1ms);
  const auto thread = loop_of(gateway).at("threads").at(0);
  EXPECT_EQ(thread.at("idle"), "poll");
  EXPECT_EQ(thread.at("sleeps"), 0U);
}

// Each frame finds the loop asleep, and its release wakes it once more. The heartbeat goes on meanwhile: programs that
// watch it let everything through to the loop.
TEST_F(Idle, FramesAndReleasesWakeItAndItIsNotTakenForDead) {
  const RunningGateway gateway({.yaml = "heartbeat: {stale: 200ms}\nnetsim: {type: wire}\n"
                                        "links: [{from: '*', to: '*', delay: 5ms}]\n",
                                .port = ", fail: block"});
  NumberedTraffic traffic(gateway);
  constexpr std::size_t kFrames = 20;
  const auto arrivals = traffic.to_one({.frames = kFrames, .interval = 250ms});
  EXPECT_THAT(lost(arrivals, kFrames), IsEmpty());
  std::vector<bool> early;
  for (const Arrival& arrival : arrivals) {
    early.push_back(nanoseconds{arrival.delay_ns} < 5ms);
  }
  EXPECT_THAT(early, Each(false));
  // Nobody waits for the next heartbeat, which comes every 10 ms.
  EXPECT_LT(delay_quantile(arrivals, 0.5), 10ms);
  EXPECT_GT(loop_of(gateway).at("threads").at(0).at("sleeps"), 200U);
}

}  // namespace
}  // namespace hilgate::test
