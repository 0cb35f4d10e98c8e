// SPDX-License-Identifier: Apache-2.0
// Robots' PTP on the path: kept, beside the air with its residence time, or through the air.
#include <gtest/gtest.h>

#include "clock/ptp/ptp_message.h"
#include "host/byte_cursor.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kUdpPayload = 42;

PtpHeader header_of(PtpType type) {
  PtpHeader header;
  header.type = type;
  header.correction = 0x10000;  // a nanosecond from boxes on the way
  header.source.port = 1;
  return header;
}

Bytes bytes_of(const PtpMessage& message) {
  return {message.span().begin(), message.span().end()};
}

Layer2 from_to(unsigned from, MacAddress to) {
  return {.destination = to, .source = mac_of(from), .tags = {}};
}

Bytes sync_to_all(unsigned from) {
  return ip_frame(from_to(from, kBroadcast), {.destination = "224.0.1.129"}, 17,
                  udp(bytes_of(make_sync(header_of(PtpType::kSync))), 319, 319));
}

Nanoseconds correction(const Bytes& frame) {
  return Nanoseconds{load_be<std::int64_t>(frame, kUdpPayload + 8) / 65536};
}

// The air is far too bad for anything to pass it.
struct PtpPath {
  explicit PtpPath(std::vector<PtpPassage> passages) : rig(settings(std::move(passages))) {
    for (auto& port : rig.ports) {
      port->keep_bytes = true;
    }
    rig.publish({.reachable = false});
  }
  static PathSettings settings(std::vector<PtpPassage> passages) {
    PathSettings settings = plain_settings(static_cast<std::uint32_t>(passages.size()));
    settings.ptp = std::move(passages);
    return settings;
  }
  GatewayRig rig;
};

constexpr auto kKeep = PtpPassage::kKeep;
constexpr auto kBeside = PtpPassage::kTransparent;
constexpr auto kAir = PtpPassage::kThroughAir;

TEST(PtpOnThePath, BypassesTheAirWithTheResidenceTimeInItsCorrectionField) {
  PtpPath path({kBeside, kBeside, kBeside});
  path.rig.arrive(0, sync_to_all(1), path.rig.clock.now() - 7us);
  path.rig.iterate();
  for (const std::uint32_t port : {1U, 2U}) {
    ASSERT_EQ(path.rig.sent(port).size(), 1U);
    const Bytes& sent = path.rig.sent(port)[0].bytes;
    EXPECT_EQ(correction(sent), 7us + 1ns);
    EXPECT_TRUE(transport_checksum_right(sent));
  }
  EXPECT_EQ(path.rig.path->totals().ptp_passed, 2U);
  EXPECT_EQ(path.rig.path->totals().ptp_residence.total(), 2U);
  EXPECT_TRUE(path.rig.path->totals().balanced());
}

TEST(PtpOnThePath, OtherMessagesPassUnchanged) {
  PtpPath path({kBeside, kBeside});
  const Bytes frame = ethernet(from_to(1, mac_of(2)), kPtpEthertype,
                               bytes_of(make_follow_up(header_of(PtpType::kFollowUp), PtpTime{1s})));
  path.rig.arrive(0, frame, path.rig.clock.now() - 7us);
  path.rig.iterate();
  ASSERT_EQ(path.rig.sent(1).size(), 1U);
  EXPECT_EQ(path.rig.sent(1)[0].bytes, frame);
  EXPECT_EQ(path.rig.path->totals().ptp_residence.total(), 0U);
}

TEST(PtpOnThePath, OtherFramesBetweenTheSameRobotsMeetTheAir) {
  PtpPath path({kBeside, kBeside});
  path.rig.arrive(0, udp_frame(1, 2, 100));
  path.rig.arrive(0, sync_to_all(1));
  path.rig.arrive(0, udp_frame(1, 2, 100));
  path.rig.iterate();
  EXPECT_EQ(path.rig.sent(1).size(), 1U);
  EXPECT_EQ(path.rig.dropped(DropReason::kUnreachable), 2U);
}

TEST(PtpOnThePath, PortsThatKeepTheirsNeitherSendNorGetAny) {
  PtpPath path({kBeside, kKeep, kBeside});
  path.rig.arrive(0, sync_to_all(1));
  path.rig.arrive(1, sync_to_all(2));
  path.rig.iterate();
  EXPECT_EQ(path.rig.sent(0).size(), 0U);
  EXPECT_EQ(path.rig.sent(1).size(), 0U);
  EXPECT_EQ(path.rig.sent(2).size(), 1U);
  EXPECT_EQ(path.rig.dropped(DropReason::kPtpKept), 2U);
  EXPECT_TRUE(path.rig.path->totals().balanced());
}

TEST(PtpOnThePath, ThroughTheAirItIsAFrameAsAnyOther) {
  PtpPath path({kAir, kAir});
  path.rig.arrive(0, sync_to_all(1));
  path.rig.iterate();
  EXPECT_EQ(path.rig.dropped(DropReason::kUnreachable), 1U);
  path.rig.publish({.delay = 1ms});
  path.rig.arrive(0, sync_to_all(1));
  path.rig.run(2ms);
  ASSERT_EQ(path.rig.sent(1).size(), 1U);
  EXPECT_EQ(correction(path.rig.sent(1)[0].bytes), 1ns);
}

TEST(PtpOnThePath, WithoutMemoryForAPrivateCopyItIsDropped) {
  PathSettings settings = PtpPath::settings({kBeside, kBeside, kBeside});
  GatewayRig rig(settings, 1);
  rig.arrive(0, sync_to_all(1));
  rig.iterate();
  EXPECT_EQ(rig.dropped(DropReason::kNoBuffer) + rig.path->totals().released, 2U);
  EXPECT_GE(rig.dropped(DropReason::kNoBuffer), 1U);
  EXPECT_TRUE(rig.path->totals().balanced());
}

TEST(PtpOnThePath, ForeignPtpIsRefused) {
  PtpPath path({kBeside, kBeside});
  path.rig.arrive(0, sync_to_all(9));
  path.rig.arrive(0, sync_to_all(2));
  path.rig.iterate();
  EXPECT_EQ(path.rig.dropped(DropReason::kUnknownSender), 1U);
  EXPECT_EQ(path.rig.dropped(DropReason::kSpoofedSender), 1U);
}

}  // namespace
}  // namespace hilgate::test
