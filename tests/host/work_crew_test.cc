// SPDX-License-Identifier: Apache-2.0
#include "host/work_crew.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace hilgate::test {
namespace {

TEST(WorkCrewTest, AllThreadsWorkOnEachPieceOnce) {
  WorkCrew crew(3);
  ASSERT_EQ(crew.size(), 3U);
  for (int piece = 0; piece < 200; ++piece) {
    std::array<std::atomic<int>, 3> calls{};
    crew.run([&calls](unsigned thread) { ++calls.at(thread); });
    for (const std::atomic<int>& of_one : calls) {
      EXPECT_EQ(of_one, 1);
    }
  }
}

TEST(WorkCrewTest, TheCallerIsTheFirst) {
  WorkCrew alone(1);
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id seen;
  alone.run([&seen](unsigned) { seen = std::this_thread::get_id(); });
  EXPECT_EQ(seen, caller);
  WorkCrew crew(2);
  std::array<std::thread::id, 2> threads;
  crew.run([&threads](unsigned thread) { threads.at(thread) = std::this_thread::get_id(); });
  EXPECT_EQ(threads[0], caller);
  EXPECT_NE(threads[1], caller);
}

TEST(WorkCrewTest, ExceptionOfAThreadReachesTheCallerAfterAllEnd) {
  WorkCrew crew(3);
  for (const unsigned who : {0U, 2U}) {
    std::atomic<int> ended{0};
    EXPECT_THROW(crew.run([&](unsigned thread) {
      ++ended;
      if (thread == who) {
        throw std::runtime_error("no such material");
      }
    }),
                 std::runtime_error);
    EXPECT_EQ(ended, 3);
  }
  std::atomic<int> calls{0};
  crew.run([&calls](unsigned) { ++calls; });
  EXPECT_EQ(calls, 3) << "it goes on";
}

}  // namespace
}  // namespace hilgate::test
