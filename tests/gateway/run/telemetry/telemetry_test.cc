// SPDX-License-Identifier: Apache-2.0
// The parts that hear MAVLink and tell robots of their links, without a gateway around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "frame/serial_frame.h"
#include "gateway/run/telemetry/heard_packet.h"
#include "gateway/run/telemetry/radio_statuses.h"
#include "gateway/run/telemetry/site_telemetry.h"
#include "physics_link/mavlink/messages.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

UdpEnds ends_v4() {
  return {mac_of(1), mac_of(2), ipv4_of(1), ipv4_of(2), 14555, 14550};
}
UdpEnds ends_v6() {
  return {mac_of(1), mac_of(2), ipv6_of(1), ipv6_of(2), 14555, 14550};
}
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// ---- to other gateways ----

std::string heartbeat_of(std::uint8_t system, std::uint8_t sequence) {
  const std::array<std::byte, 9> beat{};
  return mavlink::write_frame({.sequence = sequence, .system = system, .component = 1}, 0, 50, beat);
}

TEST(SiteTelemetry, SendsTheNewestOfEachKindOnce) {
  SiteTelemetry telemetry;
  std::string last;
  for (std::uint8_t i = 0; i < 5; ++i) {
    last = heartbeat_of(7, i);
    telemetry.note(RobotIndex{3}, SimTime{i * 1ms}, *mavlink::first_frame(std::as_bytes(std::span(last))));
  }
  const std::string other = heartbeat_of(8, 0);
  telemetry.note(RobotIndex{1}, SimTime{9ms}, *mavlink::first_frame(std::as_bytes(std::span(other))));
  const std::vector<std::string> texts = telemetry.take();
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(telemetry.take().empty());
  const auto heard = SiteTelemetry::read(texts[0]);
  ASSERT_TRUE(heard);
  ASSERT_EQ(heard->size(), 2U);
  EXPECT_EQ((*heard)[0].from, RobotIndex{1});
  EXPECT_EQ((*heard)[1].from, RobotIndex{3});
  EXPECT_EQ((*heard)[1].at, SimTime{4ms});
  EXPECT_EQ(text_of((*heard)[1].frame), last);
}

