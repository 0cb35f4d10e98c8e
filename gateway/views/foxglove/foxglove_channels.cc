// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/foxglove/foxglove_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "config/plain_text.h"
#include "gateway/record/foxglove_scene.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

// Levels of foxglove.Log.
constexpr int kInfo = 2;
constexpr int kWarning = 3;
constexpr int kError = 4;

Json object_of(const Json& properties) {
  return {{"type", "object"}, {"properties", properties}};
}
Json list_of(const Json& items) {
  return {{"type", "array"}, {"items", items}};
}
Json numbers_of(std::initializer_list<const char*> names) {
  Json properties;
  for (const char* name : names) {
    properties[name] = {{"type", "number"}};
  }
  return object_of(properties);
}

const Json kText = {{"type", "string"}};
const Json kNumber = {{"type", "number"}};
const Json kWhole = {{"type", "integer"}};
const Json kTruth = {{"type", "boolean"}};

Json time_schema() {
  return {{"type", "object"},
          {"title", "time"},
          {"properties",
           {{"sec", {{"type", "integer"}, {"minimum", 0}}},
            {"nsec", {{"type", "integer"}, {"minimum", 0}, {"maximum", 999'999'999}}}}}};
}

std::string transforms_schema() {
  const Json transform = object_of({{"timestamp", time_schema()},
                                    {"parent_frame_id", kText},
                                    {"child_frame_id", kText},
                                    {"translation", numbers_of({"x", "y", "z"})},
                                    {"rotation", numbers_of({"x", "y", "z", "w"})}});
  Json schema = object_of({{"transforms", list_of(transform)}});
  schema["title"] = "foxglove.FrameTransforms";
  return schema.dump();
}

// Members of a link that plots are made of, as docs/reference/status.md has them.
constexpr std::array kLinkNumbers = {"rssi_dbm",
                                     "snr_db",
                                     "rate_mbps",
                                     "frame_loss",
                                     "effective_loss",
                                     "queue",
                                     "waiting",
                                     "in",
                                     "released",
                                     "effective_delay_us",
                                     "effective_rate_mbps",
                                     "measured_loss",
                                     "measured_rate_mbps",
                                     "measured_delay_us"};

std::string links_schema() {
  Json link = {{"from", kText}, {"to", kText}, {"name", kText}, {"reachable", kTruth}, {"line_of_sight", kTruth}};
  for (const char* number : kLinkNumbers) {
    link[number] = kNumber;
  }
  Json schema = object_of({{"timestamp", time_schema()}, {"sim_time_s", kNumber}, {"links", list_of(object_of(link))}});
  schema["title"] = "hilgate.Links";
  return schema.dump();
}

std::string log_schema() {
  Json schema = object_of({{"timestamp", time_schema()},
                           {"level", kWhole},
                           {"message", kText},
                           {"name", kText},
                           {"file", kText},
                           {"line", {{"type", "integer"}, {"minimum", 0}}}});
  schema["title"] = "foxglove.Log";
  return schema.dump();
}

// Robots that physics has placed: one of several radios once.
std::map<std::string, ScenePlace> places_of(const Json& status) {
  std::map<std::string, ScenePlace> places;
  for (const Json& robot : status.value("robots", Json::array())) {
    const Json at = robot.value("position", Json());
    if (at.is_array() && at.size() == 3) {
      places.emplace(robot.value("body", robot.value("name", "")), ScenePlace{at[0], at[1], at[2]});
    }
  }
  return places;
}

// As records name it.
std::string name_of(const Json& link) {
  return fmt::format("{}>{}", link.value("from", ""), link.value("to", ""));
}

std::string transforms_message(const std::map<std::string, ScenePlace>& places, Nanoseconds utc) {
  Json transforms = Json::array();
  for (const auto& [name, at] : places) {
    transforms.push_back({{"timestamp", scene_time(utc)},
                          {"parent_frame_id", kSceneFrame},
                          {"child_frame_id", name},
                          {"translation", scene_point(at)},
                          {"rotation", {{"x", 0}, {"y", 0}, {"z", 0}, {"w", 1}}}});
  }
  return Json{{"transforms", std::move(transforms)}}.dump();
}

std::string scene_message(const Json& status, const std::map<std::string, ScenePlace>& places, Nanoseconds utc) {
  std::vector<SceneJson> entities;
  for (const auto& [name, at] : places) {
    entities.push_back(robot_entity(name, at, utc));
  }
  const auto place_of_radio = [&places](const std::string& radio) {
    const auto found = places.find(radio);
    return found == places.end() ? places.find(radio.substr(0, radio.find('.'))) : found;
  };
  SceneJson& links = entities.emplace_back(links_entity(utc));
  for (const Json& link : status.value("links", Json::array())) {
    const auto from = place_of_radio(link.value("from", ""));
    const auto to = place_of_radio(link.value("to", ""));
    if (from != places.end() && to != places.end() && link.value("reachable", false)) {
      add_link(links, name_of(link), from->second, to->second, std::clamp(link.value("effective_loss", 0.0), 0.0, 1.0));
    }
  }
  return scene_update(entities);
}

