// SPDX-License-Identifier: Apache-2.0
// The grandmaster as a machine: injected time, messages in and out.
#include "clock/ptp/grandmaster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const ClockIdentity kOurs{{1, 1, 1, 0xff, 0xfe, 1, 1, 1}};
const PortIdentity kRobot{{{2, 2, 2, 0xff, 0xfe, 2, 2, 2}}, 1};

class GrandmasterTest : public ::testing::Test {
 protected:
  Grandmaster make(GrandmasterOptions options = {}) {
    options.log_announce_interval = 0;
    return Grandmaster{options,
                       kOurs,
                       now,
                       [this](const PtpMessage& message) {
                         out.push_back(message);
                         return takes;
                       },
                       [this](HostTime host) { return PtpTime{1000s + (host - start) * factor}; },
                       events};
  }
  // Runs to `end`; what is sent leaves 10 us later.
  void run(Grandmaster& master, HostTime end) {
    while (master.next() <= end) {
      now = master.next();
      const std::size_t before = out.size();
      master.tick(now);
      for (std::size_t i = before; i < out.size(); ++i) {
        if (is_event(out[i].type())) {
          const PtpMessage copy = out[i];
          master.sent(copy.span(), now + 10us);
        }
      }
    }
    now = end;
  }
  [[nodiscard]] std::vector<PtpMessage> sent(PtpType type) const {
    std::vector<PtpMessage> result;
    for (const PtpMessage& message : out) {
      if (message.type() == type) {
        result.push_back(message);
      }
    }
    return result;
  }
  static PtpHeader from(const PortIdentity& source, std::uint16_t sequence = 7) {
    PtpHeader header;
    header.source = source;
    header.sequence = sequence;
    header.correction = 3 * 65536;
    return header;
  }
  static PtpAnnounce rival(std::uint8_t priority1) {
    PtpAnnounce announce;
    announce.priority1 = priority1;
    announce.clock_class = 6;
    announce.grandmaster = kRobot.clock;
    return announce;
  }

  HostTime start{100s};
  HostTime now = start;
  int factor = 1;
  bool takes = true;
  std::vector<PtpMessage> out;
  ClockEvents events;
};

TEST_F(GrandmasterTest, ListensThenAnnouncesThenSyncs) {
  Grandmaster master = make();
  run(master, start + 2900ms);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(master.state(), PtpPortState::kListening);
  run(master, start + 4s - 1ns);
  EXPECT_EQ(master.state(), PtpPortState::kMaster);
  ASSERT_FALSE(out.empty());
  EXPECT_EQ(out[0].type(), PtpType::kAnnounce);
  const auto announce = parse_announce(out[0].span());
  EXPECT_EQ(announce->grandmaster, kOurs);
  EXPECT_EQ(announce->clock_class, 13);
  EXPECT_EQ(parse_ptp_header(out[0].span())->flags, 0) << "a sim epoch must not claim the PTP timescale";
  EXPECT_EQ(sent(PtpType::kSync).size(), 8U);
  EXPECT_EQ(sent(PtpType::kFollowUp).size(), 8U);
  EXPECT_EQ(events.count(ClockEventKind::kBecameMaster), 1U);
}

TEST_F(GrandmasterTest, FollowUpCarriesTheServedTimeOfTheStamp) {
  factor = 10;
  Grandmaster master = make();
  run(master, start + 3s);
  const auto follow_up = sent(PtpType::kFollowUp).at(0);
  EXPECT_EQ(parse_ptp_timestamp(follow_up.span()), PtpTime{1030s + 100us});
  EXPECT_EQ(parse_ptp_header(follow_up.span())->sequence, parse_ptp_header(sent(PtpType::kSync)[0].span())->sequence);
  EXPECT_EQ(parse_ptp_header(sent(PtpType::kSync)[0].span())->flags, kPtpTwoStep);
}

TEST_F(GrandmasterTest, AClockPausedAtItsEpochIsNotTakenForAMissingStamp) {
  Grandmaster master{{.announce_timeout = 2},
                     kOurs,
                     now,
                     [this](const PtpMessage& message) {
                       out.push_back(message);
                       return true;
                     },
                     [](HostTime) { return PtpTime{}; },
                     events};
  run(master, start + 2s);
  EXPECT_EQ(parse_ptp_timestamp(sent(PtpType::kFollowUp).at(0).span()), PtpTime{1ns});
}