TEST(SiteTelemetry, ARobotOfManySystemsHasItsShareAndNoMore) {
  SiteTelemetry telemetry;
  for (unsigned system = 1; system < 256; ++system) {
    for (std::uint32_t robot = 0; robot < 40; ++robot) {
      const std::string frame = heartbeat_of(static_cast<std::uint8_t>(system), 0);
      telemetry.note(RobotIndex{robot}, SimTime{}, *mavlink::first_frame(std::as_bytes(std::span(frame))));
    }
  }
  std::size_t count = 0;
  for (const std::string& text : telemetry.take()) {
    EXPECT_LE(text.size(), 55'000U);
    count += SiteTelemetry::read(text).value().size();
  }
  EXPECT_EQ(count, 40 * SiteTelemetry::kMostOfRobot);
}

TEST(SiteTelemetry, InvalidTextIsRefused) {
  SiteTelemetry telemetry;
  const std::string frame = heartbeat_of(7, 0);
  telemetry.note(RobotIndex{3}, SimTime{}, *mavlink::first_frame(std::as_bytes(std::span(frame))));
  const std::string text = telemetry.take()[0];
  for (std::size_t length = 1; length < text.size(); ++length) {
    EXPECT_FALSE(SiteTelemetry::read(text.substr(0, length))) << length;
  }
  EXPECT_FALSE(SiteTelemetry::read("x" + text.substr(1)));
  EXPECT_FALSE(SiteTelemetry::read(std::string(60'000, '0')));
}

// ---- datagrams ----

TEST(UdpFrame, RoundTripsWithRightChecksums) {
  for (const UdpEnds& ends : {ends_v4(), ends_v6()}) {
    for (const std::size_t size : {0U, 1U, 17U, 18U, 1200U, 1452U}) {
      const std::string data(size, 'x');
      const Bytes frame = udp_frame(ends, data);
      EXPECT_GE(frame.size(), 60U);
      EXPECT_LE(frame.size(), 1514U);
      const auto packet = read_overheard(frame);
      ASSERT_TRUE(packet);
      EXPECT_EQ(packet->ends, ends);
      EXPECT_EQ(text_of(packet->data), data) << "padding is no data";
      EXPECT_FALSE(packet->in_stream);
      EXPECT_FALSE(packet->tagged);
      EXPECT_TRUE(transport_checksum_right(frame));
      if (ends.to.is_v4()) {
        EXPECT_EQ(ones_sum(std::span(frame).subspan(14, 20)), 0xFFFF);
      }
    }
  }
}

TEST(HeardPacket, FindsTheBytesOfASerialLine) {
  const auto header = serial_header(PortSlot{4}, kLineStream);
  Bytes frame(header.begin(), header.end());
  const Bytes data = payload(40);
  frame.insert(frame.end(), data.begin(), data.end());
  const auto packet = read_overheard(frame);
  ASSERT_TRUE(packet);
  EXPECT_TRUE(packet->on_line);
  EXPECT_TRUE(packet->in_stream);
  EXPECT_EQ(packet->ends.from_mac, serial_mac(PortSlot{4}));
  EXPECT_EQ(Bytes(packet->data.begin(), packet->data.end()), data);
}

TEST(LineStatuses, ReportAfterEachHeartbeatAndForgetAPeerThatIsOutOfRange) {
  LineStatuses lines;
  RadioPair pair;
  pair.heard = pair.heard_there = {.reachable = true, .has_radio = true, .rssi_dbm = -80, .snr_db = 20};
  SimTime now{10s};
  std::vector<std::string> sent;
  bool room = true;
  const auto send_due = [&] {
    lines.send_due(
        [&](RobotIndex, LineStatuses::Host& host) {
          host.note(pair, pair.heard.reachable, now);
          return true;
        },
        [&](RobotIndex, const std::string& message) {
          sent.push_back(message);
          return room;
        });
  };
  send_due();
  EXPECT_TRUE(sent.empty()) << "the host is silent";
  lines.heartbeat(RobotIndex{1}, mavlink::Version::k1);
  send_due();
  send_due();
  ASSERT_EQ(sent.size(), 1U);
  const auto frame = mavlink::first_frame(std::as_bytes(std::span(sent[0])));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->version, mavlink::Version::k1) << "as the host speaks";
  EXPECT_EQ(frame->system, 51);
  EXPECT_EQ(frame->component, 68);
  const LineStatuses::Host& host = lines.hosts().at(RobotIndex{1});
  EXPECT_EQ(host.status.remrssi, mavlink::sik_level(-80));
  pair.heard.reachable = false;
  now += 2s;
  lines.heartbeat(RobotIndex{1}, mavlink::Version::k2);
  send_due();
  EXPECT_EQ(host.status.remrssi, mavlink::sik_level(-80)) << "not yet";
  now += 1s;
  room = false;
  lines.heartbeat(RobotIndex{1}, mavlink::Version::k2);
  send_due();
  EXPECT_EQ(host.status.remrssi, 0);
  EXPECT_EQ(host.status.remnoise, 0);
  EXPECT_EQ(host.sent, 2U);
  EXPECT_EQ(host.refused, 1U);
}

TEST(HeardPacket, FindsDataBehindOptionsOfTcpAndTags) {
  const Bytes data = payload(30);
  const Bytes frame = ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {VlanTag{}}},
                               {.options = Bytes(8, 1)}, 6, tcp(data, 12));
  const auto packet = read_overheard(frame);
  ASSERT_TRUE(packet);
  EXPECT_TRUE(packet->in_stream);
  EXPECT_TRUE(packet->tagged);
  EXPECT_EQ(Bytes(packet->data.begin(), packet->data.end()), data);
}

TEST(HeardPacket, CutAnywhereIsReadWithinItsBytes) {
  const Bytes frame =
      ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}}, {}, 6, tcp(payload(30), 20));
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const std::vector<std::byte> cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    if (const auto packet = read_overheard(cut); packet && !packet->data.empty()) {
      EXPECT_LE(packet->data.data() + packet->data.size(), cut.data() + cut.size());
    }
  }
}

TEST(HeardRobots, AreIdentifiedByAddressOrPort) {
  Configuration configuration;
  configuration.robots.resize(2);
  configuration.robots[0].name = "red";
  configuration.robots[0].port = PortIndex{0};
  configuration.robots[0].macs = {mac_of(1)};
  configuration.robots[1].name = "blue";
  configuration.robots[1].port = PortIndex{1};
  HeardRobots robots(configuration);
  EXPECT_EQ(robots.sender(PortIndex{0}, mac_of(1)), RobotIndex{0});
  EXPECT_EQ(robots.sender(PortIndex{0}, mac_of(9)), std::nullopt);
  EXPECT_EQ(robots.owner(mac_of(7)), std::nullopt);
  EXPECT_EQ(robots.sender(PortIndex{1}, mac_of(7)), RobotIndex{1});
  EXPECT_EQ(robots.owner(mac_of(7)), RobotIndex{1});
  EXPECT_EQ(robots.owner(mac_of(1)), RobotIndex{0});
}

