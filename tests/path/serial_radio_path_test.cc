// SPDX-License-Identifier: Apache-2.0
// The SiK profile as a vehicle and a ground station meet it, through the whole path in simulated time.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "netsim_link/embedded/embedded_netsim.h"
#include "path/ports/serial_payload.h"
#include "rf_profiles/phy/serial_timing.h"
#include "rf_profiles/profile/profile_loader.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSikProfile = HILGATE_SOURCE_DIR "/rf_profiles/profiles/sik_915_64k.yaml";
constexpr std::uint32_t kParameters = 1'348;

TEST(SerialPayload, IsTheDataOfDatagramsAndStreams) {
  const Layer2 plain{.destination = mac_of(2), .source = mac_of(1), .tags = {}};
  const Layer2 tagged{.destination = mac_of(2), .source = mac_of(1), .tags = {VlanTag{}}};
  const auto bytes_of = [](const Bytes& frame, std::uint32_t header = 14) {
    return serial_payload(frame, static_cast<std::uint32_t>(frame.size()), header);
  };
  const Layer3 v6{.source = "fd77::1", .destination = "fd77::2"};
  EXPECT_EQ(bytes_of(ip_frame(plain, {}, 17, udp(payload(41)))), 41U);
  EXPECT_EQ(bytes_of(ip_frame(tagged, {}, 17, udp(payload(41))), 18), 41U);
  EXPECT_EQ(bytes_of(ip_frame(plain, {.options = Bytes(8, 1)}, 17, udp(payload(41)))), 41U);
  EXPECT_EQ(bytes_of(ip_frame(plain, v6, 17, udp(payload(41)))), 41U);
  EXPECT_EQ(bytes_of(ip_frame(plain, {}, 6, tcp(payload(41), 12))), 41U);
  EXPECT_EQ(bytes_of(ip_frame(plain, {}, 6, tcp({}, 12))), 0U) << "an acknowledgement";
  EXPECT_EQ(bytes_of(ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}, .pad_to = 60}, {}, 17,
                              udp(payload(3)))),
            3U);
  EXPECT_EQ(bytes_of(arp_request(plain, 1, 2)), 0U);
  EXPECT_EQ(bytes_of(ip_frame(plain, {}, 1, icmp(payload(56), 8))), 20U + 8 + 56) << "no serial port has it";
  EXPECT_EQ(bytes_of(ethernet(plain, 0x88B5, payload(70))), 70U);
}

// A vehicle (robot 0) and a ground station (robot 1) with SiK radios.
class SerialRadioPathTest : public testing::Test {
 protected:
  SerialRadioPathTest() {
    const auto radio = std::make_shared<const RadioProfile>(load_radio_profile(kSikProfile));
    PathSettings settings = plain_settings(2);
    settings.air = EmbeddedNetsim({radio, radio}, {}, 1).air_plan();
    rig = std::make_unique<GatewayRig>(settings);
    rig->ports[1]->keep_bytes = true;
    rig->publish({});
    rig->iterate();
  }
  // One message a datagram, of a type and a number.
  void say(std::uint32_t type, std::uint32_t number, std::size_t bytes) {
    Bytes data(bytes, 0);
    data[0] = static_cast<std::byte>(type);
    put16(data, 1, static_cast<std::uint16_t>(number));
    rig->arrive(0, ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}}, {}, 17, udp(data, 14'550)));
  }
  struct Heard {
    HostTime at;
    std::uint32_t type;
    std::uint32_t number;
    std::size_t bytes;
  };
  std::vector<Heard> heard() {
    std::vector<Heard> all;
    for (const Sent& frame : rig->sent(1)) {
      const std::size_t size = serial_payload(frame.bytes, frame.length, 14);
      all.push_back({frame.at, std::to_integer<std::uint32_t>(frame.bytes[42]), get16(frame.bytes, 43), size});
    }
    return all;
  }
  [[nodiscard]] double free_share() const {
    return 1 - static_cast<double>(rig->path->parts().medium.queued_bytes(RobotSlot{0})) / 1850;
  }

  std::unique_ptr<GatewayRig> rig;
};

TEST_F(SerialRadioPathTest, ArpStaysWithTheGateway) {
  rig->ports[0]->keep_bytes = true;
  rig->arrive(0, arp_request({.destination = kBroadcast, .source = mac_of(1), .tags = {}}, 1, 2));
  rig->run(300ms, 1ms);
  EXPECT_EQ(rig->sent(0).size(), 1U);
  EXPECT_TRUE(rig->sent(1).empty());
  EXPECT_EQ(rig->dropped(DropReason::kAnswered), 1U);
  EXPECT_EQ(rig->path->parts().medium.busy(0), 0ns);
}