TEST_F(GrandmasterTest, ASyncWithoutStampGetsNoFollowUp) {
  Grandmaster master = make();
  now = start + 3s;
  master.tick(now);
  master.tick(now + 125ms);
  EXPECT_EQ(sent(PtpType::kSync).size(), 2U);
  EXPECT_TRUE(sent(PtpType::kFollowUp).empty());
  EXPECT_EQ(master.counters().missing_stamps, 1U);
  master.sent(sent(PtpType::kSync)[0].span(), now);
  EXPECT_TRUE(sent(PtpType::kFollowUp).empty()) << "the stamp of an older Sync comes too late";
}

TEST_F(GrandmasterTest, AnswersDelayInServedOrInUnitTime) {
  factor = 10;
  for (const DelayAnswer answer : {DelayAnswer::kServed, DelayAnswer::kUnit}) {
    out.clear();
    now = start;
    GrandmasterOptions options;
    options.answer = answer;
    Grandmaster master = make(options);
    run(master, start + 3s);
    master.received(make_delay_req(from(kRobot)).span(), now + 60us, now);
    const auto response = sent(PtpType::kDelayResp).at(0);
    const PtpTime t1{1030s + 100us};
    EXPECT_EQ(parse_ptp_timestamp(response.span()), answer == DelayAnswer::kUnit ? t1 + 50us : t1 + 500us);
    const auto header = parse_ptp_header(response.span());
    EXPECT_EQ(header->sequence, 7);
    EXPECT_EQ(header->correction, 3 * 65536);
    EXPECT_EQ(header->log_interval, -3);
    EXPECT_EQ(parse_requester(response.span()), kRobot);
    EXPECT_EQ(master.slaves(now), 1U);
    EXPECT_EQ(master.slaves(now + 11s), 0U);
  }
}

TEST_F(GrandmasterTest, AnswersPeerDelayInTwoSteps) {
  factor = 10;
  GrandmasterOptions options;
  options.mechanism = DelayMechanism::kPeerToPeer;
  options.answer = DelayAnswer::kUnit;
  Grandmaster master = make(options);
  master.received(make_pdelay_req(from(kRobot)).span(), now + 1us, now);
  const auto response = sent(PtpType::kPdelayResp).at(0);
  EXPECT_EQ(parse_ptp_header(response.span())->flags, kPtpTwoStep);
  master.sent(response.span(), now + 41us);
  const auto follow_up = sent(PtpType::kPdelayRespFollowUp).at(0);
  EXPECT_EQ(*parse_ptp_timestamp(follow_up.span()) - *parse_ptp_timestamp(response.span()), 40us);
  EXPECT_EQ(parse_requester(follow_up.span()), kRobot);
  master.received(make_delay_req(from(kRobot)).span(), now, now);
  EXPECT_TRUE(sent(PtpType::kDelayResp).empty()) << "the other mechanism";
}

TEST_F(GrandmasterTest, YieldsToABetterMasterAndReturnsWhenItIsGone) {
  GrandmasterOptions options;
  options.rule = MasterRule::kYield;
  Grandmaster master = make(options);
  run(master, start + 5s);
  master.received(make_announce(from(kRobot), rival(1)).span(), now, now);
  run(master, start + 6s);
  EXPECT_EQ(master.state(), PtpPortState::kMaster) << "one Announce does not qualify";
  master.received(make_announce(from(kRobot), rival(1)).span(), now, now);
  EXPECT_EQ(master.state(), PtpPortState::kPassive);
  out.clear();
  run(master, start + 9s);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(master.other_masters(now), 1U);
  run(master, start + 12s);
  EXPECT_EQ(master.state(), PtpPortState::kMaster);
  EXPECT_EQ(events.count(ClockEventKind::kYielded), 1U);
  EXPECT_EQ(events.count(ClockEventKind::kBecameMaster), 2U);
}

TEST_F(GrandmasterTest, AWorseMasterChangesNothing) {
  GrandmasterOptions options;
  options.rule = MasterRule::kYield;
  Grandmaster master = make(options);
  run(master, start + 5s);
  for (int i = 0; i < 3; ++i) {
    master.received(make_announce(from(kRobot), rival(200)).span(), now, now);
  }
  run(master, start + 7s);
  EXPECT_EQ(master.state(), PtpPortState::kMaster);
}

TEST_F(GrandmasterTest, RefusesARogueMasterAndCountsItOnce) {
  Grandmaster master = make();
  run(master, start + 4s);
  for (int i = 0; i < 20; ++i) {
    master.received(make_announce(from(kRobot), rival(1)).span(), now, now);
    run(master, now + 200ms);
  }
  EXPECT_EQ(master.state(), PtpPortState::kMaster);
  EXPECT_EQ(events.count(ClockEventKind::kRogueMaster), 1U);
  EXPECT_THAT(events.recent().back().text, HasSubstr("priority1 1, class 6"));
}

