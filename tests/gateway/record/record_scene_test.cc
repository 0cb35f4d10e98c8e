// SPDX-License-Identifier: Apache-2.0
// A record that is made here, as Foxglove's scene.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gateway/record/count_codec.h"
#include "gateway/record/record_scene.h"
#include "gateway/record/run_layout.h"
#include "host/mcap/mcap_writer.h"

namespace hilgate::test {
namespace {

using SceneUpdate = nlohmann::json;
constexpr std::int64_t kRecordStart = 1'763'000'000;  // s since 1970

class RecordScene : public ::testing::Test {
 protected:
  RecordScene() { std::filesystem::create_directories(folder_); }
  ~RecordScene() override { std::filesystem::remove_all(folder_); }

  static Nanoseconds at(std::int64_t second) { return std::chrono::seconds{kRecordStart + second}; }

  /// Two robots, of whose link a half is lost in the second second.
  [[nodiscard]] std::filesystem::path record() const {
    const std::filesystem::path file = folder_ / "run.mcap";
    McapWriter writer(file, "a test");
    const auto layout = writer.add_channel({.topic = kLayoutTopic});
    const auto counts = writer.add_channel({.topic = kCountsTopic});
    const auto positions = writer.add_channel({.topic = kPositionsTopic});
    writer.write(layout, at(0),
                 R"({"robots":["red","blue"],"access_points":[],"modes":[],"drop_reasons":["lost_on_air"]})");
    writer.write(positions, at(0), R"({"sim_s":0,"robots":{"red":{"x":1,"y":2,"z":3},"blue":{"x":4,"y":5,"z":6}}})");
    CountEncoder encoder;
    LinkCounts link;
    for (std::int64_t second = 1; second <= 2; ++second) {
      link.released += second == 1 ? 10 : 5;
      link.dropped[0] += second == 1 ? 0 : 5;
      writer.write(counts, at(second), encoder.encode(4, [&](std::size_t i) { return i == 1 ? link : LinkCounts{}; }));
    }
    writer.finish();
    return file;
  }
  /// Its updates, in order.
  [[nodiscard]] std::vector<SceneUpdate> updates(const std::filesystem::path& scene) const {
    std::vector<SceneUpdate> all;
    McapReader reader(scene);
    while (reader.next([&](const McapMessage& message) {
      EXPECT_EQ(message.channel.schema, "foxglove.SceneUpdate");
      EXPECT_EQ(message.channel.topic, "/scene");
      all.push_back(SceneUpdate::parse(message.data));
    })) {
    }
    return all;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hilgate-scene-" + std::to_string(::getpid()));
};

TEST_F(RecordScene, HasRobotsLinksAndObstacles) {
  const std::vector<SceneBox> boxes{{"house", {0, 0, 0}, {10, 4, 6}}};
  const SceneCount count = write_scene(record(), boxes, folder_ / "scene.mcap");
  const auto all = updates(folder_ / "scene.mcap");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(count.updates, 4U);

  const SceneUpdate& house = all[0]["entities"][0];
  EXPECT_EQ(house["id"], "obstacle house");
  EXPECT_EQ(house["timestamp"]["sec"], kRecordStart);
  EXPECT_EQ(house["cubes"][0]["pose"]["position"]["x"], 5);
  EXPECT_EQ(house["cubes"][0]["size"]["y"], 4);

  EXPECT_EQ(all[1]["entities"][0]["id"], "robot blue");
  EXPECT_EQ(all[1]["entities"][1]["texts"][0]["text"], "red");
  EXPECT_EQ(all[1]["entities"][1]["spheres"][0]["pose"]["position"]["z"], 3);
  EXPECT_TRUE(all[1]["entities"][2]["lines"].empty()) << "no traffic yet";

  const SceneUpdate& good = all[2]["entities"][0]["lines"][0];
  EXPECT_EQ(good["points"][0]["x"], 1);
  EXPECT_EQ(good["points"][1]["x"], 4);
  EXPECT_EQ(good["color"]["r"], 0);
  EXPECT_EQ(all[3]["entities"][0]["lines"][0]["color"]["r"], 1) << "half of the last second's are lost";
  EXPECT_EQ(all[3]["entities"][0]["metadata"][0]["key"], "red>blue");
}

}  // namespace
}  // namespace hilgate::test