// ---- RADIO_STATUS ----

TEST(RadioStatus, PowersAreInStepsOfAboutHalfADecibel) {
  EXPECT_EQ(mavlink::sik_level(-127), 0);
  EXPECT_EQ(mavlink::sik_level(-200), 0);
  EXPECT_EQ(mavlink::sik_level(-60), 127);
  EXPECT_EQ(mavlink::sik_level(20), 254) << "255 means that it is unknown";
  EXPECT_EQ(mavlink::sik_level(-std::numeric_limits<double>::infinity()), 0);
}

TEST(RadioStatus, ReportsBothDirectionsErrorsAndTheQueue) {
  RadioPair pair{.heard = {.has_radio = true, .rssi_dbm = -60, .snr_db = 40},
                 .heard_there = {.has_radio = true, .rssi_dbm = -70, .snr_db = 25},
                 .in = {},
                 .out = {},
                 .queue_frames = 50};
  pair.in.dropped[static_cast<std::size_t>(DropReason::kRetriesSpent)] = 0x10001;
  pair.in.damaged = 2;
  pair.out.deliveries = 30;
  pair.out.released = 15;
  pair.out.dropped[static_cast<std::size_t>(DropReason::kQueueFull)] = 5;
  EXPECT_EQ(radio_status(pair),
            (mavlink::RadioStatus{
                .rxerrors = 3, .fixed = 0, .rssi = 127, .remrssi = 108, .txbuf = 80, .noise = 51, .remnoise = 61}));
  pair.out.deliveries = 1000;
  EXPECT_EQ(radio_status(pair).txbuf, 0);
}

TEST(RadioStatus, OfACableHasUnknownPowers) {
  const mavlink::RadioStatus status = radio_status({});
  EXPECT_EQ(status.rssi, 255);
  EXPECT_EQ(status.remnoise, 255);
  EXPECT_EQ(status.txbuf, 100);
}

class RadioStatusesTest : public testing::Test {
 protected:
  const RadioStatuses::Flow kToRed{RobotIndex{0}, RobotIndex{1}, ends_v4().reversed()};
  void send(SimTime now) {
    radios.send_due(
        now, [this](RobotIndex robot) { return wants.contains(robot); },
        [this](RobotIndex, RobotIndex) { return pair; },
        [this](RobotIndex robot, std::span<const std::byte> frame) {
          sent.emplace_back(robot, Bytes(frame.begin(), frame.end()));
          return room;
        });
  }
  mavlink::Frame frame_in(std::size_t i) {
    const auto packet = read_overheard(sent.at(i).second);
    EXPECT_TRUE(packet);
    const auto frame = mavlink::first_frame(packet->data);
    EXPECT_TRUE(frame);
    EXPECT_EQ(mavlink::check(*frame), mavlink::Checksum::kRight);
    return *frame;
  }

  RadioStatuses radios;
  std::set<RobotIndex> wants{RobotIndex{0}, RobotIndex{1}};
  std::vector<std::pair<RobotIndex, Bytes>> sent;
  bool room = true;
  RadioPair pair;
};

TEST_F(RadioStatusesTest, AreSentToBothEndsInThePeersName) {
  send(SimTime{1s});
  EXPECT_TRUE(sent.empty()) << "nobody was heard";
  radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, SimTime{1s});
  send(SimTime{1s});
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].first, RobotIndex{0});
  EXPECT_EQ(read_overheard(sent[0].second)->ends, ends_v4().reversed());
  EXPECT_EQ(sent[1].first, RobotIndex{1});
  EXPECT_EQ(read_overheard(sent[1].second)->ends, ends_v4());
  EXPECT_EQ(frame_in(0).system, 51);
  EXPECT_EQ(frame_in(0).component, 68);
  EXPECT_EQ(frame_in(0).message, 109U);
}

TEST_F(RadioStatusesTest, AreSentOnceASecondInSequenceAndInTheReceivedVersion) {
  wants = {RobotIndex{0}};
  for (int i = 0; i < 300; ++i) {
    const SimTime now{1s + i * 10ms};
    radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k1, now);
    send(now);
  }
  ASSERT_EQ(sent.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(frame_in(i).sequence, i);
    EXPECT_EQ(frame_in(i).version, mavlink::Version::k1);
  }
  EXPECT_EQ(radios.flows().at(kToRed).sent, 3U);
}

TEST_F(RadioStatusesTest, EndWithTheLastReceivedHeartbeat) {
  wants = {RobotIndex{0}};
  radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, SimTime{1s});
  for (int i = 1; i < 60; ++i) {
    send(SimTime{i * 1s});
  }
  EXPECT_EQ(sent.size(), 10U);
}

