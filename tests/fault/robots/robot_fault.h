// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/fault/live/live_fault.h"
#include "tests/support/eventually.h"
#include "tests/support/raw_socket.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {

/// A hostile robot on a gateway of cables. The host has an address on mallory's port, another one, and services; ssh to
/// the host passes.
class RobotFault : public LiveFault {
 protected:
  static constexpr const char* kHost = "10.77.0.254";  // on mallory's port
  static constexpr const char* kBehind = "10.99.0.1";  // of the host, not of that port
  static constexpr std::uint16_t kService = 7777;

  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start({.yaml = "memory: {frames: 16384}\nhold: {frames: 1024}\nkernel: {pass: [ssh, ptp]}\n"
                   "netsim: {type: wire}\n",
           .robots = {"red", "blue", "mallory", "green"},
           .before = fmt::format("ip addr add {}/24 dev hg-mallory && ip link set lo up && ip addr add {}/32 dev lo",
                                 kHost, kBehind)});
    begin();
  }

  /// Mallory's frame to green, with this behind the MAC header.
  static Bytes to_green(std::uint16_t type, const Bytes& content) {
    return ethernet({robot_mac(kGreen), robot_mac(kMallory)}, type, content);
  }
  /// The MAC of the host's interface that mallory is plugged in.
  static MacAddress host_mac() {
    static const MacAddress mac =
        *MacAddress::parse(host().run_ok("cat /sys/class/net/hg-mallory/address").substr(0, 17));
    return mac;
  }
  /// An IP packet of mallory's to the host.
  static Bytes to_host(std::uint8_t protocol, const Bytes& transport, const char* destination = kHost) {
    return ip_frame({.destination = host_mac(), .source = robot_mac(kMallory)},
                    {.source = NetLab::ipv4(kMallory), .destination = destination}, protocol, transport);
  }
  /// What the host's kernel gets of mallory's frames from now on.
  class HostTap {
   public:
    HostTap() : socket_(host(), "hg-mallory") {}
    /// How many came before one of ssh that mallory sends now, and that passes.
    [[nodiscard]] std::size_t count() const {
      const RawSocket mallory(robot(kMallory), "eth0");
      const Bytes ssh = to_host(6, tcp({}, 0, 22));
      std::size_t frames = 0;
      const bool passed = eventually([&] {
        mallory.send(ssh);  // again where the kernel had no room
        for (auto next = socket_.receive(kOnTheWay); next; next = socket_.receive(kOnTheWay)) {
          if (*next == ssh) {
            return true;
          }
          ++frames;
        }
        return false;
      });
      EXPECT_TRUE(passed) << "ssh does not pass";
      return frames;
    }

   private:
    static constexpr std::chrono::milliseconds kOnTheWay{100};
    RawSocket socket_;
  };
  static std::uint64_t captured(const GatewayStatus& status) { return status.totals("frames_captured"); }
  /// So many of a flood get in at least. The kernel drops what a veth's ring has no room for, and that may be most of
  /// it where the gateway gets little of a processor.
  static constexpr std::uint64_t kMany = 1000;
  /// Nobody hears mallory, whose frames are dropped for this reason; how many were.
  std::uint64_t expect_refused(const std::string& reason, std::size_t sent) const {
    const GatewayStatus end = gateway().settled(0);
    const std::uint64_t refused = dropped(reason);
    EXPECT_GT(refused, kMany) << "of " << sent << " dropped as " << reason;
    for (const LinkStatus& link : end.links) {
      if (link.from == "mallory") {
        EXPECT_EQ(link.counts("in"), before().link(link.from, link.to).counts("in")) << "to " << link.to;
      }
    }
    return refused;
  }
};

}  // namespace hilgate::test
