// SPDX-License-Identifier: Apache-2.0
// A gateway that gets no processor time.
#include <csignal>
#include <thread>

#include "tests/fault/box/box_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(BoxFault, StoppedAndContinued) {
  for (int i = 0; i < 3; ++i) {
    gateway().process().signal(SIGSTOP);
    std::this_thread::sleep_for(200ms);
    gateway().process().signal(SIGCONT);
    std::this_thread::sleep_for(100ms);
  }
  const auto answered = answer_time();
  conclude({"The gateway is stopped for 200 ms, three times (SIGSTOP, SIGCONT)",
            "Ports that are closed keep their frames waiting; nothing passes beside the air, nothing is lost",
            fmt::format("the next status after {}", text_of(answered))});
}

TEST_F(BoxFault, AllCoresTaken) {
  std::vector<std::unique_ptr<Process>> busy;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
    busy.push_back(std::make_unique<Process>(std::vector<std::string>{"sh", "-c", "while :; do :; done"}));
  }
  std::this_thread::sleep_for(1s);
  const auto answered = answer_time();
  busy.clear();
  conclude({"A process for each core and another take all processor time for a second", "Nothing is lost",
            fmt::format("a status after {}", text_of(answered))});
}

TEST_F(BoxFault, PointlessSignals) {
  for (int i = 0; i < 200; ++i) {
    for (const int signal : {SIGPIPE, SIGWINCH, SIGCHLD, SIGURG}) {
      gateway().process().signal(signal);
    }
  }
  conclude({"800 signals that mean nothing: SIGPIPE, SIGWINCH, SIGCHLD, SIGURG", "The run continues",
            fmt::format("a status after {}", text_of(answer_time()))});
}

}  // namespace
}  // namespace hilgate::test
