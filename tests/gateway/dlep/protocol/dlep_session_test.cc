// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/protocol/dlep_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum DlepMessageType;

constexpr MacAddress kDlepBlue{0x0268'6700'0002};
constexpr MacAddress kDlepGreen{0x0268'6700'0003};

/// A router of few words: it writes as RFC 8175 has it, and sees the types of what the modem sends.
class DlepSessionTest : public testing::Test {
 protected:
  void send(std::initializer_list<unsigned> values) {
    std::vector<std::byte> bytes;
    for (const unsigned value : values) {
      bytes.push_back(std::byte(value));
    }
    session_.receive(bytes, now_);
  }
  /// Heartbeats every second.
  void initialize() { send({0, 1, 0, 14, 0, 5, 0, 4, 0, 0, 3, 0xE8, 0, 4, 0, 2, 0, 'r'}); }
  void heartbeat() { send({0, 16, 0, 0}); }
  void about(unsigned type, unsigned last) { send({0, type, 0, 10, 0, 7, 0, 6, 2, 0x68, 0x67, 0, 0, last}); }
  void respond(unsigned type, unsigned last, unsigned status) {
    send({0, type, 0, 15, 0, 7, 0, 6, 2, 0x68, 0x67, 0, 0, last, 0, 1, 0, 1, status});
  }

  std::string output() { return session_.take_output(); }
  std::vector<DlepMessageType> types() {
    const std::string bytes = output();
    std::span<const std::byte> rest = std::as_bytes(std::span(bytes));
    std::vector<DlepMessageType> types;
    while (const auto length = dlep_message_bytes(rest)) {
      types.push_back(DlepMessageType{std::to_integer<std::uint16_t>(rest[1])});
      rest = rest.subspan(*length);
    }
    return types;
  }
  void update(DlepDestinations destinations) { session_.update(std::move(destinations), {}, now_); }
  void pass(Nanoseconds time) {
    now_ += time;
    session_.tick(now_);
  }

  HostTime now_{1h};
  DlepSession session_{"hilgate", 5s, now_};
};

DlepDestination reached(std::uint64_t receive_bps = 6'000'000) {
  return {.up = true, .metrics = {.receive_bps = receive_bps}};
}

TEST_F(DlepSessionTest, DestinationsAreReportedAfterInitialization) {
  update({{kDlepBlue, reached()}, {kDlepGreen, {}}});
  EXPECT_THAT(types(), IsEmpty());
  initialize();
  EXPECT_THAT(types(), ElementsAre(kSessionInitializationResponse, kDestinationUp));
  EXPECT_EQ(session_.state(), DlepSession::State::kInSession);
  EXPECT_EQ(session_.router(), "r");
  EXPECT_EQ(session_.up(), 0U) << "the router has not accepted it";
  respond(8, 2, 0);
  EXPECT_EQ(session_.up(), 1U);
}

TEST_F(DlepSessionTest, MessagesMayComeInPieces) {
  update({{kDlepBlue, reached()}});
  send({0, 1, 0});
  send({14, 0, 5, 0, 4, 0, 0, 3, 0xE8, 0, 4, 0, 2, 0});
  EXPECT_THAT(types(), IsEmpty());
  send({'r', 0, 16, 0, 0, 0, 16});
  EXPECT_THAT(types(), ElementsAre(kSessionInitializationResponse, kDestinationUp));
  EXPECT_EQ(session_.counts().received, 2U);
}

TEST_F(DlepSessionTest, DownAndUpAgainWaitForResponses) {
  update({{kDlepBlue, reached()}});
  initialize();
  static_cast<void>(output());
  update({{kDlepBlue, {}}});
  EXPECT_THAT(types(), IsEmpty()) << "Up has no response yet";
  respond(8, 2, 0);
  EXPECT_THAT(types(), ElementsAre(kDestinationDown));
  update({{kDlepBlue, reached()}});
  EXPECT_THAT(types(), IsEmpty());
  respond(12, 2, 0);
  EXPECT_THAT(types(), ElementsAre(kDestinationUp));
  respond(8, 2, 0);
  update({});
  EXPECT_THAT(types(), ElementsAre(kDestinationDown)) << "no robot of the configuration any more";
}