TEST_F(RadioStatusesTest, ThatFindNoRoomAreCountedAndKeepTheirNumber) {
  wants = {RobotIndex{0}};
  room = false;
  radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, SimTime{1s});
  send(SimTime{1s});
  room = true;
  send(SimTime{2s});
  const auto peer = radios.flows().at(kToRed);
  EXPECT_EQ(peer.refused, 1U);
  EXPECT_EQ(peer.sent, 1U);
  EXPECT_EQ(frame_in(1).sequence, 0);
}

// A vehicle whose socket receives from two ground stations: it checks the sequence of the radio, not of each flow.
TEST_F(RadioStatusesTest, HaveOneSequenceForEachReceiver) {
  wants = {RobotIndex{0}};
  const UdpEnds other{mac_of(1), mac_of(3), ipv4_of(1), ipv4_of(3), 14'555, 14'551};
  for (int second = 1; second <= 4; ++second) {
    radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, SimTime{second * 1s});
    radios.note(RobotIndex{0}, RobotIndex{2}, other, mavlink::Version::k2, SimTime{second * 1s});
    send(SimTime{second * 1s});
  }
  ASSERT_EQ(sent.size(), 8U);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(frame_in(i).sequence, i);
  }
}

// PX4 reports a lost radio where a vehicle's second has no RADIO_STATUS.
TEST_F(RadioStatusesTest, ComeOnceASecondOfSimulationTime) {
  wants = {RobotIndex{0}};
  for (int i = 0; i < 300; ++i) {  // 3 s of simulation time, at 600 % of real time half a second of the host's
    radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, SimTime{i * 10ms});
    send(SimTime{i * 10ms});
  }
  EXPECT_EQ(sent.size(), 3U) << "the first at simulation time 0";
}

// An autopilot at 2 Hz beside a companion at 20 Hz.
TEST_F(RadioStatusesTest, GoToEveryFlowOfARobot) {
  wants = {RobotIndex{0}};
  UdpEnds companion = ends_v4();
  companion.from_port = 14'560;
  for (int i = 0; i < 120; ++i) {
    const SimTime now{1s + i * 50ms};
    if (i % 10 == 0) {
      radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, now);
    }
    radios.note(RobotIndex{0}, RobotIndex{1}, companion, mavlink::Version::k1, now);
    send(now);
  }
  std::map<std::uint16_t, int> by_port;
  for (const auto& [robot, frame] : sent) {
    ++by_port[read_overheard(frame)->ends.to_port];
  }
  EXPECT_EQ(by_port, (std::map<std::uint16_t, int>{{14'555, 6}, {14'560, 6}}));
}

TEST_F(RadioStatusesTest, OfManyFlowsTheOldestEnds) {
  for (std::uint16_t port = 1; port <= 1'000; ++port) {
    UdpEnds ends = ends_v4();
    ends.from_port = port;
    radios.note(RobotIndex{0}, RobotIndex{1}, ends, mavlink::Version::k2, SimTime{port * 1ms});
  }
  EXPECT_EQ(radios.flows().size(), 64U);
  UdpEnds newest = ends_v4();
  newest.from_port = 1'000;
  EXPECT_TRUE(radios.flows().contains({RobotIndex{1}, RobotIndex{0}, newest}));
}

// Robot 2 makes up as many flows as there are ports, to robot 1, which answers each.
TEST_F(RadioStatusesTest, EndlessFlowsOfOneSpeakerDoNotEvictOthers) {
  wants = {RobotIndex{0}};
  for (int second = 1; second <= 5; ++second) {
    const SimTime now{second * 1s};
    radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, now);
    for (std::uint16_t port = 1; port <= 1'000; ++port) {
      UdpEnds ends = ends_v4();
      ends.from_port = port;
      radios.note(RobotIndex{2}, RobotIndex{1}, ends, mavlink::Version::k2, now + port * 1us);
      radios.note(RobotIndex{1}, RobotIndex{2}, ends.reversed(), mavlink::Version::k2, now + port * 1us);
    }
    send(now + 500ms);
  }
  EXPECT_EQ(sent.size(), 5U);
  EXPECT_EQ(radios.flows().at(kToRed).sent, 5U);
  EXPECT_LE(radios.flows().size(), 2 * 64U + 2);
}

