// SPDX-License-Identifier: Apache-2.0
// Why links are as they are, and what is not well, from statuses that are made here.
#include "gateway/status/model/diagnosis.h"

#include <gmock/gmock.h>

#include <chrono>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

RobotStatus robot_at(const std::string& name, double x) {
  RobotStatus robot;
  robot.name = name;
  robot.port = name + "0";
  robot.position = Vec3{x, 0, 1};
  return robot;
}

LinkStatus good_link(const std::string& from, const std::string& to) {
  LinkStatus link;
  link.from = from;
  link.to = to;
  link.reachable = true;
  link.snr.value = 25.25;
  return link;
}

RunStatus two_robots() {
  RunStatus status;
  status.robots = {robot_at("red", 0), robot_at("blue", 60)};
  status.links = {good_link("red", "blue"), good_link("blue", "red")};
  return status;
}

std::vector<std::string> reasons_of_first(RunStatus status, const NamedObstacles& obstacles = {},
                                          std::optional<double> loss = std::nullopt) {
  const std::vector<std::optional<double>> losses{loss, std::nullopt};
  diagnose(status, obstacles, losses, std::nullopt);
  return status.links.front().reasons;
}

auto finding(std::string_view grade, const std::string& text) {
  return AllOf(Field(&FindingStatus::grade, grade), Field(&FindingStatus::text, text));
}

TEST(Reasons, AreAbsentForALinkWithNothingWrong) {
  EXPECT_THAT(reasons_of_first(two_robots()), IsEmpty());
}

TEST(Reasons, NameWallsBetweenTheEndsAndNoOthers) {
  RunStatus status = two_robots();
  status.links[0].line_of_sight = false;
  status.links[0].frame_loss.value = 0.5;
  const NamedObstacles walls{
      .boxes = {{"house", "brick", {{40, -5, 0}, {50, 5, 9}}}, {"shed", "wood", {{70, -5, 0}, {80, 5, 9}}}}};
  EXPECT_THAT(reasons_of_first(status, walls),
              ElementsAre("No line of sight: house (brick) stands between them.",
                          "Weak: at 25.2 dB SNR, over 60 m a try of a full frame is lost with 50 %."));
  EXPECT_THAT(reasons_of_first(status).front(), "No line of sight: something stands between them.");
}

TEST(Reasons, NameBuildingsAndTheGroundOfAPlace) {
  RunStatus status = two_robots();
  status.links[0].line_of_sight = false;
  auto place = std::make_shared<GeoScene>();
  const auto build = [&place](const char* name, double x, const char* material) {
    place->buildings.push_back({.name = name,
                                .rings = {{{x, -5}, {x + 10, -5}, {x + 10, 5}, {x, 5}}},
                                .base_m = 0,
                                .top_m = 9,
                                .material = material,
                                .wall_m = {}});
  };
  build("way 7", 20, "building");
  build("way 8", 40, "wall_wood");
  build("relation 9", 70, "building");  // beyond the end
  std::vector<Prism> prisms;
  for (const GeoBuilding& building : place->buildings) {
    prisms.push_back(
        {.rings = building.rings, .base_m = 0, .top_m = 9, .material = 0, .wall_m = {}, .fixed_loss_db = {}});
  }
  const NamedObstacles buildings{.place = place, .buildings = std::make_shared<const Buildings>(prisms)};
  EXPECT_THAT(reasons_of_first(status, buildings),
              ElementsAre("No line of sight: building way 7, building way 8 (wall_wood) stand between them."));

  const auto ridge = std::make_shared<const HeightGrid>(
      HeightGrid::Layout{.west_m = 0, .south_m = -30, .step_m = 30, .columns = 3, .rows = 3},
      std::vector<float>{0, 40, 0, 0, 40, 0, 0, 40, 0}, 0.0);
  EXPECT_THAT(reasons_of_first(status, {.ground = ridge}),
              ElementsAre("No line of sight: the ground is between them."));
}

TEST(Reasons, DistinguishOutOfRangeFromDetectedOnly) {
  RunStatus status = two_robots();
  status.links[0].frame_loss.value = 1;
  EXPECT_THAT(reasons_of_first(status),
              ElementsAre("Detected only: at 25.2 dB SNR, over 60 m no full frame can be decoded, and blue still waits "
                          "while red sends."));
  status.links[0].reachable = false;
  EXPECT_THAT(reasons_of_first(status), ElementsAre("Out of range: blue does not detect red, over 60 m."));
}

TEST(Reasons, NameRadiosOfDifferentMedia) {
  RunStatus status = two_robots();
  status.links[0].reachable = false;
  status.media = {{.domain = "ism_2g4", .robots = {"red"}}, {.domain = "lora", .robots = {"blue"}}};
  EXPECT_THAT(reasons_of_first(status),
              ElementsAre("Different radios: red's is on ism_2g4, blue's on lora; they do not receive one another."));
}

