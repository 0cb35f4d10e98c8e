// SPDX-License-Identifier: Apache-2.0
// Acknowledgements that are lost, RTS and CTS.
#include <gtest/gtest.h>

#include <cmath>

#include "path/air/medium.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kHandshakeStart{1s};
// RTS, SIFS, CTS, SIFS in front of the frame (20 and 14 bytes at 24 Mbit/s: 28 us each), SIFS and ACK behind.
constexpr Nanoseconds kAnnounced = 28us + 16us + 28us + 16us;
constexpr Nanoseconds kFrame = 228us;  // 1514 bytes at 65 Mbit/s
constexpr Nanoseconds kAck = 16us + 28us;

struct End {
  std::uint32_t frame;
  HostTime on_air_until;
  std::optional<DropReason> lost;
};

struct Rules {
  MediumAccess access = MediumAccess::kDcf;
  std::optional<std::uint32_t> rts_above{};
  PhyMode mode = ht_mcs7();
  Aggregation aggregation{};
};

/// Stations that all hear one another until told otherwise.
class ExchangeAir {
 public:
  explicit ExchangeAir(std::uint32_t stations, const Rules& rules = {})
      : mode_(rules.mode),
        stations_(stations),
        links_(std::size_t{stations} * stations),
        medium_(plan(stations, rules), 1) {
    for (LinkState& link : links_) {
      link.rssi_dbm = -60;
      link.snr_db = 34;
    }
    medium_.set_signals({links_, {}, stations});
  }
  void deaf(std::uint32_t a, std::uint32_t b) { link(a, b).rssi_dbm = link(b, a).rssi_dbm = -100; }
  LinkState& link(std::uint32_t from, std::uint32_t to) { return links_[std::size_t{from} * stations_ + to]; }

  bool send(std::uint32_t from, std::uint32_t to, HostTime at = kHandshakeStart, std::uint32_t tries = 7,
            std::uint32_t failing_tries = 0) {
    AirJob job{.arrived = at,
               .air_time = mode_.air_time(1514),
               .ack = mode_.ack,
               .failing_tries = failing_tries,
               .tries_left = tries,
               .to = to,
               .length = 1514};
    job.deliveries = from;
    return medium_.has_room(RobotSlot{from}, HostTime::max()) && medium_.enqueue(RobotSlot{from}, job);
  }
  std::vector<End> advance(HostTime now) {
    std::vector<End> ends;
    medium_.advance(now, [&](const AirResult& result) {
      ends.push_back({result.deliveries, result.on_air_until, result.lost});
    });
    return ends;
  }
  // Frames received of stations that always have one for `to`.
  std::uint64_t saturate(std::uint32_t senders, std::uint32_t to, Nanoseconds length) {
    std::uint64_t received = 0;
    for (HostTime now = kHandshakeStart; now < kHandshakeStart + length; now += 50us) {
      for (std::uint32_t from = 0; from < senders; ++from) {
        while (send(from, to, now)) {
        }
      }
      for (const End& end : advance(now)) {
        received += end.lost ? 0 : 1;
      }
    }
    return received;
  }
  [[nodiscard]] Nanoseconds busy() const { return medium_.busy(0); }
  [[nodiscard]] std::uint64_t acks_lost() const {
    std::vector<AirUse> uses;
    medium_.add_use(uses);
    return uses.at(0).acks_lost;
  }

 private:
  static AirPlan plan(std::uint32_t stations, const Rules& rules) {
    AirPlan plan;
    plan.modes = {rules.mode};
    plan.modes[0].block_ack = 16us + 32us;
    plan.modes[0].needed_snr = plan.modes[0].control_snr = Decibels{8};
    plan.domains = {AirDomain{.access = rules.access, .carrier_sense_dbm = -82}};
    plan.stations.resize(stations, Station{.domain = 0,
                                           .queue_frames = 20,
                                           .aggregation = rules.aggregation,
                                           .duty = {},
                                           .rts_above = rules.rts_above});
    return plan;
  }
  PhyMode mode_;
  std::uint32_t stations_;
  std::vector<LinkState> links_;
  Medium medium_;
};

// ---- RTS and CTS ----

class Announced : public testing::TestWithParam<MediumAccess> {};

TEST_P(Announced, AnExchangeTakesTheStandardsTime) {
  for (const std::uint32_t threshold : {1537U, 1538U}) {  // 1514 bytes of Ethernet are 1538 on the air
    ExchangeAir air(2, {.access = GetParam(), .rts_above = threshold});
    air.send(0, 1);
    const auto ends = air.advance(kHandshakeStart + 10ms);
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_FALSE(ends[0].lost);
    const Nanoseconds before = threshold < 1538 ? kAnnounced : 0us;
    EXPECT_EQ(ends[0].on_air_until, kHandshakeStart + before + kFrame);
    EXPECT_EQ(air.busy(), before + kFrame + kAck);
  }
}

