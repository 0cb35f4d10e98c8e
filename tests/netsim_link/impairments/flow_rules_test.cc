// SPDX-License-Identifier: Apache-2.0
// Filters, rules of flows, and the loss of every n-th frame.
#include "netsim_link/impairments/flow_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Bytes udp_to(std::uint16_t port) {
  return ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}},
                  {.source = "10.77.0.1", .destination = "10.77.0.2"}, 17, udp(payload(20), port));
}

bool matches(const char* filter, const Bytes& frame) {
  return FlowFilter(filter).matches(frame, static_cast<std::uint32_t>(frame.size()));
}

TEST(FlowFilter, MatchesAsTcpdumpDoes) {
  EXPECT_TRUE(matches("udp port 14550", udp_to(14550)));
  EXPECT_FALSE(matches("udp port 14550", udp_to(14551)));
  EXPECT_FALSE(matches("tcp", udp_to(14550)));
  EXPECT_TRUE(matches("host 10.77.0.2 and udp", udp_to(1)));
  EXPECT_TRUE(matches("ether src 02:68:67:00:00:01", udp_to(1)));
  EXPECT_TRUE(matches("greater 60", udp_to(1)));
  EXPECT_FALSE(matches("greater 61 and less 61", udp_to(1)));
  EXPECT_TRUE(matches("arp", arp_request({.destination = kBroadcast, .source = mac_of(1), .tags = {}}, 1, 2)));
}

TEST(FlowFilter, BytesThatAreNotThereMatchNothing) {
  const Bytes frame = udp_to(14550);
  EXPECT_FALSE(
      FlowFilter("udp port 14550").matches(std::span(frame).first(30), static_cast<std::uint32_t>(frame.size())));
  EXPECT_FALSE(FlowFilter("udp").matches({}, 0));
}

TEST(FlowFilter, CompileErrorsHaveLibpcapsMessage) {
  const auto error = [](const char* text) -> std::string {
    try {
      const FlowFilter filter(text);
      return "compiles";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_THAT(error("udp prt 1"), HasSubstr("'udp prt 1' is not a filter: "));
  EXPECT_THAT(error("udp prt 1"), HasSubstr("syntax error"));
  EXPECT_THAT(error("port 99999"), HasSubstr("illegal port number"));
  EXPECT_EQ(error("udp"), "compiles");
}

ImpairedFrame frame_at(Nanoseconds at) {
  return {HostTime{at}, at, 1, 0};
}

// A link with rules, and what it remembers.
struct RuledLink {
  explicit RuledLink(std::vector<FlowRule> rules, Impairments own = {}) : impairments(std::move(own)) {
    memories.resize(rules.size());
    impairments.flows = std::make_shared<const FlowRules>(FlowRules{std::move(rules)});
  }
  std::optional<DropReason> lose(const Bytes& frame) {
    const MetRule met = met_rule(impairments, frame, static_cast<std::uint32_t>(frame.size()), memories);
    FrameRandom random(1, 0, frames++);
    return draw_loss(impairments, met, frame_at(Nanoseconds{1}), state, random);
  }
  [[nodiscard]] std::uint64_t matched(std::size_t rule) const { return impairments.flows->rules[rule].matched->load(); }

  Impairments impairments;
  ImpairmentState state;
  std::vector<FlowMemory> memories;
  std::uint64_t frames = 0;
};

TEST(FlowRules, TheFirstMatchDecidesAndIsCounted) {
  RuledLink link({{.filter = FlowFilter("udp port 1"), .changes = {.loss = IndependentLoss{1}}},
                  {.filter = FlowFilter("udp"), .changes = {.loss = IndependentLoss{0}}}},
                 {.loss = IndependentLoss{1}});
  EXPECT_EQ(link.lose(udp_to(1)), DropReason::kConfiguredLoss);
  EXPECT_EQ(link.lose(udp_to(2)), std::nullopt) << "the second rule's loss is in place of the link's";
  EXPECT_EQ(link.lose(udp_to(2)), std::nullopt);
  EXPECT_EQ(link.lose(arp_request({.destination = kBroadcast, .source = mac_of(1), .tags = {}}, 1, 2)),
            DropReason::kConfiguredLoss)
      << "no rule is about ARP";
  EXPECT_EQ(link.matched(0), 1U);
  EXPECT_EQ(link.matched(1), 2U);
}

TEST(FlowRules, OmittedKeysOfARuleAreTheLinks) {
  RuledLink link({{.filter = FlowFilter("udp"), .changes = {.duplication = Duplication{1, Nanoseconds{0}}}}},
                 {.loss = IndependentLoss{1}});
  EXPECT_EQ(link.lose(udp_to(1)), DropReason::kConfiguredLoss);
}

TEST(FlowRules, EachCountsItsOwnFrames) {
  RuledLink link({{.filter = FlowFilter("udp port 1"), .changes = {.every = PeriodicLoss{3}}}},
                 {.every = PeriodicLoss{2}});
  std::vector<int> lost;
  for (int i = 0; i < 6; ++i) {  // in turn one of the rule and one of the link
    lost.push_back(link.lose(udp_to(1)) == DropReason::kEveryNth ? 1 : 0);
    lost.push_back(link.lose(udp_to(2)) == DropReason::kEveryNth ? 1 : 0);
  }
  EXPECT_THAT(lost, ElementsAre(0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1));
}

TEST(FlowRules, ALinkWithRulesIsNotIdle) {
  EXPECT_TRUE(idle(Impairments{}));
  EXPECT_FALSE(idle(RuledLink({{.filter = FlowFilter("udp")}}).impairments));
}

}  // namespace
}  // namespace hilgate::test
