// SPDX-License-Identifier: Apache-2.0
// What links are made from, where a file says much about many of them.
#include "gateway/configuration/link_overrides.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "gateway/configuration/configuration.h"
#include "netsim_link/impairments/flow_rules.h"
#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

Configuration with_robots(std::size_t robots) {
  Configuration configuration;
  configuration.robots.resize(robots);
  return configuration;
}

LinkOverride delayed(LinkOverrides::End from, LinkOverrides::End to, Nanoseconds delay) {
  LinkOverride item;
  item.from = from;
  item.to = to;
  item.delay = DelayConfig{.base = delay};
  return item;
}

/// How many items are laid over links in all, and the most over one.
std::pair<std::size_t, std::size_t> work_of(const Configuration& configuration) {
  const auto robots = static_cast<std::uint32_t>(configuration.robots.size());
  const LinkOverrides overrides(configuration);
  std::size_t all = 0;
  std::size_t most = 0;
  for (std::uint32_t from = 0; from < robots; ++from) {
    const SenderRules rules(overrides, RobotIndex{from});
    for (std::uint32_t to = 0; to < robots; ++to) {
      const std::size_t items = rules.items(RobotIndex{to}).size();
      all += items;
      most = std::max(most, items);
    }
  }
  return {all, most};
}

TEST(LinkOverrides, OfManyForTheSameEndsTheLastOneIsLeft) {
  Configuration configuration = with_robots(1024);
  for (int n = 0; n < 2000; ++n) {
    configuration.links.push_back(delayed({}, {}, n * 1us));
  }
  EXPECT_THAT(LinkOverrides(configuration).all(), ElementsAre(&configuration.links.back()));
  EXPECT_EQ(work_of(configuration), std::pair(std::size_t{1024 * 1024}, std::size_t{1}));
  EXPECT_EQ(link_rules(configuration, RobotIndex{3}, RobotIndex{5}).extra_delay, 1999us);
}

TEST(LinkOverrides, OverridesOfManyEndsApplyToTheirLinks) {
  Configuration configuration = with_robots(256);
  for (std::uint32_t n = 0; n < 2000; ++n) {
    const RobotIndex robot{n % 256};
    configuration.links.push_back(delayed({}, robot, 1us));
    configuration.links.push_back(delayed(robot, {}, 2us));
    configuration.links.push_back(delayed(robot, RobotIndex{(n + 1) % 256}, 3us));
  }
  const auto [all, most] = work_of(configuration);
  EXPECT_LE(all, 2U * 256 * 256 + 2000);
  EXPECT_LE(most, 3U);
}

TEST(LinkOverrides, AnItemWithAValueThatIsLeftStays) {
  Configuration configuration = with_robots(2);
  configuration.links = {delayed({}, {}, 1us), delayed({}, {}, 2us), delayed(RobotIndex{0}, {}, 3us)};
  configuration.links[0].policy = ErrorPolicy::kArq;
  const LinkRules rules = link_rules(configuration, RobotIndex{0}, RobotIndex{1});
  EXPECT_EQ(rules.policy, ErrorPolicy::kArq);
  EXPECT_EQ(rules.extra_delay, 3us);
  EXPECT_EQ(LinkOverrides(configuration).all().size(), 3U);
}

TEST(LinkOverrides, EqualLinksOfASenderShareTheirImpairments) {
  Configuration configuration = with_robots(4);
  configuration.links = {delayed({}, {}, 1us), delayed({}, RobotIndex{2}, 1us)};
  configuration.links[0].delay->jitter = Jitter{.half_life = 1us};
  const LinkOverrides overrides(configuration);
  SenderRules of_first(overrides, RobotIndex{0});
  const LinkRules to_second = of_first.to(RobotIndex{1}, {});
  EXPECT_EQ(of_first.to(RobotIndex{2}, {}).impairments, nullptr) << "the later item has a delay without jitter";
  EXPECT_EQ(of_first.to(RobotIndex{3}, {}).impairments, to_second.impairments);
  LinkRules own;
  own.impairments = std::make_shared<const Impairments>(Impairments{.duplication = Duplication{.probability = 0.5}});
  const LinkRules with_own = of_first.to(RobotIndex{3}, own);
  EXPECT_TRUE(with_own.impairments->duplication);
  EXPECT_FALSE(of_first.to(RobotIndex{3}, {}).impairments->duplication)
      << "what another link has of its own is its own";
}

/// Of the items about a link, the value of the last one that has it: what `links` promises.
template <class Value>
std::optional<Value> last_value(const Configuration& configuration, RobotIndex from, RobotIndex to,
                                const std::function<std::optional<Value>(const LinkOverride&)>& value) {
  std::optional<Value> last;
  for (const LinkOverride& item : configuration.links) {
    if (item.from.value_or(from) == from && item.to.value_or(to) == to && value(item)) {
      last = value(item);
    }
  }
  return last;
}

