// SPDX-License-Identifier: Apache-2.0
// Who sends packets to a gateway's tunnel that no gateway of its site has made.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gateway/site/site_packet.h"
#include "host/byte_cursor.h"
#include "tests/fault/fault_record.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"
#include "tests/support/eventually.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kOuter = 14 + 20 + 8;  // Ethernet, IPv4, UDP
constexpr std::size_t kOption = kOuter + kGeneveHeader;
constexpr std::size_t kBody = kOption + 4;

/// Frames from one robot to another, a hundred at a time, until it is over.
class RobotTraffic {
 public:
  RobotTraffic(const SiteLab& lab, std::size_t from, std::size_t to)
      : thread_([this, &lab, from, to](const std::stop_token& stop) {
          constexpr std::size_t kAtOnce = 100;
          while (!stop.stop_requested()) {
            const std::size_t arrived = lab.send(from, to, kAtOnce).size();
            sent_ += kAtOnce;
            lost_ += kAtOnce - std::min(kAtOnce, arrived);
          }
        }) {}

  void finish() {
    thread_.request_stop();
    thread_.join();
  }
  [[nodiscard]] std::size_t sent() const { return sent_; }
  [[nodiscard]] std::size_t lost() const { return lost_; }

 private:
  std::size_t sent_ = 0;
  std::size_t lost_ = 0;
  std::jthread thread_;
};

/// Three gateways, and an attacker on the switch between them, who hears what the second sends and can send as it.
class SiteFault : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    lab_ = std::make_unique<SiteLab>("netsim: {type: wire}\nlinks: [{from: '*', to: '*', delay: 20ms}]\n");
    for (std::size_t n = 0; n < SiteLab::kGateways; ++n) {
      lab_->start(n);
    }
    ASSERT_TRUE(lab_->until_all_here()) << lab_->output(0);
    lab_->network().run_ok("ip addr add 192.0.2.100/24 dev br0");
    bridge_ = std::make_unique<RawSocket>(lab_->network(), "br0");
    listen();
  }

  // One beacon and one frame of the second gateway, as they were on the wire.
  void listen() {
    const RawSocket ear(lab_->network(), "to-b");
    const std::jthread sender([this] { lab_->send(2, 0, 100); });
    while (beacon_.empty() || frame_.empty()) {
      const auto heard = ear.receive(5s);
      ASSERT_TRUE(heard);
      if (heard->size() >= kOuter + kSiteHeader && get16(*heard, 14 + 20 + 2) == 6081) {
        (((*heard)[kOuter + 1] & std::byte{0x80}) != std::byte{0} ? beacon_ : frame_) = *heard;
      }
    }
  }

  /// A packet with other bytes behind the UDP header, from that address.
  [[nodiscard]] Bytes with_content(const Bytes& content, const std::string& from) const {
    return ip_frame({.destination = mac_at(frame_, 0), .source = mac_at(frame_, 6)},
                    {.source = from, .destination = SiteLab::address(0)}, 17, udp(content, 6081, 6081));
  }
  [[nodiscard]] Bytes as_second(const Bytes& changed) const {
    return with_content({changed.begin() + kOuter, changed.end()}, SiteLab::address(1));
  }
  static MacAddress mac_at(const Bytes& frame, std::size_t at) {
    return MacAddress{load_be<std::uint64_t>(std::span(frame), at) >> 16};
  }
  void send(const Bytes& frame) {
    bridge_->send(frame);
    ++sent_;
    std::this_thread::sleep_for(200us);  // the pace of the attack, which leaves room in the socket's buffer
  }

  [[nodiscard]] std::uint64_t refused(const std::string& why) const {
    return lab_->status(0)["site"]["refused"].value(why, std::uint64_t{0});
  }
  // What is counted is told with the next beacon.
  [[nodiscard]] bool comes_to(const std::string& why, std::uint64_t count) const {
    return eventually([&] { return refused(why) >= count; });
  }

  std::unique_ptr<SiteLab> lab_;
  std::unique_ptr<RawSocket> bridge_;
  Bytes beacon_;
  Bytes frame_;
  std::uint64_t sent_ = 0;
};