TEST_P(Announced, FramesThatMeetCostAnRtsEach) {
  ExchangeAir air(3, {.access = GetParam(), .rts_above = 500});
  air.send(0, 2, kHandshakeStart, 1);
  air.send(1, 2, kHandshakeStart, 1);
  const auto ends = air.advance(kHandshakeStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].lost, DropReason::kCollision);
  EXPECT_EQ(ends[1].lost, DropReason::kCollision);
  // Where transmissions overlap, each counts.
  EXPECT_EQ(air.busy(), GetParam() == MediumAccess::kOverlappingDcf ? 2 * 28us : 28us + kAck);
}

TEST_P(Announced, NoiseTakesAnRtsAsItTakesAnAcknowledgement) {
  ExchangeAir air(2, {.access = GetParam(), .rts_above = 500});
  air.link(1, 0).ack_loss = 1;  // what 0 says in such frames does not reach 1
  air.send(0, 1, kHandshakeStart, 3);
  const auto ends = air.advance(kHandshakeStart + 50ms);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].lost, DropReason::kRetriesSpent);
  EXPECT_EQ(air.busy(), 3 * (GetParam() == MediumAccess::kOverlappingDcf ? 28us : 28us + kAck));
}

INSTANTIATE_TEST_SUITE_P(Media, Announced, testing::Values(MediumAccess::kDcf, MediumAccess::kOverlappingDcf));

TEST(RtsAndCts, StationsInRangeOfEitherSideWaitForTheEnd) {
  for (const std::uint32_t deaf_to : {0U, 1U}) {
    ExchangeAir air(4, {.access = MediumAccess::kOverlappingDcf, .rts_above = 500});
    air.deaf(2, deaf_to);
    air.send(0, 1);
    air.send(2, 3, kHandshakeStart + 100us);  // the frame is on the air
    const auto ends = air.advance(kHandshakeStart + 10ms);
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_FALSE(ends[0].lost || ends[1].lost);
    EXPECT_GE(ends[1].on_air_until, kHandshakeStart + kAnnounced + kFrame + kAck + 34us + kAnnounced + kFrame);
  }
}

TEST(RtsAndCts, AnRtsWithoutAnswerReservesNoMoreThanItsCts) {
  ExchangeAir air(4, {.access = MediumAccess::kOverlappingDcf, .rts_above = 500});
  air.link(1, 0).ack_loss = 1;
  air.deaf(2, 1);
  air.send(0, 1, kHandshakeStart, 1);
  air.send(2, 3, kHandshakeStart + 10us);
  const auto ends = air.advance(kHandshakeStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_LE(ends[1].on_air_until, kHandshakeStart + 28us + kAck + 34us + 15 * 9us + kAnnounced + kFrame);
}

TEST(RtsAndCts, AReservedReceiverDoesNotAnswer) {
  ExchangeAir air(4, {.access = MediumAccess::kOverlappingDcf, .rts_above = 500});
  air.deaf(2, 0);
  air.deaf(2, 1);                 // 2 knows nothing of the exchange between 0 and 1, of which 3 hears both
  air.link(0, 3).rssi_dbm = -80;  // and would understand 2
  air.send(0, 1);
  air.send(2, 3, kHandshakeStart + 100us, 1);
  const auto ends = air.advance(kHandshakeStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].lost, DropReason::kCollision);
  EXPECT_FALSE(ends[1].lost);
}

// 1514 bytes at 6.5 Mbit/s take 1.9 ms, and two that do not hear one another meet nearly always.
TEST(RtsAndCts, HiddenStationsGetMostOfTheAirBack) {
  PhyMode slow = ht_mcs7();
  slow.bits_per_symbol = 26;
  const auto frames = [&](bool hidden, std::optional<std::uint32_t> rts_above) {
    ExchangeAir air(3, {.access = MediumAccess::kOverlappingDcf, .rts_above = rts_above, .mode = slow});
    if (hidden) {
      air.deaf(0, 1);
    }
    return static_cast<double>(air.saturate(2, 2, 10s));
  };
  const double heard = frames(false, std::nullopt);
  EXPECT_GT(heard, 10e6 / (34 + 68 + 1936 + 44) * 0.85);
  EXPECT_LT(frames(true, std::nullopt), 0.6 * heard);
  EXPECT_GT(frames(true, 500), 0.75 * heard);
}

// ---- acknowledgements ----

TEST(LostAcknowledgements, AFrameIsHandedOverWhenItIsReceivedAndSentAgainAllTheSame) {
  for (const MediumAccess access : {MediumAccess::kDcf, MediumAccess::kOverlappingDcf}) {
    ExchangeAir air(2, {.access = access});
    air.link(0, 1).ack_loss = 1;
    air.send(0, 1, kHandshakeStart, 3);
    const auto ends = air.advance(kHandshakeStart + 10ms);
    ASSERT_EQ(ends.size(), 1U) << "once";
    EXPECT_FALSE(ends[0].lost);
    EXPECT_EQ(ends[0].on_air_until, kHandshakeStart + kFrame);
    EXPECT_EQ(air.busy(), 3 * (kFrame + kAck));
    EXPECT_EQ(air.acks_lost(), 3U);
  }
}

