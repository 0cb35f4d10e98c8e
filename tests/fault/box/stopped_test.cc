// SPDX-License-Identifier: Apache-2.0
// A gateway that gets no processor time.
#include <csignal>
#include <thread>

#include "tests/fault/box/box_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(BoxFault, StoppedAndContinued) {
  constexpr auto kStopped = 200ms;
  for (int i = 0; i < 3; ++i) {
    gateway().process().signal(SIGSTOP);
    std::this_thread::sleep_for(kStopped);  // what the fault is
    gateway().process().signal(SIGCONT);
    answer_time();
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
  constexpr auto kBusy = 1s;
  std::this_thread::sleep_for(kBusy);  // what the fault is
  const auto answered = answer_time();
  busy.clear();
  conclude({"A process for each core and another take all processor time for a second", "Nothing is lost",
            fmt::format("a status after {}", text_of(answered))});
}

}  // namespace
}  // namespace hilgate::test