std::string links_message(const Json& status, Nanoseconds utc) {
  Json links = Json::array();
  for (const Json& link : status.value("links", Json::array())) {
    Json& row = links.emplace_back(
        Json{{"name", name_of(link)}, {"from", link.value("from", "")}, {"to", link.value("to", "")}});
    for (const char* truth : {"reachable", "line_of_sight"}) {
      row[truth] = link.value(truth, false);
    }
    for (const char* number : kLinkNumbers) {
      if (link.contains(number) && link[number].is_number()) {
        row[number] = link[number];
      }
    }
  }
  const Json window = status.value("window", Json::object());
  return Json{
      {"timestamp", scene_time(utc)}, {"sim_time_s", window.value("sim_time_s", 0.0)}, {"links", std::move(links)}}
      .dump();
}

FoxgloveMessages::Message log_of(int level, const std::string& text, const std::string& name, Nanoseconds utc) {
  return {FoxgloveTopic::kConditions, json_line(Json{{"timestamp", scene_time(utc)},
                                                     {"level", level},
                                                     {"message", text},
                                                     {"name", name},
                                                     {"file", ""},
                                                     {"line", 0}})};
}

int level_of(const std::string& severity) {
  return severity == "error" ? kError : severity == "warning" ? kWarning : kInfo;
}

}  // namespace

const std::array<FoxgloveChannel, kFoxgloveTopics>& foxglove_channels() {
  static const std::array<FoxgloveChannel, kFoxgloveTopics> channels = {
      FoxgloveChannel{"/tf", "foxglove.FrameTransforms", transforms_schema()},
      FoxgloveChannel{"/scene", kSceneSchemaName, kSceneSchema},
      FoxgloveChannel{"/hilgate/links", "hilgate.Links", links_schema()},
      FoxgloveChannel{"/hilgate/conditions", "foxglove.Log", log_schema()}};
  return channels;
}

std::string foxglove_server_info(const std::string& run) {
  return Json{{"op", "serverInfo"},
              {"name", "hilgate " + run},
              {"capabilities", Json::array()},
              {"supportedEncodings", Json::array()},
              {"metadata", Json::object()},
              {"sessionId", run}}
      .dump();
}

std::string foxglove_advertisement() {
  Json channels = Json::array();
  for (const FoxgloveChannel& channel : foxglove_channels()) {
    channels.push_back({{"id", channels.size() + 1},
                        {"topic", channel.topic},
                        {"encoding", "json"},
                        {"schemaName", channel.schema_name},
                        {"schema", channel.schema},
                        {"schemaEncoding", "jsonschema"}});
  }
  return Json{{"op", "advertise"}, {"channels", std::move(channels)}}.dump();
}

std::string foxglove_warning(std::string_view text) {
  return Json{{"op", "status"}, {"level", 1}, {"message", text}}.dump();
}

std::vector<FoxgloveMessages::Message> FoxgloveMessages::take(const Json& status, Nanoseconds utc) {
  std::vector<Condition> now;
  for (const Json& condition : status.value("conditions", Json::array())) {
    now.push_back({.name = condition.value("name", ""),
                   .about = condition.value("about", ""),
                   .text = condition.value("text", ""),
                   .level = level_of(condition.value("severity", ""))});
  }
  std::vector<Message> messages = change_to(std::move(now), utc);
  const std::map<std::string, ScenePlace> places = places_of(status);
  messages.push_back({FoxgloveTopic::kTransforms, transforms_message(places, utc)});
  messages.push_back({FoxgloveTopic::kScene, scene_message(status, places, utc)});
  messages.push_back({FoxgloveTopic::kLinks, links_message(status, utc)});
  return messages;
}

std::vector<FoxgloveMessages::Message> FoxgloveMessages::take_silence(const std::string& why, Nanoseconds utc) {
  return change_to({{.name = "no_answer", .about = "", .text = "the gateway does not answer: " + why, .level = kError}},
                   utc);
}

// Figures in the text of a condition change; it is the same by its name and what it is about.
std::vector<FoxgloveMessages::Message> FoxgloveMessages::change_to(std::vector<Condition> now, Nanoseconds utc) {
  const auto has = [](const std::vector<Condition>& all, const Condition& one) {
    return std::ranges::any_of(
        all, [&one](const Condition& each) { return each.name == one.name && each.about == one.about; });
  };
  std::vector<Message> messages;
  for (const Condition& condition : now) {
    if (!has(conditions_, condition)) {
      messages.push_back(log_of(condition.level, condition.text, condition.name, utc));
    }
  }
  for (const Condition& condition : conditions_) {
    if (!has(now, condition)) {
      messages.push_back(log_of(kInfo, "ended: " + condition.text, condition.name, utc));
    }
  }
  conditions_ = std::move(now);
  return messages;
}

std::vector<FoxgloveMessages::Message> FoxgloveMessages::standing(Nanoseconds utc) const {
  std::vector<Message> messages;
  for (const Condition& condition : conditions_) {
    messages.push_back(log_of(condition.level, condition.text, condition.name, utc));
  }
  return messages;
}

std::string foxglove_data(std::uint32_t subscription, Nanoseconds utc, std::string_view json) {
  std::string data(1, '\x01');
  const auto put = [&data](std::uint64_t value, int bytes) {  // little endian
    for (int i = 0; i < bytes; ++i) {
      data += static_cast<char>(value >> (8 * i) & 0xff);
    }
  };
  put(subscription, 4);
  put(static_cast<std::uint64_t>(utc.count()), 8);
  return data.append(json);
}

}  // namespace hilgate
