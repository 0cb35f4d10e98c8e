// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/fault/fault_record.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/support/net_lab.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {

/// A gateway with red, blue and green, of whom green's port has the fault. Green's kernel says nothing of its own
/// accord, also on an interface made again.
class PortFault : public GatewayTest {
 protected:
  static constexpr std::size_t kGreen = 2;

  void start(const std::string& before = {}, const std::string& port = {}) {
    gateway_ = std::make_unique<RunningGateway>(
        GatewaySetup{.robots = {"red", "blue", "green"}, .port = port, .before = before});
    green().run_ok("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
  }
  [[nodiscard]] const NetNs& green() const { return gateway_->robot(kGreen); }
  [[nodiscard]] const NetNs& host() const { return gateway_->lab().gateway(); }
  void link(const std::string& command) const { host().run_ok("ip link " + command); }

  /// Green's cable again, its end at the gateway down, as the kernel makes it, with a MAC of its own.
  void plug_green_in() const {
    link(fmt::format("add hg-green address {} type veth peer name eth0 address {} netns {}", kPortMac,
                     NetLab::mac(kGreen), green().name()));
    // Frames come in with their checksums, as from a wire.
    offloads_off(green(), "eth0");
    green().run_ok(fmt::format("ip addr add {}/24 dev eth0 && ip link set eth0 up", NetLab::ipv4(kGreen)));
  }

  /// Waits until green's port is so.
  void when_green_is(const std::string& state) const {
    const GatewayStatus status =
        gateway_->status_when([&](const GatewayStatus& now) { return now.port_states.at(kGreen) == state; });
    EXPECT_EQ(status.port_states.at(kGreen), state) << gateway_->output();
    EXPECT_EQ(status.unplugged.at(kGreen), state != "up");
  }

  /// Does it while red sends to blue, who gets everything; `alone`: nobody else sends.
  template <class What>
  void while_others_lose_nothing(What what, bool alone = true) const {
    constexpr std::size_t kFrames = 3000;
    NumberedTraffic traffic(*gateway_);
    std::vector<Arrival> arrivals;
    std::jthread sender([&] {
      arrivals = traffic.to_one({.frames = kFrames, .interval = std::chrono::microseconds{500}, .alone = alone});
    });
    what();
    sender.join();
    EXPECT_THAT(lost(arrivals, kFrames), testing::IsEmpty());
    EXPECT_TRUE(gateway_->status().balanced);
  }

  /// Red sends frames to green; `arrive` of them do.
  void expect_frames_to_green(std::size_t frames, bool arrive) const {
    NumberedTraffic traffic(*gateway_, {kGreen});
    const std::uint64_t before = gateway_->status().dropped("unplugged");
    const auto arrivals = traffic.to_one({.frames = frames, .to = robot_mac(kGreen)});
    EXPECT_EQ(arrivals.size(), arrive ? frames : 0);
    EXPECT_EQ(gateway_->status().dropped("unplugged") - before, arrive ? 0 : frames);
    EXPECT_TRUE(gateway_->status().balanced);
  }

  /// How often the log says this.
  [[nodiscard]] std::size_t said(const std::string& text) const {
    const std::string log = gateway_->output();
    std::size_t times = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
      ++times;
    }
    return times;
  }

  static constexpr const char* kPortMac = "02:68:67:ff:00:03";
  std::unique_ptr<RunningGateway> gateway_;
};

}  // namespace hilgate::test
