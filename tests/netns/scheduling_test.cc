// SPDX-License-Identifier: Apache-2.0
// Which threads of a gateway run before other programs.
#include <gmock/gmock.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Scheduled = GatewayTest;

/// "fifo 2" or "normal" by thread.
std::map<std::string, std::string> scheduling_of(RunningGateway& gateway) {
  std::map<std::string, std::string> threads;
  const pid_t process = gateway.process().pid();
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    const pid_t thread = std::stoi(task.path().filename());
    std::string name = "control";
    if (thread != process) {
      std::getline(std::ifstream(task.path() / "comm"), name);
      name += name == "hilgate-loop" ? "" : " " + std::to_string(thread);
    }
    sched_param parameters{};
    EXPECT_EQ(sched_getparam(thread, &parameters), 0);
    const int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
    threads[name] = policy == SCHED_FIFO ? "fifo " + std::to_string(parameters.sched_priority) : "normal";
  }
  return threads;
}

/// The processors that each thread may use, by its number; "hot" of a packet loop.
std::map<std::string, cpu_set_t> processors_of(RunningGateway& gateway) {
  std::map<std::string, cpu_set_t> threads;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(gateway.process().pid()) + "/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    cpu_set_t mask;
    CPU_ZERO(&mask);
    EXPECT_EQ(sched_getaffinity(std::stoi(task.path().filename()), sizeof mask, &mask), 0);
    threads[name == "hilgate-loop" ? "hot" : task.path().filename().string()] = mask;
  }
  return threads;
}

nlohmann::ordered_json state_of(const RunningGateway& gateway) {
  return control_request(control_socket(gateway.run()), {{"command", "status"}});
}

// A record has a thread of its own, which is nobody's business but its own.
TEST_F(Scheduled, InRealTimeAreTheThreadsOfWindowsAndFramesAlone) {
  const RunFolder folder;
  RunningGateway gateway(
      {.yaml = "scheduling: realtime\nnetsim: {type: wire}\nrecord: {folder: /tmp/" + folder.run() + "}\n"});
  std::map<std::string, std::string> threads = scheduling_of(gateway);
  EXPECT_GT(threads.size(), 2U);
  EXPECT_EQ(threads["control"], "fifo 2");
  EXPECT_EQ(threads["hilgate-loop"], "fifo 1");
  threads.erase("control");
  threads.erase("hilgate-loop");
  for (const auto& [name, scheduling] : threads) {
    EXPECT_EQ(scheduling, "normal") << name;
  }
  const auto status = state_of(gateway);
  EXPECT_EQ(status.at("window").at("scheduling"), "realtime");
  EXPECT_EQ(status.at("loop").at("threads").at(0).at("scheduling"), "realtime");
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one({.frames = 100}), 100), IsEmpty());
  std::filesystem::remove_all("/tmp/" + folder.run());
}

TEST_F(Scheduled, ALoopThatPollsHasNoPriority) {
  RunningGateway gateway({.yaml = "scheduling: realtime\npacket_loop: {idle: poll}\nnetsim: {type: wire}\n"});
  EXPECT_THAT(scheduling_of(gateway), Contains(Pair("hilgate-loop", "normal")));
  EXPECT_EQ(state_of(gateway).at("loop").at("threads").at(0).at("scheduling"), "normal");
}

// A loop that polls there never gives way, and whoever came to run beside it would hold up frames for a time slice.
TEST_F(Scheduled, AllOtherThreadsLeaveAPinnedLoopItsProcessor) {
  cpu_set_t ours;
  CPU_ZERO(&ours);
  ASSERT_EQ(sched_getaffinity(0, sizeof ours, &ours), 0);
  if (CPU_COUNT(&ours) < 2) {
    GTEST_SKIP() << "a single processor";
  }
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &ours)) {
    --last;
  }
  RunningGateway gateway({.yaml = "packet_loop: {cpu: " + std::to_string(last) + "}\nnetsim: {type: wire}\n"});
  EXPECT_THAT(scheduling_of(gateway),
              AllOf(Contains(Pair("control", "normal")), Contains(Pair("hilgate-loop", "normal"))))
      << "nothing runs in real time by default";
  const auto threads = processors_of(gateway);
  EXPECT_GT(threads.size(), 1U);
  for (const auto& [name, mask] : threads) {
    EXPECT_EQ(CPU_ISSET(last, &mask) != 0, name == "hot") << name;
  }
  EXPECT_EQ(run({hilgate_program(), "reload", gateway.run()}).status, 0) << "the processor is still its own";
}

TEST_F(Scheduled, RunWithoutThePrivilegeNamesIt) {
  const RunFolder folder;
  const std::string file = folder.write(
      "scheduling: realtime\nnetsim: {type: wire}\nports: {red: {interface: lo}}\nrobots: {red: {port: red}}\n");
  const Finished refused =
      test::run({"setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", hilgate_program(), "run", file});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output,
              HasSubstr("scheduling: realtime needs CAP_SYS_NICE or a limit of real-time priorities of 2"));
}

}  // namespace
}  // namespace hilgate::test