TEST_F(DlepSessionTest, UpdatesAreOfVisibleChangesAndFiveASecond) {
  update({{kDlepBlue, reached()}});
  initialize();
  respond(8, 2, 0);
  static_cast<void>(output());
  now_ += 1s;
  DlepDestination later = reached();
  later.metrics.latency_us = 40;
  update({{kDlepBlue, later}});
  EXPECT_THAT(types(), IsEmpty());
  int updates = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    update({{kDlepBlue, reached(6'000'000 + i)}});
    updates += static_cast<int>(types().size());
    now_ += 10ms;
  }
  EXPECT_EQ(updates, 5);
}

TEST_F(DlepSessionTest, LatencyDiffersVisiblyByFivePercentAndFiftyMicroseconds) {
  EXPECT_FALSE(differs_visibly({.latency_us = 100}, {.latency_us = 150}));
  EXPECT_TRUE(differs_visibly({.latency_us = 100}, {.latency_us = 151}));
  EXPECT_FALSE(differs_visibly({.latency_us = 10'000}, {.latency_us = 9'500}));
  EXPECT_TRUE(differs_visibly({.latency_us = 10'000}, {.latency_us = 9'499}));
  EXPECT_TRUE(differs_visibly({.receive_quality = 100}, {.receive_quality = 99}));
}

TEST_F(DlepSessionTest, DeclinedDestinationIsReportedAgainAfterItsAnnouncement) {
  update({{kDlepBlue, reached()}});
  initialize();
  respond(8, 2, 1);
  static_cast<void>(output());
  update({{kDlepBlue, {}}});
  update({{kDlepBlue, reached()}});
  EXPECT_THAT(types(), IsEmpty());
  about(9, 2);
  EXPECT_THAT(types(), ElementsAre(kDestinationAnnounceResponse));
  EXPECT_EQ(session_.up(), 1U);
  update({{kDlepBlue, {}}});
  EXPECT_THAT(types(), ElementsAre(kDestinationDown));
}

TEST_F(DlepSessionTest, AnnouncementOutOfReachIsDeniedAndFollowedByUp) {
  update({{kDlepBlue, {}}});
  initialize();
  static_cast<void>(output());
  about(9, 2);
  const std::string denied = output();
  EXPECT_EQ(denied.substr(0, 2), std::string("\0\x0A", 2));
  EXPECT_EQ(denied.substr(14, 5).back(), '\x02') << "Request Denied";
  update({{kDlepBlue, reached()}});
  EXPECT_THAT(types(), ElementsAre(kDestinationUp));
}

TEST_F(DlepSessionTest, RequestsForOtherLinksAreDeniedWithTheLinkAsItIs) {
  update({{kDlepBlue, reached()}});
  initialize();
  respond(8, 2, 0);
  static_cast<void>(output());
  about(14, 2);
  const std::string denied = output();
  EXPECT_EQ(denied.substr(0, 2), std::string("\0\x0F", 2));
  EXPECT_EQ(denied[18], '\x02') << "Request Denied";
  EXPECT_GT(denied.size(), 80U) << "with the metrics";
  about(14, 9);
  EXPECT_THAT(types(), ElementsAre(kSessionTermination));
  EXPECT_THAT(session_.problem(), HasSubstr("Invalid Destination"));
}

TEST_F(DlepSessionTest, RouterMayTakeADestinationDown) {
  update({{kDlepBlue, reached()}});
  initialize();
  respond(8, 2, 0);
  static_cast<void>(output());
  about(11, 2);
  EXPECT_THAT(types(), ElementsAre(kDestinationDownResponse));
  EXPECT_EQ(session_.up(), 0U);
  about(11, 3);
  EXPECT_THAT(types(), ElementsAre(kSessionTermination));
}

