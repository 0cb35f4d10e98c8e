// SPDX-License-Identifier: Apache-2.0
// A gateway whose output nobody takes.
#include <thread>

#include "tests/fault/box/box_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// A gateway whose standard output and standard error are as `redirection` of a shell says.
class OutputFault : public BoxFault {
 protected:
  void SetUp() override { GatewayTest::SetUp(); }
  void TearDown() override { TearDownTestSuite(); }
  void start_with(const std::string& redirection) {
    start({.yaml = "netsim: {type: wire}\n",
           .robots = {"red", "blue", "mallory", "green"},
           .under = {"bash", "-c", "exec \"$@\" " + redirection, "bash"}});
    begin();
    constexpr auto kPace = 5ms;
    for (int i = 0; i < 20; ++i) {
      gateway().process().signal(SIGHUP);  // each reload says something
      std::this_thread::sleep_for(kPace);
    }
    gateway().status_when([&](const GatewayStatus& now) { return now.totals("changes") > before().totals("changes"); });
  }
};

TEST_F(OutputFault, Full) {
  start_with("> /dev/full 2>&1");
  conclude({"Standard output and error are on a full disk", "The run continues; lines are lost",
            fmt::format("a status after {}", text_of(answer_time()))});
}

TEST_F(OutputFault, Closed) {
  start_with(">&- 2>&-");
  conclude({"Standard output and error are closed", "The run continues",
            fmt::format("a status after {}", text_of(answer_time()))});
}

TEST_F(OutputFault, PipeWithoutReader) {
  start_with("> >(exec true) 2>&1");
  conclude({"Standard output and error are a pipe whose reader has gone", "The run continues; SIGPIPE ends nothing",
            fmt::format("a status after {}", text_of(answer_time()))});
}

TEST_F(OutputFault, PipeThatIsNotRead) {
  start_with("> >(exec sleep 60) 2>&1");
  conclude({"Standard output and error are a pipe without reader", "The run continues",
            fmt::format("a status after {}", text_of(answer_time()))});
}

}  // namespace
}  // namespace hilgate::test
