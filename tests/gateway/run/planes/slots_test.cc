// SPDX-License-Identifier: Apache-2.0
// Slots of ports and robots over changes of the configuration.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "gateway/run/planes/path_slots.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Wanted {
  std::string robot;
  std::string interface;
  std::size_t core = 0;
};

// A port for each interface, and a robot on it.
Configuration with(const std::vector<Wanted>& all, std::size_t cores = 1) {
  Configuration configuration;
  configuration.cores.resize(cores);
  for (const Wanted& one : all) {
    const PortIndex port{static_cast<std::uint32_t>(configuration.ports.size())};
    PortConfig& at = configuration.ports.emplace_back();
    at.name = "at-" + one.robot;
    at.interface = one.interface;
    RobotConfig& robot = configuration.robots.emplace_back();
    robot.name = one.robot;
    robot.body = one.robot;
    robot.port = port;
    configuration.cores[one.core].ports.push_back(port);
  }
  return configuration;
}

constexpr auto kIdle = [](LinkSlot) { return true; };
constexpr auto kBusy = [](LinkSlot) { return false; };

PortSlot port(const RobotSlots& slots, std::uint32_t index) {
  return slots.ports().slot_of(PortIndex{index});
}
RobotSlot robot(const RobotSlots& slots, std::uint32_t index) {
  return slots.table().slot_of(RobotIndex{index});
}

PathSettings arranged(const RobotSlots& slots, std::size_t robots) {
  PathSettings settings;
  settings.robots.resize(robots);
  settings.air.stations.resize(robots);
  settings.air.rules.resize(robots * robots);
  return slots.arrange(settings);
}

TEST(Slots, OfPortsStayWithTheirInterfaces) {
  const RobotSlots first(with({{"red", "hg0"}, {"blue", "hg1"}, {"green", "hg2"}}));
  const RobotSlots next = first.changed(with({{"green", "hg2"}, {"white", "hg3"}, {"red", "hg0"}}), kBusy);
  EXPECT_EQ(port(next, 0), port(first, 2));
  EXPECT_EQ(port(next, 2), port(first, 0));
  EXPECT_EQ(robot(next, 0), robot(first, 2));
  EXPECT_NE(port(next, 1), port(first, 1)) << "frames may be on their way to blue";
  EXPECT_EQ(next.ports().index_of(port(first, 1)), OptionalIndex<PortIndex>{});
  const RobotSlots back = next.changed(with({{"blue", "hg1"}}), kIdle);
  EXPECT_EQ(port(back, 0), port(first, 1));
  EXPECT_EQ(robot(back, 0), robot(first, 1));
}

TEST(Slots, OfAPortThatIsOpenedInAnotherWayIsAnother) {
  Configuration configuration = with({{"red", "hg0"}, {"blue", "hg1"}});
  const RobotSlots first(configuration);
  configuration.ports[1].fail = FailMode::kWire;
  const RobotSlots next = first.changed(configuration, kIdle);
  EXPECT_EQ(port(next, 0), port(first, 0));
  EXPECT_NE(port(next, 1), port(first, 1));
  EXPECT_NE(robot(next, 1), robot(first, 1)) << "what is held for blue was for the port before";
}

TEST(Slots, ArePassedOnWhenNothingIsOnItsWay) {
  RobotSlots slots(with({{"red", "hg0"}}));
  for (int i = 0; i < 100; ++i) {
    slots = slots.changed(with({{"red", "hg0"}, {fmt::format("robot-{}", i), fmt::format("if{}", i)}}), kIdle);
    EXPECT_EQ(port(slots, 0), PortSlot{0});
  }
  EXPECT_EQ(arranged(slots, 2).passed_on.size(), 1U);
}

TEST(Slots, RunOutWhileFramesAreOnTheirWay) {
  RobotSlots slots(with({{"red", "hg0"}}));
  for (std::size_t i = 0; i < PortSlots::kSpare; ++i) {
    slots = slots.changed(with({{"red", "hg0"}, {fmt::format("robot-{}", i), fmt::format("if{}", i)}}), kBusy);
  }
  EXPECT_THAT(
      [&] {
        return slots.changed(with({{"red", "hg0"}, {"late", "hg9"}}), kBusy);
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("ports.at-late: no free slot: 16 ports can be added")));
  EXPECT_NO_THROW(static_cast<void>(slots.changed(with({{"red", "hg0"}, {"late", "hg9"}}), kIdle)));
}

TEST(Slots, OfRobotsThatLeftLeadNowhereOnceNothingIsOnItsWay) {
  const RobotSlots first(with({{"red", "hg0"}, {"blue", "hg1"}}));
  const RobotSlots left = first.changed(with({{"red", "hg0"}}), kBusy);
  EXPECT_EQ(arranged(left, 1).robots[1].port, PortSlot{1}) << "what is held is still blue's";
  EXPECT_EQ(arranged(left.changed(with({{"red", "hg0"}}), kIdle), 1).robots[1].port, left.ports().nowhere());
}

TEST(Slots, OfPortsStayOnTheirCores) {
  const RobotSlots first(with({{"red", "hg0", 0}, {"blue", "hg1", 1}}, 2));
  EXPECT_THAT(
      [&] {
        return first.changed(with({{"red", "hg0", 1}, {"blue", "hg1", 0}}, 2), kIdle);
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("port 'at-red' cannot change its core at run time")));
  const Configuration more = with({{"red", "hg0", 0}, {"blue", "hg1", 1}, {"green", "hg2", 1}}, 2);
  EXPECT_EQ(first.changed(more, kIdle).ports().plan(more).ports[2].core, 1U);
}

}  // namespace
}  // namespace hilgate::test
