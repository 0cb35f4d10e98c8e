// SPDX-License-Identifier: Apache-2.0
#include "host/shared_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/loop.h"

namespace hilgate::test {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

class SharedFilesTest : public testing::Test {
 protected:
  void SetUp() override { umask(0022); }

  const TempDir folder_;
  const fs::path runs_ = folder_.file("records/of/today");
};

TEST_F(SharedFilesTest, MissingFoldersAreCreatedPrivateAndExistingOnesStay) {
  const mode_t before = mode_of(folder_.file(""));
  make_group_folders(runs_);
  EXPECT_EQ(mode_of(runs_), 0750U);
  EXPECT_EQ(mode_of(folder_.file("records")), 0750U);
  EXPECT_EQ(mode_of(folder_.file("")), before);
  fs::permissions(runs_, fs::perms{0755});
  make_group_folders(runs_);
  EXPECT_EQ(mode_of(runs_), 0755U);
}

TEST_F(SharedFilesTest, ARunRootOfAnEarlierVersionIsClosed) {
  fs::create_directories(runs_);
  fs::permissions(runs_, fs::perms{0755});
  make_run_root(runs_);
  EXPECT_EQ(mode_of(runs_), 0750U);
}

TEST_F(SharedFilesTest, AFolderAndAllInIt) {
  fs::create_directories(runs_ / "profiles");
  std::ofstream(runs_ / "configuration.yaml") << "name: x\n";
  std::ofstream(runs_ / "profiles" / "a.yaml") << "a: 1\n";
  fs::create_symlink(folder_.file("elsewhere"), runs_ / "link");
  std::ofstream(folder_.file("elsewhere")) << "others'";
  fs::permissions(folder_.file("elsewhere"), fs::perms{0644});
  share_with_group(runs_);
  EXPECT_EQ(mode_of(runs_ / "configuration.yaml"), 0640U);
  EXPECT_EQ(mode_of(runs_ / "profiles"), 0750U);
  EXPECT_EQ(mode_of(runs_ / "profiles" / "a.yaml"), 0640U);
  EXPECT_EQ(mode_of(folder_.file("elsewhere")), 0644U);
}

}  // namespace
}  // namespace hilgate::test