TEST_F(GrandmasterTest, IgnoresMessagesForOthers) {
  Grandmaster master = make();
  run(master, start + 4s);
  PtpHeader header = from(kRobot);
  header.domain = 5;
  master.received(make_delay_req(header).span(), now, now);
  master.received(make_sync(from(kRobot)).span(), now, now);
  master.received(make_delay_req(from({kOurs, 1})).span(), now, now);
  EXPECT_EQ(master.counters().ignored, 3U);
  const std::vector<std::byte> rubbish(60, std::byte{0xa5});
  master.received(rubbish, now, now);
  EXPECT_EQ(master.counters().malformed, 1U);
  EXPECT_TRUE(sent(PtpType::kDelayResp).empty());
}

TEST_F(GrandmasterTest, AStormOfRequestsIsLimited) {
  Grandmaster master = make();
  run(master, start + 4s);
  for (int i = 0; i < 5000; ++i) {
    master.received(make_delay_req(from(kRobot)).span(), now, now);
  }
  EXPECT_EQ(sent(PtpType::kDelayResp).size(), 1024U);
  EXPECT_EQ(master.counters().limited, 5000U - 1024U);
  master.received(make_delay_req(from(kRobot)).span(), now, now + 1s);
  EXPECT_EQ(sent(PtpType::kDelayResp).size(), 1025U);
}

TEST_F(GrandmasterTest, CountsRefusedTransmissions) {
  takes = false;
  Grandmaster master = make();
  run(master, start + 3s);
  EXPECT_GT(master.counters().unsent, 0U);
  EXPECT_EQ(master.counters().syncs, 0U);
}

TEST_F(GrandmasterTest, ErrorsNamePossibleOptions) {
  const auto error_of = [](GrandmasterOptions options) -> std::string {
    try {
      check(options);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of({.log_sync_interval = -8}),
            "clock: grandmaster: log_sync_interval is -8; allowed: -7 to 4 (log2 of seconds)");
  EXPECT_THAT(error_of({.domain = 128}), HasSubstr("domain is 128; allowed: 0 to 127"));
  EXPECT_THAT(error_of({.announce_timeout = 1}), HasSubstr("announce_timeout is 1; allowed: 2 to 10"));
  EXPECT_EQ(error_of({}), "");
}

TEST(GrandmasterWarnings, NameChangesThatASteeredSlaveCannotFollow) {
  GrandmasterOptions options;
  EXPECT_TRUE(warnings(options, 1.0).empty());
  EXPECT_TRUE(warnings(options, 1.1).empty());
  EXPECT_TRUE(warnings(options, 0.9).empty());
  ASSERT_EQ(warnings(options, 0.5).size(), 1U);
  EXPECT_THAT(warnings(options, 0.5)[0], HasSubstr("factor 0.5 differs from 1 by more than 10 %"));
  options.answer = DelayAnswer::kUnit;
  EXPECT_TRUE(warnings(options, 10).empty());
}

TEST(BestMaster, ComparesInTheOrderOfTheStandard) {
  PtpAnnounce a;
  PtpAnnounce b;
  a.grandmaster.bytes[7] = 1;
  b.grandmaster.bytes[7] = 2;
  EXPECT_TRUE(is_better_master(a, b));
  b.priority2 = 1;
  EXPECT_TRUE(is_better_master(b, a));
  a.variance = 1;
  EXPECT_TRUE(is_better_master(a, b));
  b.accuracy = 0x20;
  EXPECT_TRUE(is_better_master(b, a));
  a.clock_class = 6;
  EXPECT_TRUE(is_better_master(a, b));
  b.priority1 = 1;
  EXPECT_TRUE(is_better_master(b, a));
  EXPECT_FALSE(is_better_master(a, a));
}

TEST(ForeignMasters, AFloodOfNamesTakesNoMemoryAndLosesTheOldest) {
  ForeignMasters masters{1s};
  PtpAnnounce announce;
  for (std::uint16_t i = 0; i < 1000; ++i) {
    masters.heard(HostTime{Nanoseconds{i}}, {{}, i}, announce);
    masters.heard(HostTime{Nanoseconds{i}}, {{}, i}, announce);
  }
  EXPECT_EQ(masters.qualified(HostTime{1000ns}), 8U);
  EXPECT_EQ(masters.qualified(HostTime{5s}), 0U);
}

}  // namespace
}  // namespace hilgate::test
