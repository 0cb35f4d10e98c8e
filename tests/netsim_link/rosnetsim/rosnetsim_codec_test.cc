// SPDX-License-Identifier: Apache-2.0
// ROS-NetSim's network link from both ends: the coordinator's rules on one, the drop-in simulator's on the other.
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"

#include <limits>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "physics_link/rosnetsim/rosnetsim_physics_codec.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kRed = 0xC0A80001;
constexpr std::uint32_t kBlue = 0xC0A80002;
constexpr std::uint32_t kGreen = 0xC0A80003;

RosNetSimNetworkOptions options() {
  return {.robot_ips = {kRed, kBlue, kGreen}, .window = 10ms};
}

Step step(std::uint64_t number) {
  return {
      .window = number, .number = number, .from = SimTime{10ms * static_cast<std::int64_t>(number)}, .length = 10ms};
}

rosnetsim::NetworkUpdate unpacked(const std::string& body) {
  Gzip gzip;
  std::string plain;
  EXPECT_FALSE(gzip.unpack(body, plain));
  rosnetsim::NetworkUpdate update;
  EXPECT_FALSE(rosnetsim::decode(plain, update));
  return update;
}

std::string packed(const rosnetsim::NetworkUpdate& update) {
  Gzip gzip(9);  // Python's default
  std::string plain;
  rosnetsim::encode(update, false, plain);
  std::string body;
  gzip.pack(plain, body);
  return body;
}

class Coordinator : public testing::Test {
 protected:
  rosnetsim::NetworkUpdate ask(const NetworkQuestion& question) {
    std::string body;
    codec_.encode_begin(question, body);
    return unpacked(body);
  }
  MaybeFault answer(const rosnetsim::NetworkUpdate& update) { return codec_.decode_end(packed(update), answer_); }

  RosNetSimNetworkCodec codec_{options()};
  NetworkAnswer answer_;
};

TEST_F(Coordinator, OffersPacketsByIdAddressesAndIpLength) {
  std::vector<CapturedPacket> packets(3);
  packets[0] = {
      .id = 5, .sender = RobotIndex{0}, .receiver = RobotIndex{1}, .length = 98, .src_ip = kRed, .dst_ip = kBlue};
  packets[1] = {.id = 6, .sender = RobotIndex{1}, .length = 60};
  packets[2] = {.id = 7, .sender = RobotIndex{1}, .receiver = RobotIndex{2}, .length = 60};
  const auto update = ask({.step = step(3), .packets = packets});
  EXPECT_FALSE(update.end);
  EXPECT_EQ(update.window, 3U);
  EXPECT_EQ(update.channel_data, "") << "absent until physics has answered";
  ASSERT_EQ(update.offered.size(), 3U);
  EXPECT_EQ(update.offered[0].key, (rosnetsim::PacketKey{5, kRed, kBlue}));
  EXPECT_EQ(update.offered[0].length, 84U);
  EXPECT_EQ(update.offered[1].key, (rosnetsim::PacketKey{6, kBlue, 0xFFFFFFFF})) << "a broadcast";
  EXPECT_EQ(update.offered[2].key, (rosnetsim::PacketKey{7, kBlue, kGreen})) << "not IPv4: the robots' addresses";
}

TEST_F(Coordinator, OffersPacketsOfOtherAddressesUnderTheirRobots) {
  std::vector<CapturedPacket> packets(1);
  packets[0] = {
      .id = 5, .sender = RobotIndex{0}, .receiver = RobotIndex{1}, .src_ip = 0x7F000001, .dst_ip = 0x08080808};
  const auto update = ask({.step = step(3), .packets = packets});
  EXPECT_EQ(update.offered[0].key, (rosnetsim::PacketKey{5, kRed, kBlue})) << "routed by blue";
}

TEST_F(Coordinator, PassesTheBytesOfPhysicsOnUntouchedAndKeepsThem) {
  const PeerPayload payload{.form = PeerPayload::Form::kRosNetSimChannels, .bytes = "opaque"};
  EXPECT_EQ(ask({.step = step(0), .payload = &payload, .fresh = true}).channel_data, "opaque");
  EXPECT_EQ(ask({.step = step(1), .payload = &payload}).channel_data, "opaque") << "the last stored bytes";
}

TEST_F(Coordinator, WritesChannelDataForPhysicsOfAnotherKind) {
  Scene scene;
  scene.robots.resize(3);
  scene.sights.resize(3);
  scene.robots[2].position = {1, 2, 3};
  const auto update = ask({.step = step(0), .scene = &scene, .fresh = true});
  Gzip gzip;
  std::string plain;
  ASSERT_FALSE(gzip.unpack(update.channel_data, plain)) << "gzip in gzip";
  Scene back;
  ASSERT_FALSE(rosnetsim::decode_channels(plain, 3, rosnetsim::SightRule::kTwoHops, back));
  EXPECT_EQ(back.robots[2].position, (Vec3{1, 2, 3}));
}