TEST_F(DlepSessionTest, HeartbeatsAreSentWithoutOtherMessages) {
  initialize();
  static_cast<void>(output());
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(types(), IsEmpty());
    pass(1s);
    heartbeat();
  }
  EXPECT_THAT(types(), ElementsAre(kHeartbeat));
}

TEST_F(DlepSessionTest, SilenceOfTwoIntervalsEndsTheSession) {
  initialize();
  static_cast<void>(output());
  pass(2s);
  EXPECT_EQ(session_.state(), DlepSession::State::kInSession);
  pass(1ms);
  EXPECT_THAT(types(), ElementsAre(kSessionTermination));
  EXPECT_THAT(session_.problem(), HasSubstr("Timed Out"));
  pass(10s);
  EXPECT_EQ(session_.state(), DlepSession::State::kTerminating);
  pass(1ms);
  EXPECT_EQ(session_.state(), DlepSession::State::kOver);
}

TEST_F(DlepSessionTest, MissingResponseEndsTheSession) {
  update({{kDlepBlue, reached()}});
  initialize();
  static_cast<void>(output());
  for (int i = 0; i < 4; ++i) {
    pass(1s);
    heartbeat();
  }
  EXPECT_THAT(types(), IsEmpty());
  pass(1ms);
  EXPECT_THAT(types(), ElementsAre(kSessionTermination));
  EXPECT_THAT(session_.problem(), HasSubstr("no response about 02:68:67:00:00:02"));
}

TEST_F(DlepSessionTest, RouterEndsTheSession) {
  initialize();
  static_cast<void>(output());
  send({0, 5, 0, 5, 0, 1, 0, 1, 255});
  EXPECT_THAT(types(), ElementsAre(kSessionTerminationResponse));
  EXPECT_EQ(session_.state(), DlepSession::State::kOver);
  EXPECT_THAT(session_.problem(), HasSubstr("Shutting Down"));
}

TEST_F(DlepSessionTest, ModemEndsTheSessionAndWaitsForTheResponse) {
  initialize();
  static_cast<void>(output());
  session_.terminate(DlepStatusCode::kShuttingDown, "stopped", now_);
  EXPECT_THAT(types(), ElementsAre(kSessionTermination));
  heartbeat();
  update({{kDlepBlue, reached()}});
  EXPECT_THAT(types(), IsEmpty());
  EXPECT_EQ(session_.state(), DlepSession::State::kTerminating);
  send({0, 6, 0, 0});
  EXPECT_EQ(session_.state(), DlepSession::State::kOver);
}

TEST_F(DlepSessionTest, InvalidMessagesEndTheSession) {
  initialize();
  static_cast<void>(output());
  send({0, 11, 0, 0});
  EXPECT_THAT(output(), HasSubstr("\x82")) << "Invalid Data";
  EXPECT_EQ(session_.counts().malformed, 1U);
  EXPECT_EQ(session_.state(), DlepSession::State::kTerminating);
}

TEST_F(DlepSessionTest, ResponsesWithoutRequestsEndTheSession) {
  initialize();
  static_cast<void>(output());
  respond(8, 2, 0);
  EXPECT_THAT(types(), ElementsAre(kSessionTermination));
  EXPECT_THAT(session_.problem(), HasSubstr("Unexpected Message"));
}

TEST_F(DlepSessionTest, NothingIsSentBeforeAGoodInitialization) {
  heartbeat();
  EXPECT_THAT(types(), IsEmpty());
  EXPECT_EQ(session_.state(), DlepSession::State::kOver);
  EXPECT_THAT(session_.problem(), HasSubstr("instead of Session Initialization"));
}

TEST_F(DlepSessionTest, RoutersThatDoNotBeginAreNotWaitedFor) {
  pass(10s);
  EXPECT_EQ(session_.state(), DlepSession::State::kInitializing);
  pass(1ms);
  EXPECT_EQ(session_.state(), DlepSession::State::kOver);
}

}  // namespace
}  // namespace hilgate::test