TEST(LinkOverrides, LaterItemsWinValueByValueWhateverTheirEnds) {
  std::mt19937 random(16);
  const auto end = [&random]() -> LinkOverrides::End {
    const std::uint32_t robot = random() % 5;
    return robot == 4 ? std::nullopt : std::optional(RobotIndex{robot});
  };
  for (int round = 0; round < 50; ++round) {
    Configuration configuration = with_robots(4);
    for (int n = 0; n < 40; ++n) {
      LinkOverride item{.from = end(), .to = end()};
      if (random() % 2 == 0) {
        item.delay = DelayConfig{.base = Nanoseconds{random() % 1000}};
      }
      if (random() % 2 == 0) {
        item.protect_headers = random() % 2 == 0;
      }
      if (random() % 2 == 0) {
        item.impairments.duplication = Duplication{.probability = 0.001 * (1 + n)};
      }
      configuration.links.push_back(item);
    }
    const LinkOverrides overrides(configuration);
    for (std::uint32_t from = 0; from < 4; ++from) {
      SenderRules rules(overrides, RobotIndex{from});
      for (std::uint32_t to = 0; to < 4; ++to) {
        const auto last = [&]<class Value>(std::function<std::optional<Value>(const LinkOverride&)> value) {
          return last_value<Value>(configuration, RobotIndex{from}, RobotIndex{to}, value);
        };
        const LinkRules made = rules.to(RobotIndex{to}, {});
        const auto delay = last(std::function(
            [](const LinkOverride& item) { return item.delay ? std::optional(item.delay->base) : std::nullopt; }));
        const auto protect = last(std::function([](const LinkOverride& item) { return item.protect_headers; }));
        const auto twice = last(std::function([](const LinkOverride& item) { return item.impairments.duplication; }));
        EXPECT_EQ(made.extra_delay, delay.value_or(Nanoseconds{0}));
        EXPECT_EQ(made.protect_headers, protect.value_or(true));
        EXPECT_EQ(made.impairments ? made.impairments->duplication->probability : 0, twice ? twice->probability : 0);
      }
    }
  }
}

const std::string kThree =
    "name: t\nports: {p: {interface: a}, q: {interface: b}, r: {interface: c}}\nnetsim: {type: wire}\n"
    "robots: {red: {port: p}, blue: {port: q}, green: {port: r}}\nlinks:\n";

TEST(LinkLists, StandForEachLinkThatTheyName) {
  const Configuration configuration = read_yaml(
      kThree + "- {from: [red, blue], to: [red, green], loss: 10 %}\n- {from: [red, blue], to: '*', delay: 1ms}\n");
  const auto rules = [&configuration](std::uint32_t from, std::uint32_t to) {
    return link_rules(configuration, RobotIndex{from}, RobotIndex{to});
  };
  EXPECT_EQ(configuration.links.size(), 3U + 2U) << "red has no link to itself";
  EXPECT_TRUE(rules(0, 2).impairments->loss);
  EXPECT_TRUE(rules(1, 0).impairments->loss);
  EXPECT_EQ(rules(0, 1).impairments, nullptr);
  EXPECT_EQ(rules(2, 0).impairments, nullptr);
  EXPECT_EQ(rules(0, 1).extra_delay, 1ms);
  EXPECT_EQ(rules(2, 1).extra_delay, 0ms);
}

TEST(FlowOverrides, LinksHaveTheRulesThatNameThemInFileOrder) {
  const Configuration configuration =
      read_yaml(kThree +
                "- {from: [red, green], to: blue, filter: udp port 1, loss: 20 %}\n- {from: '*', to: '*', loss: 1 %}\n"
                "- {from: '*', to: blue, filter: udp, delay: 3ms, every: 10}\n");
  const auto filters = [&configuration](std::uint32_t from, std::uint32_t to) {
    std::vector<std::string> texts;
    const LinkRules rules = link_rules(configuration, RobotIndex{from}, RobotIndex{to});
    for (const FlowRule& rule : rules.impairments->flows ? rules.impairments->flows->rules : std::vector<FlowRule>{}) {
      texts.push_back(rule.filter.text());
    }
    return texts;
  };
  EXPECT_THAT(filters(0, 1), ElementsAre("udp port 1", "udp"));
  EXPECT_THAT(filters(2, 1), ElementsAre("udp port 1", "udp"));
  EXPECT_THAT(filters(1, 0), testing::IsEmpty());
  const LinkRules rules = link_rules(configuration, RobotIndex{0}, RobotIndex{1});
  EXPECT_TRUE(rules.impairments->loss) << "the link's own";
  const FlowRule& second = rules.impairments->flows->rules[1];
  EXPECT_EQ(second.delay, 3ms);
  EXPECT_EQ(second.changes.every->every, 10U);
  EXPECT_FALSE(second.changes.loss);
  EXPECT_EQ(second.matched, configuration.flows[1].rule.matched) << "all links count together";
}

TEST(FlowOverrides, ALaterItemForTheSameFramesChangesTheRule) {
  const Configuration configuration = read_yaml(kThree +
                                                "- {from: red, to: blue, filter: udp, loss: 20 %, every: 7}\n"
                                                "- {from: red, to: blue, filter: tcp, loss: 1 %}\n"
                                                "- {from: red, to: blue, filter: udp, loss: 0 %}\n");
  ASSERT_EQ(configuration.flows.size(), 2U);
  const Impairments& changes = configuration.flows[0].rule.changes;
  EXPECT_TRUE(changes.loss->idle());
  EXPECT_EQ(changes.every->every, 7U);
}

TEST(FlowOverrides, CountsContinueWithTheSameRobotsAndFilter) {
  const Configuration running = read_yaml(kThree + "- {from: red, to: blue, filter: udp, loss: 20 %}\n");
  running.flows[0].rule.matched->store(5);
  Configuration next = read_yaml(kThree +
                                 "- {from: red, to: green, filter: udp, loss: 20 %}\n"
                                 "- {from: red, to: blue, filter: udp, loss: 30 %}\n");
  take_over_counts(running, next);
  EXPECT_EQ(next.flows[0].rule.matched->load(), 0U);
  EXPECT_EQ(next.flows[1].rule.matched->load(), 5U);
}

}  // namespace
}  // namespace hilgate::test