TEST_F(Coordinator, ReleasesByEntryAndClears) {
  std::vector<CapturedPacket> packets(1);
  packets[0] = {.id = 9, .sender = RobotIndex{0}, .length = 60};
  ask({.step = step(4), .packets = packets});
  rosnetsim::NetworkUpdate end{.end = true, .window = 4};
  const rosnetsim::PacketKey key{9, kRed, 0xFFFFFFFF};
  end.delivered = {{.key = key, .rx_ip = kBlue, .ber = 1e-5}, {.key = key, .rx_ip = kGreen, .ber = 1}};
  end.cleared = {key};
  EXPECT_FALSE(answer(end));
  ASSERT_EQ(answer_.verdicts.size(), 2U);
  EXPECT_EQ(
      answer_.verdicts[0],
      (Verdict{.packet = 9, .receiver = RobotIndex{1}, .release_at = SimTime{50ms}, .ber = 1e-5, .at_once = true}))
      << "released as the END is read, and not at the end of its step";
  EXPECT_EQ(answer_.verdicts[1].drop, AirDrop::kBitErrors) << "a rate of 1 is the wire's way to drop";
  EXPECT_THAT(answer_.forget, ElementsAre(9));
}

TEST_F(Coordinator, ReportsInvalidRatesAndReceivers) {
  ask({.step = step(0)});
  for (const double ber : {-0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    rosnetsim::NetworkUpdate end{.end = true};
    end.delivered = {{.key = {0, kRed, kBlue}, .rx_ip = kBlue, .ber = ber}};
    const MaybeFault fault = answer(end);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->error, ProtocolError::kBadValue);
    EXPECT_THAT(fault->detail, HasSubstr("for packet 0; the packet is dropped"));
    EXPECT_EQ(answer_.verdicts[0].drop, AirDrop::kBitErrors);
  }
  rosnetsim::NetworkUpdate end{.end = true};
  end.delivered = {{.key = {0, kRed, kBlue}, .rx_ip = 0x01020304, .ber = 0}};
  EXPECT_EQ(answer(end)->detail,
            "packet 0 for receiver 1.2.3.4, which is no robot's address; the robots have 192.168.0.1, 192.168.0.2, "
            "192.168.0.3");
  EXPECT_TRUE(answer_.verdicts.empty());
}

TEST_F(Coordinator, AnEndForAnotherWindowCountsAndIsReportedOnce) {
  std::vector<CapturedPacket> packets(1);
  packets[0] = {.id = 9, .sender = RobotIndex{0}, .receiver = RobotIndex{1}, .length = 60};
  for (const std::uint64_t number : {7, 8}) {
    ask({.step = step(number), .packets = packets});
    rosnetsim::NetworkUpdate end{.end = true, .window = 5};
    end.delivered = {{.key = {9, kRed, kBlue}, .rx_ip = kBlue, .ber = 0}};
    const MaybeFault fault = answer(end);
    EXPECT_EQ(fault.has_value(), number == 7);
    if (fault) {
      EXPECT_TRUE(is_soft(fault->error));
      EXPECT_THAT(fault->detail, HasSubstr("END with time_val 5 in answer to window 7; it is taken for the answer"));
    }
    EXPECT_EQ(answer_.verdicts.size(), 1U);
  }
  RosNetSimNetworkOptions compat = options();
  compat.check_window = false;
  RosNetSimNetworkCodec lenient(compat);
  std::string body;
  lenient.encode_begin({.step = step(7)}, body);
  EXPECT_FALSE(lenient.decode_end(packed({.end = true, .window = 6}), answer_)) << "as the reference coordinator";
}

TEST_F(Coordinator, ABeginIsNoAnswer) {
  ask({.step = step(7)});
  const MaybeFault fault = answer({.window = 7});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kUnexpected);
  EXPECT_EQ(fault->detail, "BEGIN for window 7; expected END for window 7");
}

TEST_F(Coordinator, IdsBeyondTheWiresThirtyTwoBitsFindTheirPackets) {
  const std::uint64_t base = (1ULL << 32) - 1;
  std::vector<CapturedPacket> packets(2);
  packets[0].id = base;
  packets[1].id = base + 1;
  const auto update = ask({.step = step(0), .packets = packets});
  EXPECT_EQ(update.offered[1].key.id, 0U);
  rosnetsim::NetworkUpdate end{.end = true};
  for (const auto& offered : update.offered) {
    end.delivered.push_back({.key = offered.key, .rx_ip = kBlue, .ber = 0});
  }
  EXPECT_FALSE(answer(end));
  EXPECT_EQ(answer_.verdicts[0].packet, base);
  EXPECT_EQ(answer_.verdicts[1].packet, base + 1);
}

