// SPDX-License-Identifier: Apache-2.0
#include "host/unix_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>

#include "host/run_folder.h"
#include "tests/host/unix_pair.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& path) {
  try {
    free_socket_path(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(SocketPath, RemovesTheSocketOfADeadProcess) {
  TempDir dir;
  { const FileDescriptor dead = listen_at(dir.file("s")); }
  ASSERT_TRUE(std::filesystem::exists(dir.file("s")));
  EXPECT_EQ(complaint(dir.file("s")), "none");
  EXPECT_FALSE(std::filesystem::exists(dir.file("s")));
}

TEST(SocketPath, RefusesALiveOneAndNamesItsOwner) {
  TempDir dir;
  const FileDescriptor listener = listen_at(dir.file("s"));
  EXPECT_THAT(complaint(dir.file("s")), HasSubstr("another process is listening on unix:" + dir.file("s") +
                                                  ": process " + std::to_string(getpid()) + " (host_tests) of user "));
  EXPECT_TRUE(std::filesystem::exists(dir.file("s")));
}

TEST(SocketPath, RefusesAListenerThatAcceptsNoConnection) {
  TempDir dir;
  const FileDescriptor listener = listen_at(dir.file("s"));
  std::vector<FileDescriptor> queue;
  for (int i = 0; i < 5; ++i) {  // a queue of 4 takes 5
    queue.push_back(connect_to(dir.file("s")));
  }
  EXPECT_THAT(complaint(dir.file("s")), HasSubstr(": a process that takes no more connections;"));
  EXPECT_TRUE(std::filesystem::exists(dir.file("s")));
}

TEST(SocketPath, IsForOwnerAndGroup) {
  TempDir dir;
  const FileDescriptor listener = listen_at(dir.file("s"));
  share_socket_path(dir.file("s"));
  struct stat info {};
  ASSERT_EQ(stat(dir.file("s").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0660U);
}

TEST(SocketPath, MakesTheFolderOfARunAndTakesItAwayWhenItIsEmpty) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  const auto folder = run_folder("hgt-path-" + std::to_string(getpid()), RunSide::kGateway);
  free_socket_path(folder / "a");
  free_socket_path(folder / "b");
  const FileDescriptor a = listen_at(folder / "a");
  const FileDescriptor b = listen_at(folder / "b");
  remove_socket_path(folder / "a");
  EXPECT_TRUE(std::filesystem::exists(folder)) << "the other one is in it";
  remove_socket_path(folder / "b");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace hilgate::test
