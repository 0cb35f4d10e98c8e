// SPDX-License-Identifier: Apache-2.0
// Operators who change the run too often, and several at once.
#include <csignal>
#include <thread>

#include "tests/fault/box/box_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(BoxFault, StormOfSignals) {
  constexpr auto kPace = 2ms;  // slower than signals of one kind become one
  for (int i = 0; i < 50; ++i) {
    gateway().process().signal(SIGHUP);
    for (const int pointless : {SIGPIPE, SIGWINCH, SIGCHLD, SIGURG}) {
      gateway().process().signal(pointless);
    }
    std::this_thread::sleep_for(kPace);
  }
  const auto answered = answer_time();
  // It comes after the last of them, so that none is carried out, and counted, in the next test.
  EXPECT_EQ(refusal_of({{"command", "reload"}}), "");
  conclude({"50 SIGHUP in 100 ms, and as many of SIGPIPE, SIGWINCH, SIGCHLD and SIGURG, which mean nothing",
            "Each reload costs no frame; the run continues", fmt::format("a status after {}", text_of(answered))});
}

TEST_F(BoxFault, TwoOperatorsAtOnce) {
  std::vector<std::jthread> operators;
  for (const char* link : {"mallory.green", "green.mallory", "mallory.red", "green.red"}) {
    operators.emplace_back([link] {
      for (int i = 0; i < 25; ++i) {
        set(fmt::format("links.{}.loss={} %", link, i));
      }
    });
  }
  operators.clear();
  const auto applied = grew([](const GatewayStatus& now) { return now.totals("changes"); });
  EXPECT_EQ(applied, 100U);
  ask({{"command", "reload"}});
  conclude({"Four operators change the run at once", "One after the other; none is lost",
            fmt::format("{} of 100 changes applied", applied)});
}

}  // namespace
}  // namespace hilgate::test
