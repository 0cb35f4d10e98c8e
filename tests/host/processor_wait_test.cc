// SPDX-License-Identifier: Apache-2.0
#include "host/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

// Two threads that want one processor: each waits while the other has it.
TEST(ProcessorWait, CountsTheTimeOfAnotherThread) {
  std::chrono::nanoseconds waited{0};
  std::thread([&] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &all)) {
        CPU_SET(cpu, &one);
      }
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // the other one inherits it
    std::atomic<bool> done = false;
    std::thread other([&] {
      while (!done) {
      }
    });
    const ProcessorWait wait;
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    const auto before = wait.total();
    while (waited == 0ns && std::chrono::steady_clock::now() < deadline) {
      waited = wait.total() - before;
    }
    done = true;
    other.join();
  }).join();
  EXPECT_GT(waited, 0ns);
}

}  // namespace
}  // namespace hilgate