TEST_F(SiteFault, PacketsThatNoGatewayMadeDoNothingButCount) {
  RobotTraffic across(*lab_, 2, 0);
  RobotTraffic within_one(*lab_, 0, 1);

  std::mt19937_64 random(21);
  for (int n = 0; n < 300; ++n) {
    Bytes noise(random() % 200);
    for (std::byte& byte : noise) {
      byte = static_cast<std::byte>(random());
    }
    send(with_content(noise, n % 2 == 0 ? SiteLab::address(1) : "192.0.2.100"));
  }
  EXPECT_TRUE(comes_to("malformed", 150));  // what begins as GENEVE does is foreign

  const std::uint64_t malformed = refused("malformed");
  for (std::size_t length = 0; length < kSiteHeader + 14; ++length) {
    send(as_second(Bytes(frame_.begin(), frame_.begin() + static_cast<std::ptrdiff_t>(kOuter + length))));
  }
  EXPECT_TRUE(comes_to("malformed", malformed + kSiteHeader + 14));

  for (int n = 0; n < 100; ++n) {
    send(frame_);
    send(beacon_);
  }
  EXPECT_TRUE(comes_to("replay", 200));

  Bytes changed = frame_;
  changed[kBody + 4] ^= std::byte{1};
  store_be(std::span(changed), kBody + 20, std::uint64_t{1} << 40);  // a number that would be taken
  send(as_second(changed));
  EXPECT_TRUE(comes_to("digest", 1));

  const std::uint64_t foreign = refused("foreign");
  changed = frame_;
  changed[kOption] ^= std::byte{1};  // another class
  send(as_second(changed));
  changed = frame_;
  changed[kOption + 2] = std::byte{0x82};  // another type
  send(as_second(changed));
  changed = frame_;
  changed[kOuter + 4] ^= std::byte{1};  // another site
  send(as_second(changed));
  EXPECT_TRUE(comes_to("foreign", foreign + 3));

  changed = frame_;
  changed[kBody] = std::byte{9};
  send(as_second(changed));
  EXPECT_TRUE(comes_to("version", 1));
  const std::uint64_t source = refused("source");
  send(with_content({frame_.begin() + kOuter, frame_.end()}, "192.0.2.100"));
  EXPECT_TRUE(comes_to("source", source + 1));
  changed = beacon_;
  store_be(std::span(changed), kBody + 12, std::uint64_t{1});  // of an earlier life
  send(as_second(changed));
  store_be(std::span(changed), kBody + 12, (std::uint64_t{1} << 61) - 1);  // of one in 2043
  send(as_second(changed));
  EXPECT_TRUE(comes_to("epoch", 2));

  across.finish();
  within_one.finish();
  EXPECT_EQ(across.lost(), 0U) << "of " << across.sent() << "; at the sender's gateway "
                               << lab_->status(1)["totals"]["dropped"] << ", at the receiver's "
                               << lab_->status(0)["totals"]["dropped"];
  EXPECT_EQ(within_one.lost(), 0U) << "of " << within_one.sent();
  EXPECT_TRUE(eventually([this] { return lab_->status(0)["totals"]["held"] == 0; }));
  const nlohmann::json status = lab_->status(0);
  EXPECT_TRUE(status["totals"]["balanced"]);
  EXPECT_EQ(lab_->state(0, 1), "here");
  EXPECT_EQ(status["site"]["received"], lab_->status(1)["site"]["sent"]) << "frames that nobody has sent";
  record({"Random, truncated, repeated and altered packets at a gateway's tunnel, also with another gateway's address",
          "Counted by cause; none becomes a frame, and none is lost",
          fmt::format("{} packets: {}; 0 of {} frames across and 0 of {} beside lost", sent_,
                      status["site"]["refused"].dump(), across.sent(), within_one.sent())});
}

}  // namespace
}  // namespace hilgate::test