TEST(LostAcknowledgements, AFrameReceivedInItsLastTryIsReceivedWhateverTheSenderBelieves) {
  ExchangeAir air(2);
  air.link(0, 1).ack_loss = 1;
  air.send(0, 1, kHandshakeStart, 3, 2);
  const auto ends = air.advance(kHandshakeStart + 10ms);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_FALSE(ends[0].lost);
  EXPECT_EQ(air.busy(), 3 * (kFrame + kAck));
}

// With a loss p of acknowledgements and n tries a frame is sent (1 - p^n) / (1 - p) times.
TEST(LostAcknowledgements, CostTheTransmissionsOfTheGeometricSeries) {
  constexpr double kLoss = 0.5;
  ExchangeAir air(2);
  air.link(0, 1).ack_loss = static_cast<float>(kLoss);
  const auto frames = static_cast<double>(air.saturate(1, 1, 4s));
  const double sent = static_cast<double>(air.busy().count()) / static_cast<double>((kFrame + kAck).count());
  const double expected = (1 - std::pow(kLoss, 7)) / (1 - kLoss);
  EXPECT_NEAR(sent / frames, expected, 0.03 * expected);
  EXPECT_NEAR(static_cast<double>(air.acks_lost()) / sent, kLoss, 0.02);
}

// A try then succeeds with (1 - q) (1 - p) once the frame was received: q of repeats, p of acknowledgements.
TEST(LostAcknowledgements, RepeatsMeetErrorsOfTheirOwn) {
  constexpr double kAckLoss = 0.4;
  constexpr double kRepeatLoss = 0.5;
  constexpr std::uint32_t kTries = 255;
  ExchangeAir air(2);
  air.link(0, 1).ack_loss = static_cast<float>(kAckLoss);
  air.link(0, 1).unicast.per_bit = -std::log(1 - kRepeatLoss) / static_cast<double>(ht_mcs7().air_bits(1514));
  double frames = 0;
  for (HostTime now = kHandshakeStart; now < kHandshakeStart + 20s; now += 100us) {
    while (air.send(0, 1, now, kTries)) {
    }
    frames += static_cast<double>(air.advance(now).size());
  }
  const double sent = static_cast<double>(air.busy().count()) / static_cast<double>((kFrame + kAck).count());
  const double expected = 1 + kAckLoss / ((1 - kAckLoss) * (1 - kRepeatLoss));
  EXPECT_NEAR(sent / frames, expected, 0.04 * expected);
}

TEST(LostAcknowledgements, ABlockIsLostAsAWhole) {
  ExchangeAir air(2, {.aggregation = {.frames = 64}});
  air.link(0, 1).ack_loss = 1;
  for (int i = 0; i < 10; ++i) {
    air.send(0, 1, kHandshakeStart, 2);
  }
  const auto ends = air.advance(kHandshakeStart + 100ms);
  ASSERT_EQ(ends.size(), 10U);
  const Nanoseconds joint = ht_mcs7().joint_air_time(10 * 12352);
  for (const End& end : ends) {
    EXPECT_FALSE(end.lost);
    EXPECT_EQ(end.on_air_until, kHandshakeStart + joint);
  }
  EXPECT_EQ(air.busy(), 2 * (joint + 16us + 32us));
  EXPECT_EQ(air.acks_lost(), 2U);
}

// Station 0 is received over the weaker 1, which is so strong at 0 that nothing else is heard there.
TEST(LostAcknowledgements, OthersOnTheAirTakeThemToo) {
  ExchangeAir air(4, {.access = MediumAccess::kOverlappingDcf});
  air.deaf(0, 1);
  air.link(0, 2).rssi_dbm = -50;
  air.link(1, 0).rssi_dbm = -83;  // below carrier sense
  air.link(2, 0).rssi_dbm = -80;
  air.send(0, 2, kHandshakeStart, 1);
  air.send(1, 3, kHandshakeStart + 50us, 1);
  const auto ends = air.advance(kHandshakeStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_FALSE(ends[0].lost);
  EXPECT_EQ(air.acks_lost(), 1U);
}

TEST(LostAcknowledgements, TheReceiverGetsEachFrameOnce) {
  PathSettings settings = plain_settings(2);
  settings.air.domains = {AirDomain{}};
  for (auto& station : settings.air.stations) {
    station = Station{.queue_frames = 100};
  }
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = ErrorPolicy::kArq;
  }
  GatewayRig rig(settings);
  rig.publish({.ack_loss = 0.5F});
  for (int i = 0; i < 50; ++i) {
    rig.arrive(0, udp_frame(1, 2, 1000, static_cast<std::uint64_t>(i)));
  }
  rig.run(200ms, 10us);
  EXPECT_EQ(rig.sent(1).size(), 50U);
  EXPECT_TRUE(rig.path->totals().balanced());
  EXPECT_EQ(rig.path->totals().held, 0U);
}

}  // namespace
}  // namespace hilgate::test
