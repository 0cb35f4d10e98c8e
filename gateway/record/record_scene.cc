// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_scene.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/record/record_reader.h"
#include "host/mcap/mcap_writer.h"

namespace hilgate {
namespace {

using SceneJson = nlohmann::ordered_json;
using Place = std::array<double, 3>;
using Colour = std::array<double, 4>;

constexpr const char* kFrame = "map";
constexpr double kRobotSize = 1.5;  // m
constexpr double kLineWidth = 2;    // pixels
constexpr Colour kRobotColour{0.05, 0.45, 0.52, 1};
constexpr Colour kBoxColour{0.55, 0.6, 0.65, 0.6};
constexpr Colour kTextColour{0.1, 0.1, 0.1, 1};

// What readers need of Foxglove's schema to decode the messages.
constexpr const char* kSchema = R"({"title":"foxglove.SceneUpdate","type":"object","properties":{
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

SceneJson point(const Place& at) {
  return {{"x", at[0]}, {"y", at[1]}, {"z", at[2]}};
}

SceneJson pose(const Place& at) {
  return {{"position", point(at)}, {"orientation", {{"x", 0}, {"y", 0}, {"z", 0}, {"w", 1}}}};
}

SceneJson colour_json(const Colour& colour) {
  return {{"r", colour[0]}, {"g", colour[1]}, {"b", colour[2]}, {"a", colour[3]}};
}

// From green, nothing lost, by yellow to red, all of it.
Colour colour_of_loss(double loss) {
  return {std::min(1.0, 2 * loss), std::min(1.0, 2 * (1 - loss)), 0.1, 1};
}

SceneJson entity(std::string id, Nanoseconds at) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {{"timestamp", {{"sec", at.count() / kSecond}, {"nsec", at.count() % kSecond}}},
          {"frame_id", kFrame},
          {"id", std::move(id)},
          {"lifetime", {{"sec", 0}, {"nsec", 0}}},
          {"frame_locked", false},
          {"metadata", SceneJson::array()},
          {"arrows", SceneJson::array()},
          {"cubes", SceneJson::array()},
          {"spheres", SceneJson::array()},
          {"cylinders", SceneJson::array()},
          {"lines", SceneJson::array()},
          {"triangles", SceneJson::array()},
          {"texts", SceneJson::array()},
          {"models", SceneJson::array()}};
}

class SceneWriter final : public RecordVisitor {
 public:
  SceneWriter(std::span<const SceneBox> boxes, const std::filesystem::path& out)
      : boxes_(boxes),
        file_(out, "hilgate"),
        channel_(file_.add_channel({.topic = "/scene",
                                    .encoding = "json",
                                    .schema = "foxglove.SceneUpdate",
                                    .schema_encoding = "jsonschema",
                                    .schema_text = kSchema})) {}

  void layout(Nanoseconds at, const RunLayout& layout) override {
    layout_ = layout;
    before_.clear();
    losses_.clear();
    if (updates_ == 0) {
      write(at, boxes(at));
    }
  }
  void links(Nanoseconds, const Links&) override {}
  void counts(Nanoseconds at, const Counts& counts) override {
    before_.resize(counts.rows.size());
    losses_.clear();
    for (std::size_t link = 0; link < counts.rows.size(); ++link) {
      const LinkCountsRow& row = counts.rows[link];
      if (row.size() < kCounterNames.size()) {
        continue;
      }
      const std::uint64_t released = row[1];
      std::uint64_t dropped = 0;
      for (std::size_t i = kCounterNames.size(); i < row.size(); ++i) {
        dropped += row[i];
      }
      const Decided now{released, dropped};
      const Decided last = std::exchange(before_[link], now);
      if (const auto decided = now.released + now.dropped - last.released - last.dropped; decided > 0) {
        losses_[link] = static_cast<double>(now.dropped - last.dropped) / static_cast<double>(decided);
      }
    }
    write(at, {links_entity(at)});
  }
  void verdicts(Nanoseconds, const std::vector<Verdict>&) override {}
  void said(Nanoseconds at, const std::string& topic, const nlohmann::json& json) override {
    if (topic != kPositionsTopic) {
      return;
    }
    std::vector<SceneJson> entities;
    for (const auto& [robot, place] : json.at("robots").items()) {
      const Place here{place.at("x"), place.at("y"), place.at("z")};
      places_[robot] = here;
      entities.push_back(robot_entity(robot, here, at));
    }
    entities.push_back(links_entity(at));
    write(at, entities);
  }

