// SPDX-License-Identifier: Apache-2.0
// Gateways that change together, with a network between them that may lose words.
#include "gateway/site/site_agreement.h"

#include <gmock/gmock.h>

#include <deque>
#include <memory>
#include <stdexcept>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Gateway final : SiteMember {
  std::uint64_t prepare(const SiteChange& change) override {
    if (!fault.empty()) {
      throw std::runtime_error(fault);
    }
    prepared = change.values.front();
    return digest;
  }
  void forget() override { prepared.clear(); }
  void await(SimTime from) override { awaited = from; }
  [[nodiscard]] SimTime soon() const override { return SimTime{5s}; }

  std::string fault;
  std::uint64_t digest = 7;
  std::string prepared;
  std::optional<SimTime> awaited;
};

// Words arrive in order, each at all others.
class Site {
 public:
  Site() {
    for (std::size_t i = 0; i < 3; ++i) {
      members_[i] = std::make_unique<Gateway>();
      agreements_[i] = std::make_unique<SiteAgreement>(kNames, kNames[i], 1, *members_[i],
                                                       [this, i](const auto& word) { words_.emplace_back(i, word); });
    }
  }
  Gateway& member(std::size_t i) { return *members_[i]; }
  SiteAgreement& at(std::size_t i) { return *agreements_[i]; }
  void propose(std::size_t i, const std::string& value) {
    at(i).propose({.command = "set", .values = {value}}, now, [this](const auto& end) { outcome = end; });
  }
  /// Delivers all; those for `deaf` or of `mute` are lost.
  void deliver(std::size_t deaf = 9, std::size_t mute = 9) {
    while (!words_.empty()) {
      const auto [from, word] = words_.front();
      words_.pop_front();
      for (std::size_t i = 0; i < 3; ++i) {
        if (i != from && i != deaf && from != mute) {
          at(i).hear(kNames[from], word, now);
        }
      }
    }
  }
  void window(std::uint64_t number) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (member(i).awaited) {
        member(i).awaited.reset();
        at(i).applied(number, "", now);
      }
    }
    deliver();
  }
  void pass(Nanoseconds span, std::size_t deaf = 9) {
    now += span;
    for (auto& agreement : agreements_) {
      agreement->tick(now);
    }
    deliver(deaf);
  }

  HostTime now{Nanoseconds{1'000'000'000}};
  std::optional<SiteAgreement::Outcome> outcome;

 private:
  const std::vector<std::string> kNames = {"a", "b", "c"};
  std::array<std::unique_ptr<Gateway>, 3> members_;
  std::array<std::unique_ptr<SiteAgreement>, 3> agreements_;
  std::deque<std::pair<std::size_t, nlohmann::json>> words_;
};

}  // namespace

TEST(SiteAgreementTest, AllChangeWithTheSameWindow) {
  Site site;
  site.propose(1, "x=1");
  site.deliver();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(site.member(i).prepared, "x=1");
    EXPECT_EQ(site.member(i).awaited, SimTime{5s});
  }
  EXPECT_FALSE(site.outcome);
  site.window(50);
  ASSERT_TRUE(site.outcome);
  EXPECT_EQ(site.outcome->error, "");
  EXPECT_EQ(site.outcome->window, 50U);
  EXPECT_FALSE(site.at(0).busy() || site.at(1).busy() || site.at(2).busy());
}

TEST(SiteAgreementTest, RefusalByOneStopsAll) {
  Site site;
  site.member(2).fault = "no such robot";
  site.propose(0, "x=1");
  site.deliver();
  ASSERT_TRUE(site.outcome);
  EXPECT_EQ(site.outcome->error, "nothing was changed at any gateway: gateway c: no such robot");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(site.member(i).prepared, "");
    EXPECT_FALSE(site.member(i).awaited);
    EXPECT_FALSE(site.at(i).busy());
  }
}

TEST(SiteAgreementTest, OtherFilesAreNamed) {
  Site site;
  site.member(1).digest = 8;
  site.propose(0, "x=1");
  site.deliver();
  ASSERT_TRUE(site.outcome);
  EXPECT_THAT(site.outcome->error, HasSubstr("gateway b would have another configuration"));
  EXPECT_FALSE(site.member(0).awaited || site.member(1).awaited || site.member(2).awaited);
}

TEST(SiteAgreementTest, SilentGatewayIsNamedAndNoneChanges) {
  Site site;
  site.propose(0, "x=1");
  site.deliver(2);
  site.pass(SiteAgreement::kAnswerWithin - 1ns, 2);
  EXPECT_FALSE(site.outcome);
  site.pass(1ns, 2);
  ASSERT_TRUE(site.outcome);
  EXPECT_EQ(site.outcome->error, "nothing was changed at any gateway: gateway c has not answered within 3 s");
  EXPECT_FALSE(site.member(0).awaited || site.member(1).awaited || site.member(2).awaited);
  EXPECT_FALSE(site.at(1).busy()) << "it was told";
}