// Everything arrives 5 ms after its capture, with a bit error rate of 1e-6; the third robot hears nobody.
class FixedNetwork final : public NetworkSimulator {
 public:
  void open(Listener listener) override { listener_ = std::move(listener); }
  void begin(const NetworkQuestion& question) override {
    NetworkAnswer answer;
    for (const CapturedPacket& packet : question.packets) {
      for (const RobotIndex receiver : {RobotIndex{0}, RobotIndex{1}}) {
        if (question.scene != nullptr && receiver != packet.sender && packet.receiver.value_or(receiver) == receiver) {
          answer.verdicts.push_back(
              {.packet = packet.id, .receiver = receiver, .release_at = packet.captured + 5ms, .ber = 1e-6});
        }
      }
      answer.forget.push_back(packet.id);
    }
    listener_.ended(answer);
  }
  void close() override {}

 private:
  Listener listener_;
};

// An external coordinator asks; a simulator of ours answers through the codec.
class DropIn : public testing::Test {
 protected:
  DropIn() {
    simulator_.open({.ready = [] {},
                     .ended = [this](NetworkAnswer& answer) { codec_.encode_end(answer, body_); },
                     .failed = [](const std::string&) {}});
    Scene scene;
    scene.robots.resize(3);
    scene.sights.resize(3);
    std::string plain;
    rosnetsim::encode_channels(scene, plain);
    Gzip gzip;
    gzip.pack(plain, channels_);
  }
  rosnetsim::NetworkUpdate window(std::uint32_t number, std::vector<rosnetsim::Offered> offered) {
    rosnetsim::NetworkUpdate begin{.window = number, .channel_data = channels_, .offered = std::move(offered)};
    EXPECT_FALSE(codec_.decode_begin(packed(begin), question_));
    simulator_.begin({.step = question_.step,
                      .packets = question_.packets,
                      .scene = question_.has_scene ? &question_.scene : nullptr,
                      .fresh = question_.fresh});
    return unpacked(body_);
  }

  FixedNetwork simulator_;
  RosNetSimNetworkCodec codec_{options()};
  ReceivedNetworkQuestion question_;
  std::string channels_;
  std::string body_;
};

TEST_F(DropIn, ListsAPacketInTheWindowInWhichItArrives) {
  // Captured before window 5, which lasts from 50 to 60 ms: 5 ms later is within it.
  const rosnetsim::PacketKey key{1, kRed, kBlue};
  const auto end = window(5, {{.key = key, .length = 84}});
  EXPECT_TRUE(end.end);
  EXPECT_EQ(end.window, 5U) << "it echoes the counter";
  ASSERT_EQ(end.delivered.size(), 1U);
  EXPECT_EQ(end.delivered[0].rx_ip, kBlue);
  EXPECT_NEAR(end.delivered[0].ber, 1e-6, 1e-10);
  EXPECT_FALSE(end.delivered[0].release_ns) << "only to who understands it";
  EXPECT_THAT(end.cleared, ElementsAre(key));
}

// The window in whose END a packet of window 5 is listed that is to arrive `delay` later.
std::uint32_t listed_in(Nanoseconds delay, Listing listing, std::optional<std::int64_t> captured_ns = {}) {
  RosNetSimNetworkOptions exact = options();
  exact.extensions = true;
  exact.listing = listing;
  RosNetSimNetworkCodec codec(exact);
  ReceivedNetworkQuestion question;
  const rosnetsim::PacketKey key{1, kRed, kBlue};
  const rosnetsim::NetworkUpdate begin{.window = 5,
                                       .offered = {{.key = key, .length = 84, .captured_ns = captured_ns}}};
  std::string plain, body;
  rosnetsim::encode(begin, captured_ns.has_value(), plain);
  Gzip(9).pack(plain, body);
  for (std::uint32_t number = 5; number < 20; ++number) {
    EXPECT_FALSE(codec.decode_begin(body, question));
    NetworkAnswer answer;
    if (number == 5) {
      const SimTime due = question.packets.at(0).captured + delay;
      answer.verdicts = {{.packet = 1, .receiver = RobotIndex{1}, .release_at = due}};
      answer.forget = {1};
    }
    codec.encode_end(answer, body);
    const rosnetsim::NetworkUpdate end = unpacked(body);
    EXPECT_EQ(end.delivered.size(), end.cleared.size()) << "its frame is needed until then";
    if (!end.delivered.empty()) {
      const auto due = captured_ns ? std::make_optional(*captured_ns + delay.count()) : std::nullopt;
      EXPECT_EQ(end.delivered[0].release_ns, due) << "only to who understands it";
      return number;
    }
    body = packed({.window = number + 1});
  }
  return 0;
}

