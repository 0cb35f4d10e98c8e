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
#include "gateway/daemon/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

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
      name += name == "hilgate-hot" ? "" : " " + std::to_string(thread);
    }
    sched_param parameters{};
    EXPECT_EQ(sched_getparam(thread, &parameters), 0);
    const int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
    threads[name] = policy == SCHED_FIFO ? "fifo " + std::to_string(parameters.sched_priority) : "normal";
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
  EXPECT_EQ(threads["hilgate-hot"], "fifo 1");
  threads.erase("control");
  threads.erase("hilgate-hot");
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
  RunningGateway gateway({.yaml = "scheduling: realtime\nhot_loop: {idle: poll}\nnetsim: {type: wire}\n"});
  EXPECT_THAT(scheduling_of(gateway), Contains(Pair("hilgate-hot", "normal")));
  EXPECT_EQ(state_of(gateway).at("loop").at("threads").at(0).at("scheduling"), "normal");
}

TEST_F(Scheduled, NothingIsUnlessItIsAskedFor) {
  RunningGateway gateway;
  EXPECT_THAT(scheduling_of(gateway), Contains(Pair("control", "normal")));
  EXPECT_THAT(scheduling_of(gateway), Contains(Pair("hilgate-hot", "normal")));
}

TEST_F(Scheduled, ARunWithoutTheRightSaysWhatIsMissing) {
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
