// SPDX-License-Identifier: Apache-2.0
#include "serial/tty.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace hilgate::test {
namespace {

// The other end of a pseudo-terminal as the device.
TEST(Tty, SetsADeviceToAnyRate) {
  const FileDescriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(master.valid());
  ASSERT_EQ(::grantpt(master.get()), 0);
  ASSERT_EQ(::unlockpt(master.get()), 0);
  const std::string device = ::ptsname(master.get());
  for (const std::uint32_t baud : {57'600U, 400'000U, 420'000U, 1'870'000U}) {
    Tty tty(device, baud, SerialFlow::kNone);
    tty.look();
    EXPECT_TRUE(tty.open()) << tty.problem();
    termios2 settings{};
    ASSERT_EQ(::ioctl(tty.fd(), TCGETS2, &settings), 0);
    EXPECT_EQ(settings.c_ospeed, baud);
    EXPECT_EQ(settings.c_ispeed, baud);
    EXPECT_EQ(settings.c_lflag & (ICANON | ECHO | ISIG), 0U) << "raw";
    EXPECT_EQ(settings.c_cflag & CSIZE, static_cast<tcflag_t>(CS8));
  }
}

}  // namespace
}  // namespace hilgate::test
