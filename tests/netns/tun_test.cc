// SPDX-License-Identifier: Apache-2.0
// A program that takes IP packets from a TUN device has no MAC address; the kernel of its robot routes for it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <thread>

#include "host/file_descriptor.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using TunTest = GatewayTest;

// Answers pings, as the program of somebody's simulator would.
class Program {
 public:
  explicit Program(const NetNs& where) {
    const auto inside = where.enter();
    tun_ = FileDescriptor(checked(::open("/dev/net/tun", O_RDWR | O_CLOEXEC), "tun"));
    ifreq request{};
    std::string_view("tun0").copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    checked(::ioctl(tun_.get(), TUNSETIFF, &request), "tun0");
    answering_ = std::jthread([this](const std::stop_token& stop) { answer(stop); });
  }

 private:
  void answer(const std::stop_token& stop) const {
    constexpr std::size_t kIpHeader = 20;
    constexpr std::uint8_t kIcmp = 1, kEchoRequest = 8;
    std::array<std::uint8_t, 2048> packet{};
    pollfd come{.fd = tun_.get(), .events = POLLIN, .revents = 0};
    while (!stop.stop_requested()) {
      if (::poll(&come, 1, 50) <= 0) {
        continue;
      }
      const ssize_t size = ::read(tun_.get(), packet.data(), packet.size());
      if (size < static_cast<ssize_t>(kIpHeader + 8) || packet[0] != 0x45 || packet[9] != kIcmp ||
          packet[kIpHeader] != kEchoRequest) {
        continue;
      }
      std::swap_ranges(&packet[12], &packet[16], &packet[16]);
      packet[kIpHeader] = 0;
      const unsigned sum = (packet[kIpHeader + 2] << 8U | packet[kIpHeader + 3]) + (kEchoRequest << 8U);
      const unsigned folded = (sum & 0xffffU) + (sum >> 16U);
      packet[kIpHeader + 2] = static_cast<std::uint8_t>(folded >> 8U);
      packet[kIpHeader + 3] = static_cast<std::uint8_t>(folded & 0xffU);
      EXPECT_EQ(::write(tun_.get(), packet.data(), static_cast<std::size_t>(size)), size);
    }
  }

  FileDescriptor tun_;
  std::jthread answering_;
};

TEST_F(TunTest, AProgramAtATunIsRoutedByItsRobot) {
  const RunningGateway gateway;
  const Program program(gateway.robot(0));
  gateway.robot(0).run_ok(
      "ip link set tun0 up && ip route add 10.88.0.1 dev tun0"
      " && sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.eth0.proxy_arp=1 net.ipv4.neigh.eth0.proxy_delay=0");
  gateway.robot(1).run_ok("ip route add 10.88.0.1 dev eth0");
  const Finished ping = gateway.robot(1).run("ping -c 5 -i 0.2 -W 5 10.88.0.1");
  EXPECT_EQ(ping.status, 0) << ping.output;
  const GatewayStatus status = gateway.status();
  EXPECT_GE(status.link("blue", "red").counts("released"), 5U);
  EXPECT_GE(status.link("red", "blue").counts("released"), 5U);
  EXPECT_TRUE(status.balanced);
}

}  // namespace
}  // namespace hilgate::test