// As when two gateways have not found one another by DDS in both directions yet.
TEST(SiteAgreementTest, LostMessagesAreRepeated) {
  Site site;
  site.propose(0, "x=1");
  site.deliver(2);  // c does not hear what it is asked
  site.pass(SiteAgreement::kSayAgain - 1ns, 2);
  EXPECT_EQ(site.member(2).prepared, "");
  site.now += 1ns;
  site.at(0).tick(site.now);
  site.deliver(9, 2);  // and its answer is lost
  EXPECT_EQ(site.member(2).prepared, "x=1");
  EXPECT_FALSE(site.member(0).awaited);
  site.now += SiteAgreement::kSayAgain;
  site.at(0).tick(site.now);
  site.deliver();
  ASSERT_TRUE(site.member(0).awaited && site.member(1).awaited && site.member(2).awaited);
  for (std::size_t i = 0; i < 3; ++i) {
    site.member(i).awaited.reset();
    site.at(i).applied(50, "", site.now);
  }
  site.deliver(9, 2);  // that c has made it, nobody hears
  EXPECT_FALSE(site.outcome);
  site.pass(SiteAgreement::kSayAgain);
  ASSERT_TRUE(site.outcome);
  EXPECT_EQ(site.outcome->error, "");
  EXPECT_FALSE(site.member(2).awaited) << "once";
  EXPECT_FALSE(site.at(0).busy() || site.at(1).busy() || site.at(2).busy());
}

TEST(SiteAgreementTest, FromWhichWindowItHoldsIsSaidAgain) {
  Site site;
  site.propose(0, "x=1");
  site.deliver(9, 0);  // all hear the question only when it is said again
  site.now += SiteAgreement::kSayAgain;
  site.at(0).tick(site.now);
  site.deliver(2);
  site.now += SiteAgreement::kSayAgain;
  site.at(0).tick(site.now);
  site.deliver(1);  // b has answered, and does not hear that it comes
  EXPECT_TRUE(site.member(0).awaited && site.member(2).awaited);
  EXPECT_FALSE(site.member(1).awaited);
  site.pass(SiteAgreement::kSayAgain);
  EXPECT_TRUE(site.member(1).awaited);
  site.window(50);
  ASSERT_TRUE(site.outcome);
  EXPECT_EQ(site.outcome->error, "");
}

TEST(SiteAgreementTest, LostRequesterIsForgotten) {
  Site site;
  site.propose(0, "x=1");
  site.deliver(9, 1);  // b's answer is lost, c's comes
  site.now += SiteAgreement::kPreparedFor;
  site.at(1).tick(site.now);
  site.at(2).tick(site.now);
  EXPECT_FALSE(site.at(1).busy() || site.at(2).busy());
  EXPECT_EQ(site.member(2).prepared, "");
}

TEST(SiteAgreementTest, TwoAtATimeAreBothRefusedOrOneIsMade) {
  Site site;
  site.propose(0, "x=1");
  EXPECT_NO_THROW(site.propose(1, "x=2"));
  site.deliver();
  ASSERT_TRUE(site.outcome);
  EXPECT_THAT(site.outcome->error, HasSubstr("is busy with a change that gateway"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(site.member(i).awaited);
    EXPECT_FALSE(site.at(i).busy());
  }
  site.propose(2, "x=3");
  EXPECT_THROW(site.propose(2, "x=4"), std::runtime_error);
  site.deliver();
  EXPECT_TRUE(site.member(0).awaited);
}

TEST(SiteAgreementTest, OneThatMissesTheWindowIsNamed) {
  Site site;
  site.propose(0, "x=1");
  site.deliver();
  site.member(1).awaited.reset();  // never comes to it
  site.window(50);
  EXPECT_FALSE(site.outcome);
  site.pass(SiteAgreement::kAnswerWithin + 1s);
  ASSERT_TRUE(site.outcome);
  EXPECT_THAT(site.outcome->error, HasSubstr("gateway b has not confirmed"));
}

TEST(SiteAgreementTest, LateGatewayIsNotifiedWithItsWindow) {
  Site site;
  site.propose(0, "x=1");
  site.deliver();
  site.member(1).awaited.reset();
  site.window(50);
  site.at(1).applied(51, "", site.now);
  site.deliver();
  ASSERT_TRUE(site.outcome);
  EXPECT_EQ(site.outcome->error, "");
  EXPECT_EQ(site.outcome->window, 50U);
  EXPECT_EQ(site.outcome->late, (std::map<std::string, std::uint64_t>{{"b", 51}}));
}

TEST(SiteAgreementTest, GatewayThatFailsAPreparedChangeIsNamed) {
  Site site;
  site.propose(0, "x=1");
  site.deliver();
  site.at(2).applied(50, "no memory", site.now);
  site.member(2).awaited.reset();
  site.window(50);
  ASSERT_TRUE(site.outcome);
  EXPECT_EQ(site.outcome->error, "gateway c: no memory");
}

TEST(SiteAgreementTest, MessagesOfUnknownSendersAndChangesAreIgnored) {
  Site site;
  site.at(0).hear("z", {{"is", "prepare"}, {"change", "q"}, {"values", {"x=1"}}}, site.now);
  EXPECT_FALSE(site.at(0).busy());
  site.at(0).hear("b", nlohmann::json::array({1}), site.now);
  site.at(0).hear("b", {{"is", "commit"}, {"change", "q"}, {"from", -1}}, site.now);
  EXPECT_FALSE(site.at(0).busy());
  site.at(0).hear("b", {{"is", "prepare"}, {"change", "q"}, {"values", {1}}}, site.now);
  EXPECT_FALSE(site.at(0).busy());
  site.at(0).hear("b", {{"is", "prepare"}, {"change", "q"}, {"values", {"x=1"}}}, site.now);
  EXPECT_TRUE(site.at(0).busy());
  site.at(0).hear("c", {{"is", "commit"}, {"change", "q"}, {"from", 1}}, site.now);
  EXPECT_FALSE(site.member(0).awaited) << "not of whom asked";
}

}  // namespace hilgate::test