TEST_F(SerialRadioPathTest, HeadersTakeNoTimeOnTheAir) {
  say(0, 0, 40);
  rig->run(300ms, 1ms);
  EXPECT_EQ(rig->sent(1).size(), 1U);
  const Nanoseconds byte = Nanoseconds{1s} * 8 / 55'556;
  const Nanoseconds expected = 1'792us + (2 + 40) * byte;
  EXPECT_LT(std::chrono::abs(rig->path->parts().medium.busy(0) - expected), 1us);
}

TEST_F(SerialRadioPathTest, MessagesOfOneRadioFrameAreLostTogether) {
  LinkState noisy;
  noisy.unicast = noisy.multicast = hazard_of(2e-4);  // 242 bytes: 32 %
  rig->publish(noisy);
  constexpr int kBatches = 400;
  for (int batch = 0; batch < kBatches; ++batch) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      say(i, static_cast<std::uint32_t>(batch), 40);
    }
    rig->run(236'800us, 1'850us);  // a round: they all find the same slot
  }
  std::map<std::uint32_t, int> by_batch;
  for (const Heard& one : heard()) {
    ++by_batch[one.number];
  }
  for (const auto& [batch, count] : by_batch) {
    EXPECT_EQ(count, 6) << batch;
  }
  const double lost = 1 - static_cast<double>(by_batch.size()) / kBatches;
  EXPECT_NEAR(lost, 1 - std::pow(1 - 2e-4, 8 * 242), 0.08);
  EXPECT_EQ(rig->dropped(DropReason::kLostOnAir), 6 * (kBatches - by_batch.size()));
}

// A scripted vehicle as ArduPilot was seen: streams of 4 Hz that slow down by RADIO_STATUS (GCS_MAVLINK,
// handle_radio_status), parameters at up to 30 % of a port of 57 600 baud, the missing ones asked for again.
TEST_F(SerialRadioPathTest, ParametersAndStreamsGetTheRadiosRate) {
  constexpr std::uint32_t kStreams = 24;
  constexpr std::size_t kParameterBytes = 37;
  constexpr auto kSlot = 10ms;
  std::set<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < kParameters; ++i) {
    wanted.insert(i);
  }
  std::uint32_t next = 0;
  double parameter_bytes = 0;
  auto slowdown = 0ms;
  Nanoseconds since_streams{0};
  HostTime done{};
  const HostTime start = rig->clock.now();
  std::size_t read = 0;
  for (int step = 0; rig->clock.now() < start + 120s && !wanted.empty(); ++step) {
    if (step % 100 == 0) {  // RADIO_STATUS
      const double free = 100 * free_share();
      slowdown += free < 20 ? 60ms : free < 50 ? 20ms : free > 95 ? -40ms : free > 90 ? -20ms : 0ms;
      slowdown = std::clamp(slowdown, 0ms, 2'000ms);
    }
    since_streams += kSlot;
    if (since_streams >= 250ms + slowdown) {
      since_streams = Nanoseconds{0};
      for (std::uint32_t type = 1; type <= kStreams; ++type) {
        say(type, 0, 20 + type);
      }
    }
    parameter_bytes += 0.3 * 5'760 * 0.010;
    while (parameter_bytes > kParameterBytes && !wanted.empty()) {
      parameter_bytes -= kParameterBytes;
      const auto missing = wanted.lower_bound(next);
      next = missing != wanted.end() ? *missing : *wanted.begin();
      say(0, next++, kParameterBytes);
    }
    rig->run(kSlot, 1ms);
    const auto& sent = rig->sent(1);
    for (; read < sent.size(); ++read) {
      if (sent[read].bytes[42] == std::byte{0}) {
        wanted.erase(get16(sent[read].bytes, 43));
      }
    }
    done = rig->clock.now();
  }
  EXPECT_TRUE(wanted.empty()) << wanted.size() << " parameters missing";
  double bytes = 0;
  std::map<std::uint32_t, int> by_type;
  for (const Heard& one : heard()) {
    bytes += static_cast<double>(one.bytes);
    ++by_type[one.type];
  }
  const double seconds = std::chrono::duration<double>(done - start).count();
  const double own = SikRound(64).throughput_bps() / 8;
  EXPECT_GT(bytes / seconds, 0.85 * own);
  EXPECT_LT(seconds, 60);
  ASSERT_EQ(by_type.size(), kStreams + 1);
  double mean = 0;
  for (std::uint32_t type = 1; type <= kStreams; ++type) {
    mean += by_type[type] / static_cast<double>(kStreams);
  }
  for (std::uint32_t type = 1; type <= kStreams; ++type) {
    EXPECT_GT(by_type[type], 0.6 * mean) << type;
  }
}

}  // namespace
}  // namespace hilgate::test