TEST(Reasons, NameOverridesUnpluggedBusyAndConfigured) {
  RunStatus status = two_robots();
  status.assignments = {"links.red.*.delay=5ms", "links.blue.red.loss=1 %", "links.red.blue[\"udp\"].loss=2 %",
                        "links.red.blue.rate="};
  status.robots[1].unplugged = true;
  status.media = {{.domain = "ism_2g4", .robots = {"red", "blue"}, .utilisation_last_s = 0.95}};
  status.links[0].configured_loss = Probability{0.36};
  EXPECT_THAT(reasons_of_first(status),
              ElementsAre("blue is unplugged: its port blue0 is not up.", "Set by hand: links.red.*.delay=5ms",
                          "Set by hand: links.red.blue[\"udp\"].loss=2 %",
                          "The air of ism_2g4 is in use 95 % of the time: frames wait and queues overflow.",
                          "Configured: `links` loses 36 % of its frames."));
}

TEST(Reasons, AdmitALossWithoutACause) {
  EXPECT_THAT(reasons_of_first(two_robots(), {}, 0.2),
              ElementsAre("Nothing stands out: the drop reasons name what became of the frames."));
}

TEST(Findings, OrderDeadLinksBeforeWarningsAndLossyOnesBeforeNotes) {
  RunStatus status = two_robots();
  status.conditions = {{.name = "wired", .severity = "error", .text = "wired"},
                       {.name = "loop_stalled", .severity = "warning", .text = "stalled"},
                       {.name = "radios_deaf", .severity = "note", .text = "two media"}};
  const std::vector<std::optional<double>> losses{0.9, 0.2};
  diagnose(status, {}, losses, std::nullopt);
  EXPECT_THAT(status.findings,
              ElementsAre(finding("bad", "wired"), finding("bad", "red -> blue: hardly anything arrives"),
                          finding("doubtful", "stalled"), finding("doubtful", "blue -> red: frames are lost (20 %)"),
                          finding("note", "two media")));
  EXPECT_EQ(status.findings[2].condition, 1U);
  EXPECT_FALSE(status.findings[1].condition);
}

TEST(Findings, LinksBetweenDifferentRadiosDoNotHideOneThatIsCut) {
  RunStatus status = two_robots();
  status.links[1].to = "green";
  status.links[1].reachable = false;
  status.media = {{.domain = "ism_2g4", .robots = {"red", "blue"}}, {.domain = "sik", .robots = {"green"}}};
  const std::vector<std::optional<double>> losses{0.9, 1.0};
  diagnose(status, {}, losses, std::nullopt);
  EXPECT_THAT(status.findings,
              ElementsAre(finding("bad", "red -> blue: hardly anything arrives"),
                          finding("doubtful", "blue -> green: used, and between different radios: nothing arrives")));
}

TEST(Findings, AreAbsentWhenAllIsWellAlsoOnUnusedLinks) {
  RunStatus status = two_robots();
  status.links[1].reachable = false;
  const std::vector<std::optional<double>> losses{0.04, std::nullopt};
  diagnose(status, {}, losses, std::nullopt);
  EXPECT_THAT(status.findings, IsEmpty());
  status.totals.balanced = false;
  diagnose(status, {}, losses, 0.12);
  EXPECT_THAT(status.findings,
              ElementsAre(finding("bad", "deliveries are not all accounted for: this is a fault of the gateway"),
                          finding("doubtful", "12 % of all frames are lost")));
}

TEST(Findings, UsedLinkThatCannotDecodeIsDeadAfterEarlierArrivals) {
  RunStatus status = two_robots();
  status.links[0].frame_loss.value = 1;
  const std::vector<std::optional<double>> losses{0.0, 0.0};
  diagnose(status, {}, losses, std::nullopt);
  EXPECT_THAT(status.findings, ElementsAre(finding("bad", "red -> blue: hardly anything arrives")));
}

TEST(RecentLoss, IsOfTheLastSecondOrOfAsManyAsItTakes) {
  RecentLoss loss;
  loss.count(100, 100, 1s);
  EXPECT_FALSE(loss.value());
  loss.count(105, 105, 2s);
  EXPECT_EQ(loss.value(), 0.5);
  loss.count(106, 105, 3s);  // one frame a second: too few, the value stays
  EXPECT_EQ(loss.value(), 0.5);
  loss.count(110, 105, 7s);
  EXPECT_EQ(loss.value(), 0.0);
  loss.count(110, 105, 16s);
  EXPECT_EQ(loss.value(), 0.0);
  loss.count(110, 105, 17s);  // ten seconds without any
  EXPECT_FALSE(loss.value());
  loss.count(3, 0, 18s);  // began anew
  EXPECT_FALSE(loss.value());
}

}  // namespace
}  // namespace hilgate::test
