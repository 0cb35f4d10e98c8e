// SPDX-License-Identifier: Apache-2.0
// A gateway's StepConnection against a raw FrameConnection that plays the simulator.
#include "physics_link/connection/step_connection.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class StepLinkTest : public testing::Test {
 protected:
  void start(TroublePolicy policy, Nanoseconds timeout = 10s) {
    const Endpoint endpoint = Endpoint::parse("unix:" + dir_.file("s"));
    sim_.emplace(io_, LinkOptions{.name = "sim", .endpoint = endpoint, .role = ConnectionRole::kListen}, sim_report_,
                 FrameConnection::Handlers{.opened = [this] { ++connections_; },
                                           .frame = [this](std::string_view body) { questions_.emplace_back(body); },
                                           .lost = [this](bool, const std::string&) { sim_->open(); }});
    sim_->open();
    StepLinkOptions options{
        .link = {.name = "physics", .endpoint = endpoint, .retry = 5ms}, .policy = policy, .answer_timeout = timeout};
    step_.emplace(
        io_, options, [this](const ConnectionEvent& event) { events_.push_back(event.text); },
        StepConnection::Handlers{.opened = [this] { step_->ready(); },
                                 .control = [](std::string_view body) { return body == "control"; },
                                 .answer = [](std::string_view body) { return judge(body); },
                                 .ended = [this](bool answered) { endings_.push_back(answered); },
                                 .failed = [this](const std::string& why) { failed_ = why; }});
    step_->open();
    ASSERT_TRUE(run_until(io_, [&] { return connections_ == 1 && step_->is_ready(); }));
    events_.clear();
  }
  static MaybeFault judge(std::string_view body) {
    if (body == "good") {
      return std::nullopt;
    }
    if (body == "stale") {
      return ProtocolFault{ProtocolError::kUnexpected, "END for window 3; expected window 4"};
    }
    return ProtocolFault{body == "odd" ? ProtocolError::kUnequalArrays : ProtocolError::kBadMessage,
                         "what came was " + std::string(body)};
  }
  void ask() {
    step_->ask("q");
    ASSERT_TRUE(run_until(io_, [&] { return !questions_.empty(); }));
    questions_.clear();
  }
  bool wait_endings(std::size_t count) {
    return run_until(io_, [&] { return endings_.size() == count; });
  }

  TempDir dir_;
  asio::io_context io_;
  ConnectionReport sim_report_{nullptr};
  std::optional<FrameConnection> sim_;
  std::optional<StepConnection> step_;
  int connections_ = 0;
  std::vector<std::string> questions_;
  std::vector<std::string> events_;
  std::vector<bool> endings_;
  std::string failed_;
};

TEST_F(StepLinkTest, AnAnswerEndsTheQuestion) {
  start(TroublePolicy::kFail);
  ask();
  EXPECT_TRUE(step_->asking());
  sim_->send("control");
  sim_->send("good");
  ASSERT_TRUE(wait_endings(1));
  EXPECT_TRUE(endings_[0]);
  EXPECT_FALSE(step_->asking());
  EXPECT_THAT(events_, ElementsAre());
}

TEST_F(StepLinkTest, AnsweringTwiceIsReportedOnceAndCounted) {
  start(TroublePolicy::kResynchronise);
  ask();
  for (int i = 0; i < 3; ++i) {
    sim_->send("good");
  }
  ASSERT_TRUE(run_until(io_, [&] { return step_->counters().count(LinkEventKind::kUnasked) == 2; }));
  EXPECT_THAT(events_, ElementsAre("physics: ignored an unexpected frame of 4 bytes"));
}

TEST_F(StepLinkTest, ASpoiledAnswerEndsTheQuestionWithoutOne) {
  start(TroublePolicy::kResynchronise);
  ask();
  sim_->send("garbage");
  ASSERT_TRUE(wait_endings(1));
  EXPECT_FALSE(endings_[0]);
  EXPECT_THAT(events_, ElementsAre("physics: bad_message: what came was garbage"));
  EXPECT_EQ(step_->counters().count(ProtocolError::kBadMessage), 1U);
  ask();
  sim_->send("good");
  ASSERT_TRUE(wait_endings(2));
  EXPECT_TRUE(endings_[1]);
}

TEST_F(StepLinkTest, UnequalArraysAreReportedAndTheAnswerCounts) {
  start(TroublePolicy::kFail);
  ask();
  sim_->send("odd");
  ASSERT_TRUE(wait_endings(1));
  EXPECT_TRUE(endings_[0]);
  EXPECT_EQ(step_->counters().count(ProtocolError::kUnequalArrays), 1U);
  EXPECT_EQ(failed_, "");
}

TEST_F(StepLinkTest, AStaleAnswerLeavesTheQuestionOpen) {
  start(TroublePolicy::kResynchronise);
  ask();
  sim_->send("stale");
  sim_->send("good");
  ASSERT_TRUE(wait_endings(1));
  EXPECT_TRUE(endings_[0]);
  EXPECT_EQ(step_->counters().count(ProtocolError::kUnexpected), 1U);
}

TEST_F(StepLinkTest, AFailingPolicyStopsAtTheFirstTrouble) {
  start(TroublePolicy::kFail);
  ask();
  sim_->send("garbage");
  ASSERT_TRUE(run_until(io_, [&] { return !failed_.empty(); }));
  EXPECT_EQ(failed_, "physics: bad_message: what came was garbage");
}

TEST_F(StepLinkTest, ReturningPeerIsAskedAgain) {
  start(TroublePolicy::kResynchronise);
  ask();
  sim_->close();
  sim_->open();
  ASSERT_TRUE(run_until(io_, [&] { return questions_.size() == 1; })) << "the same question, once more";
  sim_->send("good");
  ASSERT_TRUE(wait_endings(1));
  EXPECT_EQ(step_->counters().count(LinkEventKind::kGone), 1U);
}

TEST_F(StepLinkTest, LostPeerFailsTheRunWhenConfigured) {
  start(TroublePolicy::kFail);
  ask();
  sim_->close();
  ASSERT_TRUE(run_until(io_, [&] { return !failed_.empty(); }));
  EXPECT_THAT(failed_, HasSubstr("the peer closed the connection"));
}

TEST_F(StepLinkTest, HangingPeerIsDisconnectedAndAskedAgain) {
  start(TroublePolicy::kResynchronise, 40ms);
  ask();
  ASSERT_TRUE(wait_endings(1));
  EXPECT_FALSE(endings_[0]);
  EXPECT_EQ(step_->counters().count(LinkEventKind::kSilent), 1U);
  ASSERT_TRUE(run_until(io_, [&] { return connections_ == 2; }));
  ask();
  sim_->send("good");
  ASSERT_TRUE(wait_endings(2));
  EXPECT_TRUE(endings_[1]);
}

TEST_F(StepLinkTest, APeerThatHangsFailsTheRunWhenConfigured) {
  start(TroublePolicy::kFail, 40ms);
  ask();
  ASSERT_TRUE(run_until(io_, [&] { return !failed_.empty(); }));
  EXPECT_THAT(failed_, HasSubstr("physics: no answer for 0."));
}

}  // namespace
}  // namespace hilgate::test
