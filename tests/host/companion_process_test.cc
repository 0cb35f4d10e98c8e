// SPDX-License-Identifier: Apache-2.0
#include "host/companion/companion_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>
#include <set>

#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A companion that waits for signals, and the process in which it does.
class Companion {
 public:
  explicit Companion(bool ends_at_once = false, bool ignores_the_end = false)
      : worker_(new (::mmap(nullptr, sizeof(*worker_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                    std::atomic<pid_t>(0)),
        process_({.name = "page",
                  .what = "the process of the page",
                  .body =
                      [this, ends_at_once, ignores_the_end] {
                        if (ignores_the_end) {
                          std::signal(SIGTERM, SIG_IGN);
                        }
                        *worker_ = getpid();
                        while (!ends_at_once) {
                          pause();
                        }
                      }},
                 {}) {}
  ~Companion() { ::munmap(worker_, sizeof(*worker_)); }
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  CompanionProcess& process() { return process_; }
  [[nodiscard]] pid_t worker() const { return *worker_; }

 private:
  std::atomic<pid_t>* worker_;
  CompanionProcess process_;
};

constexpr auto kCompanionPatience = 30s;

TEST(CompanionProcessTest, HasAProblemFromItsEndUntilItHasRunAgainForAWhile) {
  Companion companion;
  ASSERT_TRUE(eventually([&] { return companion.worker() != 0; }, kCompanionPatience));
  EXPECT_EQ(companion.process().problem(), "");
  const pid_t first = companion.worker();
  kill(first, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !companion.process().problem().empty(); }, kCompanionPatience));
  EXPECT_EQ(companion.process().problem(), "the process of the page has ended once and is started again");
  EXPECT_TRUE(eventually([&] { return companion.worker() != first; }, kCompanionPatience));
  EXPECT_NE(companion.process().problem(), "") << "one that ends at once again and again does not work";
  EXPECT_TRUE(eventually([&] { return companion.process().problem().empty(); }, kCompanionPatience));
}

TEST(CompanionProcessTest, HasAProblemWhileItIsHalted) {
  Companion companion;
  ASSERT_TRUE(eventually([&] { return companion.worker() != 0; }, kCompanionPatience));
  kill(companion.worker(), SIGSTOP);
  EXPECT_TRUE(eventually([&] { return !companion.process().problem().empty(); }, kCompanionPatience));
  EXPECT_EQ(companion.process().problem(), "the process of the page is halted by signal 19");
  kill(companion.worker(), SIGCONT);
  EXPECT_TRUE(eventually([&] { return companion.process().problem().empty(); }, kCompanionPatience));
}

TEST(CompanionProcessTest, EndsWithItsOwnerAlsoWhenItIgnoresThatOrIsHalted) {
  for (const bool halted : {false, true}) {
    pid_t worker = 0;
    {
      Companion companion(false, !halted);
      ASSERT_TRUE(eventually([&] { return companion.worker() != 0; }, kCompanionPatience));
      worker = companion.worker();
      if (halted) {
        kill(worker, SIGSTOP);
      }
    }
    EXPECT_TRUE(eventually([&] { return kill(worker, 0) != 0; }, kCompanionPatience))
        << (halted ? "halted" : "ignores");
    kill(worker, SIGKILL);
  }
}

TEST(CompanionProcessTest, OneThatEndsAtOnceAgainAndAgainHasAProblemAllTheTime) {
  Companion companion(true);
  ASSERT_TRUE(eventually([&] { return !companion.process().problem().empty(); }, kCompanionPatience));
  std::set<pid_t> workers;  // one a second: the last comes when the first would count as working, had it not ended
  EXPECT_TRUE(eventually(
      [&] {
        EXPECT_THAT(companion.process().problem(), HasSubstr("is started again"));
        workers.insert(companion.worker());
        return workers.size() > 4;
      },
      kCompanionPatience));
}

}  // namespace
}  // namespace hilgate::test