  std::size_t finish() {
    file_.finish();
    return updates_;
  }

 private:
  struct Decided {
    std::uint64_t released = 0, dropped = 0;
  };

  static SceneJson robot_entity(const std::string& name, const Place& at, Nanoseconds now) {
    SceneJson robot = entity("robot " + name, now);
    robot["spheres"].push_back({{"pose", pose(at)},
                                {"size", {{"x", kRobotSize}, {"y", kRobotSize}, {"z", kRobotSize}}},
                                {"color", colour_json(kRobotColour)}});
    robot["texts"].push_back({{"pose", pose({at[0], at[1], at[2] + kRobotSize})},
                              {"billboard", true},
                              {"font_size", 14},
                              {"scale_invariant", true},
                              {"color", colour_json(kTextColour)},
                              {"text", name}});
    return robot;
  }

  [[nodiscard]] SceneJson links_entity(Nanoseconds now) const {
    SceneJson links = entity("links", now);
    for (const auto& [link, loss] : losses_) {
      const std::size_t ends = layout_.ends.size();
      const auto from = ends > 0 ? places_.find(layout_.ends[link / ends]) : places_.end();
      const auto to = ends > 0 ? places_.find(layout_.ends[link % ends]) : places_.end();
      if (from == places_.end() || to == places_.end()) {
        continue;
      }
      links["lines"].push_back({{"type", 0},  // a strip
                                {"pose", pose({0, 0, 0})},
                                {"thickness", kLineWidth},
                                {"scale_invariant", true},
                                {"points", {point(from->second), point(to->second)}},
                                {"color", colour_json(colour_of_loss(loss))},
                                {"colors", SceneJson::array()},
                                {"indices", SceneJson::array()}});
      links["metadata"].push_back({{"key", layout_.link_name(link)}, {"value", SceneJson(loss).dump()}});
    }
    return links;
  }

  [[nodiscard]] std::vector<SceneJson> boxes(Nanoseconds now) const {
    std::vector<SceneJson> entities;
    for (const SceneBox& box : boxes_) {
      Place centre{};
      Place size{};
      for (std::size_t i = 0; i < centre.size(); ++i) {
        centre[i] = (box.low[i] + box.high[i]) / 2;
        size[i] = box.high[i] - box.low[i];
      }
      SceneJson cube = entity("obstacle " + box.name, now);
      cube["cubes"].push_back({{"pose", pose(centre)}, {"size", point(size)}, {"color", colour_json(kBoxColour)}});
      entities.push_back(std::move(cube));
    }
    return entities;
  }

  void write(Nanoseconds at, const std::vector<SceneJson>& entities) {
    const SceneJson update{{"deletions", SceneJson::array()}, {"entities", entities}};
    file_.write(channel_, at, update.dump(-1, ' ', false, SceneJson::error_handler_t::replace));
    ++updates_;
  }

  std::span<const SceneBox> boxes_;
  McapWriter file_;
  std::uint16_t channel_;
  RunLayout layout_;
  std::map<std::string, Place> places_;
  std::vector<Decided> before_;             // by link
  std::map<std::size_t, double> losses_{};  // of links with traffic in the last second
  std::size_t updates_ = 0;
};

}  // namespace

SceneCount write_scene(const std::filesystem::path& record, std::span<const SceneBox> boxes,
                       const std::filesystem::path& out) {
  SceneWriter writer(boxes, out);
  SceneCount count{.end = read_record(record, writer)};
  count.updates = writer.finish();
  return count;
}

}  // namespace hilgate
