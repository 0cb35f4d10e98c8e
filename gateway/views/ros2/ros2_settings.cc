// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/ros2_settings.h"

namespace hilgate {
namespace {

using Json = nlohmann::json;

Json json_of(const Ros2Place& place) {
  return {{"domain", place.domain}, {"interface", place.interface}};
}

Ros2Place place_of(const Json& json) {
  return {.domain = json.at("domain").get<std::uint32_t>(), .interface = json.at("interface").get<std::string>()};
}

Json json_of(const Ros2Input& input) {
  Json sources = Json::array();
  for (const Ros2Source& source : input.sources) {
    sources.push_back(
        {{"message", static_cast<int>(source.message)}, {"name", source.name}, {"element", source.element}});
  }
  return {{"place", json_of(input.place)},
          {"fixed_frame", input.fixed_frame},
          {"sources", std::move(sources)},
          {"socket", input.socket},
          {"clock", input.clock}};
}

Ros2Input input_of(const Json& json) {
  Ros2Input input{.place = place_of(json.at("place")),
                  .fixed_frame = json.at("fixed_frame").get<std::string>(),
                  .sources = {},
                  .socket = json.at("socket").get<std::string>(),
                  .clock = json.at("clock").get<bool>()};
  for (const Json& source : json.at("sources")) {
    input.sources.push_back({.message = static_cast<Ros2Message>(source.at("message").get<int>()),
                             .name = source.at("name").get<std::string>(),
                             .element = source.at("element").get<std::string>()});
  }
  return input;
}

struct Interval {
  const char* name;
  std::optional<Nanoseconds> Ros2Output::*every;
};
constexpr Interval kIntervals[] = {{"diagnostics", &Ros2Output::diagnostics},
                                   {"links", &Ros2Output::links},
                                   {"connections", &Ros2Output::connections},
                                   {"clock", &Ros2Output::clock}};

Json json_of(const Ros2Output& output) {
  Json json{{"place", json_of(output.place)}};
  for (const auto& [name, every] : kIntervals) {
    if (output.*every) {
      json[name] = (output.*every)->count();
    }
  }
  return json;
}

Ros2Output output_of(const Json& json) {
  Ros2Output output{
      .place = place_of(json.at("place")), .diagnostics = {}, .links = {}, .connections = {}, .clock = {}};
  for (const auto& [name, every] : kIntervals) {
    if (json.contains(name)) {
      output.*every = Nanoseconds(json.at(name).get<std::int64_t>());
    }
  }
  return output;
}

}  // namespace

Json json_of(const Ros2Settings& settings) {
  Json json{{"run", settings.run}, {"control_socket", settings.control_socket}};
  if (settings.input) {
    json["input"] = json_of(*settings.input);
  }
  if (settings.output) {
    json["output"] = json_of(*settings.output);
  }
  for (const auto& [robot, radio] : settings.radios) {
    json["radios"][robot] = {radio.tx_power_dbm, radio.frequency_ghz};
  }
  return json;
}

Ros2Settings ros2_settings_of(const std::string& text) {
  const Json json = Json::parse(text);
  Ros2Settings settings{.run = json.at("run").get<std::string>(),
                        .control_socket = json.at("control_socket").get<std::string>(),
                        .input = {},
                        .output = {},
                        .radios = {}};
  if (json.contains("input")) {
    settings.input = input_of(json.at("input"));
  }
  if (json.contains("output")) {
    settings.output = output_of(json.at("output"));
  }
  const Json radios = json.value("radios", Json::object());
  for (const auto& [robot, radio] : radios.items()) {
    settings.radios[robot] = {.tx_power_dbm = radio.at(0).get<double>(), .frequency_ghz = radio.at(1).get<double>()};
  }
  return settings;
}

}  // namespace hilgate
