// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/foxglove/foxglove_channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using FoxgloveJson = nlohmann::ordered_json;

constexpr Nanoseconds kNow = 1'795'923'859s + 123ns;

FoxgloveJson status_with(const FoxgloveJson& conditions) {
  return {{"robots",
           {{{"name", "red.sik"}, {"body", "red"}, {"position", {1.0, 2.0, 3.0}}},
            {{"name", "red.wifi"}, {"body", "red"}, {"position", {1.0, 2.0, 3.0}}},
            {{"name", "blue"}, {"position", {4.0, 5.0, 6.0}}},
            {{"name", "lost"}}}},
          {"window", {{"sim_time_s", 7.5}}},
          {"conditions", conditions},
          {"links",
           {{{"from", "red.wifi"}, {"to", "blue"}, {"reachable", true}, {"effective_loss", 0.25}, {"rssi_dbm", -60.5}},
            {{"from", "blue"}, {"to", "lost"}, {"reachable", true}, {"effective_loss", 0.0}},
            {{"from", "blue"}, {"to", "red.sik"}, {"reachable", false}}}}};
}

const FoxgloveJson kStale = {
    {"name", "position_stale"}, {"severity", "warning"}, {"about", "physics"}, {"text", "held"}};

std::vector<FoxgloveJson> of_topic(const std::vector<FoxgloveMessages::Message>& messages, FoxgloveTopic topic) {
  std::vector<FoxgloveJson> found;
  for (const FoxgloveMessages::Message& message : messages) {
    if (message.topic == topic) {
      found.push_back(FoxgloveJson::parse(message.json));
    }
  }
  return found;
}

TEST(FoxgloveMessages, ARobotOfSeveralRadiosIsOneFrame) {
  FoxgloveMessages messages;
  const auto said = of_topic(messages.take(status_with(FoxgloveJson::array()), kNow), FoxgloveTopic::kTransforms);
  ASSERT_EQ(said.size(), 1U);
  const FoxgloveJson& transforms = said[0]["transforms"];
  ASSERT_EQ(transforms.size(), 2U) << "one has no position";
  EXPECT_EQ(transforms[0]["child_frame_id"], "blue");
  EXPECT_EQ(transforms[1]["child_frame_id"], "red");
  EXPECT_EQ(transforms[1]["parent_frame_id"], "map");
  EXPECT_EQ(transforms[1]["translation"], (FoxgloveJson{{"x", 1.0}, {"y", 2.0}, {"z", 3.0}}));
  EXPECT_EQ(transforms[1]["timestamp"], (FoxgloveJson{{"sec", 1'795'923'859}, {"nsec", 123}}));
}

TEST(FoxgloveMessages, TheSceneHasRobotsAndLinksInRange) {
  FoxgloveMessages messages;
  const auto said = of_topic(messages.take(status_with(FoxgloveJson::array()), kNow), FoxgloveTopic::kScene);
  ASSERT_EQ(said.size(), 1U);
  const FoxgloveJson& entities = said[0]["entities"];
  ASSERT_EQ(entities.size(), 3U);
  EXPECT_EQ(entities[0]["id"], "robot blue");
  EXPECT_EQ(entities[2]["id"], "links");
  ASSERT_EQ(entities[2]["lines"].size(), 1U);
  EXPECT_EQ(entities[2]["metadata"][0], (FoxgloveJson{{"key", "red.wifi>blue"}, {"value", "0.25"}}));
}

TEST(FoxgloveMessages, LinksHaveTheirNumbers) {
  FoxgloveMessages messages;
  const auto said = of_topic(messages.take(status_with(FoxgloveJson::array()), kNow), FoxgloveTopic::kLinks);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0]["sim_time_s"], 7.5);
  ASSERT_EQ(said[0]["links"].size(), 3U);
  EXPECT_EQ(said[0]["links"][0]["name"], "red.wifi>blue");
  EXPECT_EQ(said[0]["links"][0]["rssi_dbm"], -60.5);
  EXPECT_FALSE(said[0]["links"][1].contains("rssi_dbm"));
}

TEST(FoxgloveMessages, ConditionsAreLoggedWhenTheyBeginAndEnd) {
  FoxgloveMessages messages;
  const auto logged = [&](const FoxgloveJson& conditions) {
    return of_topic(messages.take(status_with(conditions), kNow), FoxgloveTopic::kConditions);
  };
  EXPECT_TRUE(logged(FoxgloveJson::array()).empty());
  auto said = logged(FoxgloveJson::array({kStale}));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0]["level"], 3);
  EXPECT_EQ(said[0]["message"], "held");
  EXPECT_EQ(said[0]["name"], "position_stale");
  FoxgloveJson longer = kStale;
  longer["text"] = "held for longer";
  EXPECT_TRUE(logged(FoxgloveJson::array({longer})).empty()) << "the same one";
  ASSERT_EQ(messages.standing(kNow).size(), 1U) << "for who comes later";
  said = of_topic(messages.take_silence("no answer", kNow), FoxgloveTopic::kConditions);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0]["level"], 4);
  EXPECT_TRUE(of_topic(messages.take_silence("no answer", kNow), FoxgloveTopic::kConditions).empty());
  said = logged(FoxgloveJson::array());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0]["message"].get<std::string>(), testing::StartsWith("ended: the gateway does not answer"));
}

TEST(Foxglove, ChannelsHaveSchemas) {
  const FoxgloveJson advertised = FoxgloveJson::parse(foxglove_advertisement());
  EXPECT_EQ(advertised["op"], "advertise");
  ASSERT_EQ(advertised["channels"].size(), kFoxgloveTopics);
  for (const FoxgloveJson& channel : advertised["channels"]) {
    EXPECT_EQ(channel["encoding"], "json");
    EXPECT_EQ(FoxgloveJson::parse(channel["schema"].get<std::string>())["title"], channel["schemaName"]);
  }
  EXPECT_EQ(advertised["channels"][0]["id"], 1);
}

TEST(Foxglove, DataAreLittleEndian) {
  EXPECT_EQ(foxglove_data(0x01020304, Nanoseconds{0x0102030405060708}, "{}"),
            std::string("\x01\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x01{}"));
}

}  // namespace
}  // namespace hilgate::test