TEST_F(RadioStatusesTest, SpeakerWithMostFlowsIsEvicted) {
  for (std::uint16_t n = 0; n < 8'000; ++n) {
    UdpEnds ends = ends_v4();
    ends.from_port = n;
    radios.note(RobotIndex{n % 1000U}, RobotIndex{1'000}, ends, mavlink::Version::k2, SimTime{n * 1ms});
  }
  EXPECT_EQ(radios.flows().size(), 2048U);
  radios.note(RobotIndex{1'001}, RobotIndex{1'002}, ends_v4(), mavlink::Version::k2, SimTime{1s});
  EXPECT_TRUE(radios.flows().contains({RobotIndex{1'001}, RobotIndex{1'002}, ends_v4().reversed()}));
}

TEST_F(RadioStatusesTest, WithoutAPacketOfThePeerForThreeSecondsItIsForgotten) {
  wants = {RobotIndex{0}};
  pair.heard = {.reachable = true, .has_radio = true, .rssi_dbm = -80, .snr_db = 20};
  pair.heard_there = {.reachable = true, .has_radio = true, .rssi_dbm = -90, .snr_db = 10};
  std::vector<int> remote;
  for (int second = 1; second <= 9; ++second) {
    pair.heard.least_loss = second == 1 || second == 9 ? 0.5 : 1;
    radios.note(RobotIndex{0}, RobotIndex{1}, ends_v4(), mavlink::Version::k2, SimTime{second * 1s});
    send(SimTime{second * 1s});
    remote.push_back(radios.flows().at(kToRed).status.remrssi);
    EXPECT_EQ(radios.flows().at(kToRed).status.remnoise == 0, remote.back() == 0);
    EXPECT_EQ(radios.flows().at(kToRed).status.rssi, mavlink::sik_level(-80));
  }
  const int level = mavlink::sik_level(-90);
  EXPECT_EQ(remote, (std::vector<int>{level, level, level, 0, 0, 0, 0, 0, level}));
}

TEST_F(RadioStatusesTest, StreamsAreListedOnce) {
  EXPECT_TRUE(radios.note_stream(RobotIndex{0}, RobotIndex{1}));
  EXPECT_FALSE(radios.note_stream(RobotIndex{1}, RobotIndex{0}));
  EXPECT_FALSE(radios.note_stream(RobotIndex{0}, RobotIndex{1}));
  EXPECT_EQ(radios.streams().size(), 2U);
  send(SimTime{1s});
  EXPECT_TRUE(sent.empty());
}

// ---- JSON ----

TEST(RssiFeed, HasBothWaysOfEveryLink) {
  const auto datagrams = feed_datagrams(
      "red", SimTime{1500ms}, 15,
      {{"blue",
        {.reachable = true, .has_radio = true, .rssi_dbm = -61.5, .snr_db = 30, .rate_mbps = 65, .frame_loss = 0.25},
        {.reachable = false, .has_radio = false, .rate_mbps = 6, .frame_loss = 1}}},
      1200);
  ASSERT_EQ(datagrams.size(), 1U);
  EXPECT_EQ(datagrams[0], R"({"robot":"red","sim_time_s":1.5,"window":15,"part":0,"parts":1,"links":[{"peer":"blue",)"
                          R"("rx":{"reachable":true,"rssi_dbm":-61.5,"snr_db":30.0,"rate_mbps":65.0,"loss":0.25},)"
                          R"("tx":{"reachable":false,"rate_mbps":6.0,"loss":1.0}}]})");
}

TEST(RssiFeed, OfManyPeersIsSeveralDatagramsThatFit) {
  std::vector<PeerReading> peers;
  for (int i = 0; i < 100; ++i) {
    const LinkReading link{.reachable = true,
                           .has_radio = true,
                           .rssi_dbm = -60.123456,
                           .snr_db = 1 / 3.0,
                           .rate_mbps = 6.5,
                           .frame_loss = 0.123456789};
    peers.push_back({"a-robot-with-a-long-name-" + std::to_string(i), link, link});
  }
  const auto datagrams = feed_datagrams(std::string(32, 'r'), SimTime{}, 0, peers, 1200);
  EXPECT_GT(datagrams.size(), 10U);
  std::size_t links = 0;
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    EXPECT_LE(datagrams[i].size(), 1200U);
    const auto json = nlohmann::json::parse(datagrams[i]);
    EXPECT_EQ(json["part"], i);
    EXPECT_EQ(json["parts"], datagrams.size());
    links += json["links"].size();
  }
  EXPECT_EQ(links, 100U);
}

TEST(RssiFeed, WithoutRobotsIsOneEmptyList) {
  const auto datagrams = feed_datagrams("red", SimTime{}, 0, {}, 1200);
  ASSERT_EQ(datagrams.size(), 1U);
  EXPECT_THAT(datagrams[0], testing::HasSubstr(R"("links":[])"));
}

}  // namespace
}  // namespace hilgate::test
