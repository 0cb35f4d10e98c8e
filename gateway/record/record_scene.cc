// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_scene.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/record/foxglove_scene.h"
#include "gateway/record/record_reader.h"
#include "host/mcap/mcap_writer.h"

namespace hilgate {
namespace {

class SceneWriter final : public RecordVisitor {
 public:
  SceneWriter(std::span<const SceneBox> boxes, const std::filesystem::path& out)
      : boxes_(boxes),
        file_(out, "hilgate"),
        channel_(file_.add_channel({.topic = "/scene",
                                    .encoding = "json",
                                    .schema = kSceneSchemaName,
                                    .schema_encoding = "jsonschema",
                                    .schema_text = kSceneSchema})) {}

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
    write(at, {traffic(at)});
  }
  void verdicts(Nanoseconds, const std::vector<Verdict>&) override {}
  void said(Nanoseconds at, const std::string& topic, const nlohmann::json& json) override {
    if (topic != kPositionsTopic) {
      return;
    }
    std::vector<SceneJson> entities;
    for (const auto& [robot, place] : json.at("robots").items()) {
      const ScenePlace here{place.at("x"), place.at("y"), place.at("z")};
      places_[robot] = here;
      entities.push_back(robot_entity(robot, here, at));
    }
    entities.push_back(traffic(at));
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

  [[nodiscard]] SceneJson traffic(Nanoseconds now) const {
    SceneJson links = links_entity(now);
    for (const auto& [link, loss] : losses_) {
      const std::size_t ends = layout_.ends.size();
      const auto from = ends > 0 ? places_.find(layout_.ends[link / ends]) : places_.end();
      const auto to = ends > 0 ? places_.find(layout_.ends[link % ends]) : places_.end();
      if (from == places_.end() || to == places_.end()) {
        continue;
      }
      add_link(links, layout_.link_name(link), from->second, to->second, loss);
    }
    return links;
  }

  [[nodiscard]] std::vector<SceneJson> boxes(Nanoseconds now) const {
    std::vector<SceneJson> entities;
    for (const SceneBox& box : boxes_) {
      entities.push_back(box_entity(box.name, box.low, box.high, now));
    }
    return entities;
  }

  void write(Nanoseconds at, const std::vector<SceneJson>& entities) {
    file_.write(channel_, at, scene_update(entities));
    ++updates_;
  }

  std::span<const SceneBox> boxes_;
  McapWriter file_;
  std::uint16_t channel_;
  RunLayout layout_;
  std::map<std::string, ScenePlace> places_;
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
