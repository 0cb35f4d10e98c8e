// SPDX-License-Identifier: Apache-2.0
// Somebody who asks for status again and again.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/fault/control_fixture.h"
#include "tests/fault/fault_record.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(Fault, StatusRequestsTakeATenthOfTheControlThread) {
  constexpr auto kCost = 5ms;
  std::atomic<int> answered = 0;
  const ControlFixture server([&](const nlohmann::json&) -> nlohmann::ordered_json {
    const auto end = std::chrono::steady_clock::now() + kCost;
    while (std::chrono::steady_clock::now() < end) {
    }
    ++answered;
    return {};
  });
  std::atomic<bool> over = false;
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i) {
    askers.emplace_back([&] {
      while (!over) {
        static_cast<void>(server.ask("{\"command\": \"status\"}\n"));
      }
    });
  }
  constexpr int kAnswers = 20;
  const auto took = time_of([&] { EXPECT_TRUE(eventually([&] { return answered >= kAnswers; })); });
  EXPECT_GE(took, (kAnswers - 1) * 40ms) << "5 ms each, and 45 ms for others";
  const auto change = time_of([&] { EXPECT_TRUE(server.ask("{\"command\": \"set\"}\n").at("ok").get<bool>()); });
  EXPECT_LT(change, 500ms) << "an operator's change does not wait behind questions";
  over = true;
  for (std::thread& asker : askers) {
    asker.join();
  }
  record(
      {"Four clients ask for status without a pause", "Questions take at most a tenth of the control thread",
       fmt::format("{} of 5 ms each in {}; a change in between after {}", kAnswers, text_of(took), text_of(change))});
}

}  // namespace
}  // namespace hilgate::test
