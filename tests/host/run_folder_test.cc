// SPDX-License-Identifier: Apache-2.0
#include "host/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

#include "host/unix_socket.h"
#include "tests/loop.h"
#include "tests/support/as_nobody.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) {
      GTEST_SKIP() << "needs root";
    }
    fs::create_directories("/run/hilgate");
    fs::permissions("/run/hilgate", fs::perms{0750});  // as hilgate.tmpfiles has it
  }
  void TearDown() override { fs::remove_all(folder_); }

  const std::string name_ = "hgt-folder-" + std::to_string(getpid());
  const fs::path folder_ = "/run/hilgate/" + name_;
};

TEST_F(RunFolderTest, IsInRunForRootAndOpenToTheGroupAlone) {
  EXPECT_EQ(run_folder(name_, RunSide::kGateway), folder_);
  EXPECT_EQ(run_folder(name_, RunSide::kSimulator), folder_);
  make_run_folder(folder_);
  struct stat info {};
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0770U);
  EXPECT_EQ(info.st_uid, 0U);
  EXPECT_EQ(info.st_gid, service_group().value_or(0)) << "root's group on a machine without the group";
  fs::permissions(folder_, fs::perms{0700});
  make_run_folder(folder_);  // a start that was cut short is made good
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0770U);
}

TEST_F(RunFolderTest, IsInTheUsersRuntimeFolderWithoutWriteAccessToRun) {
  const char* const set = getenv("XDG_RUNTIME_DIR");
  const auto before = set == nullptr ? std::nullopt : std::optional<std::string>(set);
  const auto of_nobody = [&] { return as_nobody([&] { return run_folder(name_, RunSide::kGateway).string(); }); };
  setenv("XDG_RUNTIME_DIR", "/run/user/65534", 1);
  EXPECT_EQ(of_nobody(), "/run/user/65534/hilgate/" + name_);
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(of_nobody(), folder_.string());
  if (before) {
    setenv("XDG_RUNTIME_DIR", before->c_str(), 1);
  }
}

TEST_F(RunFolderTest, RecognisesARunsFolder) {
  EXPECT_TRUE(is_run_folder("/run/hilgate/lab"));
  EXPECT_FALSE(is_run_folder("/run/hilgate"));
  EXPECT_FALSE(is_run_folder("/run/hilgate/lab/inner"));
  EXPECT_FALSE(is_run_folder("/tmp/hilgate/lab"));
}

TEST_F(RunFolderTest, RefusesForeignFoldersAndNonFolders) {
  fs::create_directories(folder_);
  ASSERT_EQ(chown(folder_.c_str(), kNobody, kNobody), 0);
  const auto complaint = [&] {
    try {
      make_run_folder(folder_);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(complaint(), HasSubstr(folder_.string() + ": belongs to user number 65534; be root or in the group"));
  fs::remove(folder_);
  std::ofstream(folder_) << "x";
  EXPECT_THAT(complaint(), HasSubstr(folder_.string() + ": is no folder"));
}

TEST_F(RunFolderTest, NamesTheUsersThatMayMakeOne) {
  EXPECT_THAT(as_nobody([&] {
                make_run_folder(folder_);
                return std::string("made");
              }),
              HasSubstr(": cannot be made: Permission denied; be root or in the group hilgate"));
}

}  // namespace
}  // namespace hilgate::test
