// SPDX-License-Identifier: Apache-2.0
#include "host/log/log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace hilgate::test {
namespace {

using testing::ElementsAre;

TEST(Journal, IsWhereTheStreamOfTheEnvironmentIsStandardErrorItself) {
  struct stat info {};
  ASSERT_EQ(fstat(STDERR_FILENO, &info), 0);
  unsetenv("JOURNAL_STREAM");
  EXPECT_FALSE(stderr_is_journal());
  setenv("JOURNAL_STREAM", fmt::format("{}:{}", info.st_dev, info.st_ino).c_str(), 1);
  EXPECT_TRUE(stderr_is_journal());
  // Inherited by a process whose output goes elsewhere.
  setenv("JOURNAL_STREAM", fmt::format("{}:{}", info.st_dev, info.st_ino + 1).c_str(), 1);
  EXPECT_FALSE(stderr_is_journal());
  setenv("JOURNAL_STREAM", "", 1);
  EXPECT_FALSE(stderr_is_journal());
  unsetenv("JOURNAL_STREAM");
}

TEST(Journal, EntriesHaveTheirSubjects) {
  EXPECT_THAT(journal_fields(6, "a line", ""), ElementsAre("MESSAGE=a line", "PRIORITY=6"));
  const LogScope port({.port = "left"});
  EXPECT_THAT(journal_fields(4, "x", "lab"),
              ElementsAre("MESSAGE=x", "PRIORITY=4", "HILGATE_RUN=lab", "HILGATE_PORT=left"));
  {
    const LogScope robot({.robot = "red"});
    EXPECT_THAT(journal_fields(3, "y", "lab"),
                ElementsAre("MESSAGE=y", "PRIORITY=3", "HILGATE_RUN=lab", "HILGATE_ROBOT=red"));
  }
  EXPECT_THAT(journal_fields(3, "z", "lab"),
              ElementsAre("MESSAGE=z", "PRIORITY=3", "HILGATE_RUN=lab", "HILGATE_PORT=left"));
}

TEST(Journal, FailuresOutsideTheJournalAreLinesOfStandardError) {
  testing::internal::CaptureStderr();
  log_failure("f.yaml:1: one\nf.yaml:2: two");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "f.yaml:1: one\nf.yaml:2: two\n");
}

}  // namespace
}  // namespace hilgate::test
