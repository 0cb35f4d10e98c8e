// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/foxglove_scene.h"

#include <algorithm>
#include <utility>

#include "config/plain_text.h"

namespace hilgate {
namespace {

using SceneColour = std::array<double, 4>;

constexpr double kRobotSize = 1.5;  // m
constexpr double kLineWidth = 2;    // pixels
constexpr SceneColour kRobotColour{0.05, 0.45, 0.52, 1};
constexpr SceneColour kBoxColour{0.55, 0.6, 0.65, 0.6};
constexpr SceneColour kTextColour{0.1, 0.1, 0.1, 1};

SceneJson pose_at(const ScenePlace& at) {
  return {{"position", scene_point(at)}, {"orientation", {{"x", 0}, {"y", 0}, {"z", 0}, {"w", 1}}}};
}

SceneJson colour_json(const SceneColour& colour) {
  return {{"r", colour[0]}, {"g", colour[1]}, {"b", colour[2]}, {"a", colour[3]}};
}

SceneColour colour_of_loss(double loss) {
  return {std::min(1.0, 2 * loss), std::min(1.0, 2 * (1 - loss)), 0.1, 1};
}

SceneJson entity(std::string id, Nanoseconds at) {
  return {{"timestamp", scene_time(at)},           {"frame_id", kSceneFrame},     {"id", std::move(id)},
          {"lifetime", {{"sec", 0}, {"nsec", 0}}}, {"frame_locked", false},       {"metadata", SceneJson::array()},
          {"arrows", SceneJson::array()},          {"cubes", SceneJson::array()}, {"spheres", SceneJson::array()},
          {"cylinders", SceneJson::array()},       {"lines", SceneJson::array()}, {"triangles", SceneJson::array()},
          {"texts", SceneJson::array()},           {"models", SceneJson::array()}};
}

}  // namespace

const char* const kSceneSchema = R"({"title":"foxglove.SceneUpdate","type":"object","properties":{
"deletions":{"type":"array","items":{"type":"object"}},
"entities":{"type":"array","items":{"type":"object","properties":{
"timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},
"frame_id":{"type":"string"},"id":{"type":"string"},
"lifetime":{"type":"object","title":"duration","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},
"frame_locked":{"type":"boolean"},"metadata":{"type":"array","items":{"type":"object"}},
"arrows":{"type":"array","items":{"type":"object"}},"cubes":{"type":"array","items":{"type":"object"}},
"spheres":{"type":"array","items":{"type":"object"}},"cylinders":{"type":"array","items":{"type":"object"}},
"lines":{"type":"array","items":{"type":"object"}},"triangles":{"type":"array","items":{"type":"object"}},
"texts":{"type":"array","items":{"type":"object"}},"models":{"type":"array","items":{"type":"object"}}}}}}})";

SceneJson scene_point(const ScenePlace& at) {
  return {{"x", at[0]}, {"y", at[1]}, {"z", at[2]}};
}

SceneJson scene_time(Nanoseconds at) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {{"sec", at.count() / kSecond}, {"nsec", at.count() % kSecond}};
}

SceneJson robot_entity(const std::string& name, const ScenePlace& at, Nanoseconds now) {
  SceneJson robot = entity("robot " + name, now);
  robot["spheres"].push_back({{"pose", pose_at(at)},
                              {"size", {{"x", kRobotSize}, {"y", kRobotSize}, {"z", kRobotSize}}},
                              {"color", colour_json(kRobotColour)}});
  robot["texts"].push_back({{"pose", pose_at({at[0], at[1], at[2] + kRobotSize})},
                            {"billboard", true},
                            {"font_size", 14},
                            {"scale_invariant", true},
                            {"color", colour_json(kTextColour)},
                            {"text", name}});
  return robot;
}

SceneJson box_entity(const std::string& name, const ScenePlace& low, const ScenePlace& high, Nanoseconds now) {
  ScenePlace centre{};
  ScenePlace size{};
  for (std::size_t i = 0; i < centre.size(); ++i) {
    centre[i] = (low[i] + high[i]) / 2;
    size[i] = high[i] - low[i];
  }
  SceneJson cube = entity("obstacle " + name, now);
  cube["cubes"].push_back({{"pose", pose_at(centre)}, {"size", scene_point(size)}, {"color", colour_json(kBoxColour)}});
  return cube;
}

SceneJson links_entity(Nanoseconds now) {
  return entity("links", now);
}

void add_link(SceneJson& links, const std::string& name, const ScenePlace& from, const ScenePlace& to, double loss) {
  links["lines"].push_back({{"type", 0},  // a strip
                            {"pose", pose_at({0, 0, 0})},
                            {"thickness", kLineWidth},
                            {"scale_invariant", true},
                            {"points", {scene_point(from), scene_point(to)}},
                            {"color", colour_json(colour_of_loss(loss))},
                            {"colors", SceneJson::array()},
                            {"indices", SceneJson::array()}});
  links["metadata"].push_back({{"key", name}, {"value", SceneJson(loss).dump()}});
}

std::string scene_update(const std::vector<SceneJson>& entities) {
  return json_line(SceneJson{{"deletions", SceneJson::array()}, {"entities", entities}});
}

}  // namespace hilgate
