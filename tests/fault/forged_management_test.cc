// SPDX-License-Identifier: Apache-2.0
// A local user who answers for ptp4l.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <fmt/format.h>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "clock/ptp/management_client.h"
#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

sockaddr_un address(const std::string& path) {
  sockaddr_un made{};
  made.sun_family = AF_UNIX;
  path.copy(made.sun_path, sizeof made.sun_path - 1);
  return made;
}

FileDescriptor bound(const std::string& path) {
  FileDescriptor made(checked(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
  const sockaddr_un own = address(path);
  checked(bind(made.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), "bind");
  return made;
}

TEST(Fault, OnlyPtp4lAnswersManagement) {
  const TempDir folder;
  const FileDescriptor ptp4l = bound(folder.file("ptp4l"));
  const FileDescriptor forger = bound(folder.file("forger"));
  ManagementClient client({.server = folder.file("ptp4l"), .directory = folder.file("own")});
  std::set<std::uint16_t> sequences;
  int refused = 0;
  for (int round = 0; round < 3; ++round) {
    static_cast<void>(client.ask(20ms));
    char request[512];
    ssize_t length = 0;
    sockaddr_un from{};
    socklen_t size = sizeof from;
    while ((length = recvfrom(ptp4l.get(), request, sizeof request, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from),
                              &size)) > 32) {
      sequences.insert(static_cast<std::uint16_t>(static_cast<unsigned char>(request[30]) << 8 |
                                                  static_cast<unsigned char>(request[31])));
    }
    const ssize_t sent =
        sendto(forger.get(), request, sizeof request, 0, reinterpret_cast<const sockaddr*>(&from), size);
    refused += sent < 0 && errno == EPERM ? 1 : 0;
    struct stat facts {};
    ASSERT_EQ(stat(from.sun_path, &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  }
  EXPECT_EQ(refused, 3) << "the kernel refuses all others";
  EXPECT_EQ(client.malformed() + client.ignored(), 0U);
  ASSERT_EQ(sequences.size(), 3U);
  EXPECT_FALSE(sequences.contains(static_cast<std::uint16_t>(*sequences.begin() + 1)) &&
               sequences.contains(static_cast<std::uint16_t>(*sequences.begin() + 2)))
      << "they do not count up";
  record({"A local process answers for ptp4l", "The kernel refuses it: the socket is connected and closed to others",
          fmt::format("{} of 3 forged answers refused", refused)});
}

}  // namespace
}  // namespace hilgate::test