TEST_F(DropIn, HoldsAPacketBackUntilItsWindow) {
  EXPECT_EQ(listed_in(5ms, Listing::kInStep), 5U);
  EXPECT_EQ(listed_in(15ms, Listing::kInStep), 6U);
}

// A coordinator reads the END of window k as k begins, at the earliest.
TEST_F(DropIn, ListsNoPacketEarlyOnRequest) {
  EXPECT_EQ(listed_in(0ms, Listing::kNotEarly), 5U);
  EXPECT_EQ(listed_in(10ms, Listing::kNotEarly), 6U);
  EXPECT_EQ(listed_in(15ms, Listing::kNotEarly), 7U);
  EXPECT_EQ(listed_in(40ms, Listing::kNotEarly), 9U);
  EXPECT_EQ(listed_in(100ms, Listing::kNotEarly), 15U);
}

TEST_F(DropIn, SendsReleaseTimesForCaptureTimes) {
  EXPECT_EQ(listed_in(15ms, Listing::kNotEarly, 49'000'000), 6U);
  EXPECT_EQ(listed_in(9ms, Listing::kInStep, 49'000'000), 5U);
}

TEST_F(DropIn, BroadcastReachesReceiversInRange) {
  const rosnetsim::PacketKey key{1, kRed, 0xFFFFFFFF};
  const auto end = window(5, {{.key = key, .length = 84}});
  ASSERT_EQ(end.delivered.size(), 1U) << "the third robot is out of reach";
  EXPECT_EQ(end.delivered[0].rx_ip, kBlue);
}

TEST_F(DropIn, PacketsOfUnknownRobotsAreDroppedAndNamed) {
  const rosnetsim::PacketKey stranger{1, 0x0A4D0001, kBlue};
  const rosnetsim::PacketKey afar{2, kRed, 0x0A4D0002};
  const rosnetsim::NetworkUpdate begin{
      .window = 5, .channel_data = channels_, .offered = {{.key = stranger}, {.key = afar}}};
  const MaybeFault fault = codec_.decode_begin(packed(begin), question_);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(is_soft(fault->error));
  EXPECT_EQ(fault->detail,
            "packet 1 from 10.77.0.1 to 192.168.0.2: the robots here have 192.168.0.1, 192.168.0.2, 192.168.0.3; it "
            "reaches no robot");
  EXPECT_TRUE(question_.packets.empty());
  codec_.encode_end(NetworkAnswer{}, body_);
  EXPECT_THAT(unpacked(body_).cleared, ElementsAre(stranger, afar)) << "nobody keeps them";
  EXPECT_EQ(codec_.shortcoming(),
            "2 of 2 packets were not from and to the robots' addresses, 192.168.0.1, 192.168.0.2, 192.168.0.3, and "
            "reached no robot; the first was from 10.77.0.1 to 192.168.0.2");
  window(6, {{.key = {3, kRed, kBlue}, .length = 84}});
  EXPECT_THAT(codec_.shortcoming(), HasSubstr("2 of 3 packets were not from"));
}

TEST_F(DropIn, NoFrameIsReceivedBeforeTheFirstScene) {
  channels_.clear();
  const rosnetsim::PacketKey key{1, kRed, kBlue};
  const auto end = window(5, {{.key = key, .length = 84}});
  EXPECT_TRUE(end.delivered.empty());
  EXPECT_THAT(end.cleared, ElementsAre(key));
}

TEST(RosNetSimPhysicsLink, AnEndForAnotherWindowCountsAndIsReported) {
  RosNetSimPhysicsCodec simulator({.robots = 1, .window = 10ms});
  RosNetSimPhysicsCodec coordinator({.robots = 1});
  std::string body;
  coordinator.encode_begin({.step = step(5)}, body);
  ReceivedPhysicsQuestion question;
  ASSERT_FALSE(simulator.decode_begin(body, question));
  PhysicsAnswer answer;
  answer.has_scene = true;
  answer.scene.robots.resize(1);
  simulator.encode_end(answer, body);
  std::string begin;
  coordinator.encode_begin({.step = step(6)}, begin);
  PhysicsAnswer received;
  const MaybeFault fault = coordinator.decode_end(body, received);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(is_soft(fault->error));
  EXPECT_THAT(fault->detail, HasSubstr("END with time_val 5 in answer to window 6"));
  EXPECT_TRUE(received.has_scene);
}

TEST(RosNetSimPhysicsLink, NeverSendsAnEmptyBody) {
  RosNetSimPhysicsCodec codec({.robots = 1});
  std::string body;
  codec.encode_begin({}, body);
  EXPECT_EQ(body.size(), 20U) << "window 0 is an empty message, and a gzip member all the same";
}

}  // namespace
}  // namespace hilgate::test
