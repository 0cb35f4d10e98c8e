// SPDX-License-Identifier: Apache-2.0
// The schema for editors knows the keys and words that the loader knows: every profile of the library keeps to it.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "config/model_table.h"
#include "rf_profiles/errors/error_model.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

using nlohmann::json;

bool is_of_type(const YAML::Node& node, const json& schema) {
  const std::string type = schema.value("type", "");
  return type == "object" ? node.IsMap() : type == "array" ? node.IsSequence() : node.IsScalar();
}

bool has_required(const YAML::Node& node, const json& schema) {
  const json keys = schema.value("required", json::array());
  return std::all_of(keys.begin(), keys.end(),
                     [&](const json& key) { return node[key.get<std::string>()].IsDefined(); });
}

/// What of JSON Schema our schemas use: properties, additionalProperties, required, enum, items, pattern, and anyOf of
/// different types or of different required keys.
void check(const YAML::Node& node, const json& schema, const std::string& path) {
  if (schema.contains("anyOf") && schema.contains("type")) {
    const json& choices = schema["anyOf"];
    EXPECT_TRUE(std::any_of(choices.begin(), choices.end(), [&](const json& one) { return has_required(node, one); }))
        << path;
  } else if (schema.contains("anyOf")) {
    const json& choices = schema["anyOf"];
    const auto choice =
        std::find_if(choices.begin(), choices.end(), [&](const json& one) { return is_of_type(node, one); });
    ASSERT_NE(choice, choices.end()) << path;
    return check(node, *choice, path);
  }
  if (schema.contains("pattern")) {
    EXPECT_TRUE(std::regex_match(node.Scalar(), std::regex(schema["pattern"].get<std::string>())))
        << path << ": " << node.Scalar();
  }
  if (schema.contains("enum")) {
    const auto is_it = [&](const json& word) {
      return (word.is_string() ? word.get<std::string>() : word.dump()) == node.Scalar();
    };
    EXPECT_TRUE(std::any_of(schema["enum"].begin(), schema["enum"].end(), is_it)) << path << ": " << node.Scalar();
  }
  for (const auto& key : schema.value("required", json::array())) {
    EXPECT_TRUE(node[key.get<std::string>()].IsDefined()) << path << " needs " << key;
  }
  if (node.IsSequence() && schema.contains("items")) {
    for (const auto& item : node) {
      check(item, schema["items"], path + "[]");
    }
  }
  if (!node.IsMap()) {
    return;
  }
  const json properties = schema.value("properties", json::object());
  for (const auto& pair : node) {
    const auto key = pair.first.Scalar();
    if (properties.contains(key)) {
      check(pair.second, properties[key], path + "." + key);
    } else {
      const json others = schema.value("additionalProperties", json::object());
      ASSERT_TRUE(others.is_object()) << "the schema does not know " << path << "." << key;
      check(pair.second, others, path + "." + key);
    }
  }
}

TEST(Schema, EveryProfileKeepsToIt) {
  const json schema = json::parse(std::ifstream(HILGATE_SOURCE_DIR "/rf_profiles/profile/radio-profile.schema.json"));
  const std::vector<std::string> folders{HILGATE_SOURCE_DIR "/rf_profiles/profiles"};
  for (const std::string& name : radio_profile_names(folders)) {
    check(YAML::LoadFile(find_radio_profile(name, folders)), schema, name);
  }
}

const std::string kExamples = HILGATE_SOURCE_DIR "/examples/";

json schema_at(const std::string& path) {
  return json::parse(std::ifstream(HILGATE_SOURCE_DIR "/" + path + ".schema.json"));
}

template <class Family>
json names_of_table() {
  json names = json::array();
  for (const auto& [name, model] : models_by_name<Family>()) {
    names.push_back(name);
  }
  return names;
}

TEST(Schema, NamesTheModelsOfTheTables) {
  const json profile = schema_at("rf_profiles/profile/radio-profile").at("properties");
  const json channel = profile.at("channel").at("properties");
  EXPECT_EQ(channel.at("path_loss").at("properties").at("model").at("enum"), names_of_table<PathLossModel>());
  const json fading = channel.at("fading").at("properties");
  for (const char* sight : {"los", "nlos"}) {
    EXPECT_EQ(fading.at(sight).at("properties").at("type").at("enum"), names_of_table<FadingLaw>()) << sight;
  }
  json errors = json::array();
  for (const ErrorModel& model : error_models()) {
    errors.push_back(model.name);
  }
  EXPECT_EQ(profile.at("phy").at("properties").at("error_model").at("enum"), errors);
}

TEST(Schema, ScenesOfTheExamplesKeepToIt) {
  const json schema = schema_at("physics_link/scene").at("properties").at("physics");
  for (const char* file :
       {"reference.yaml", "handover/handover.yaml", "patrol/patrol.yaml", "shell-mataric/walk.yaml"}) {
    check(YAML::LoadFile(kExamples + file)["physics"], schema, file);
  }
}

TEST(Schema, EveryConfigurationOfTheExamplesKeepsToIt) {
  const json schema = schema_at("gateway/configuration/configuration");
  int checked = 0;
  std::vector<std::filesystem::path> files{HILGATE_SOURCE_DIR "/systemd/hilgate.yaml"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kExamples)) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path());
    }
  }
  for (const std::filesystem::path& file : files) {
    const YAML::Node root = YAML::LoadFile(file);
    if (root["robots"] && root["ports"]) {  // else it is a radio, a floor plan or a scenario of ns-3
      check(root, schema, file.filename());
      ++checked;
    }
  }
  EXPECT_GE(checked, 10);
}

TEST(Schema, EveryScenarioOfTheExamplesKeepsToIt) {
  const json schema = schema_at("gateway/configuration/scenario/scenario");
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kExamples + "scenarios")) {
    check(YAML::LoadFile(entry.path()), schema, entry.path().filename());
    ++checked;
  }
  EXPECT_GE(checked, 2);
}

TEST(Schema, TheConfigurationsIsThatOfScenesWhereTheyMeet) {
  const json scene = schema_at("physics_link/scene").at("properties").at("physics").at("properties");
  const json physics = schema_at("gateway/configuration/configuration").at("properties").at("physics").at("properties");
  for (const auto& [key, value] : scene.items()) {
    if (key != "type" && key != "file") {  // a configuration takes logs as well
      EXPECT_EQ(physics.at(key), value) << key;
    }
  }
}

TEST(Schema, TheFloorPlanOfTheExampleKeepsToIt) {
  check(YAML::LoadFile(kExamples + "shell-mataric/building.yaml"), schema_at("rf_profiles/survey/grid-map"),
        "building.yaml");
  check(YAML::LoadFile(kExamples + "shell-mataric/floors.yaml"), schema_at("rf_profiles/survey/floors"), "floors.yaml");
}

TEST(Schema, TheRadioOfTheExampleKeepsToItAndLoads) {
  const std::string file = kExamples + "shell-mataric/radios/mica2_building.yaml";
  check(YAML::LoadFile(file), schema_at("rf_profiles/profile/radio-profile"), "mica2_building.yaml");
  const RadioProfile profile = load_radio_profile(file);
  ASSERT_TRUE(profile.phy.hardware);
  EXPECT_EQ(profile.phy.hardware->covariance_db2, -3.3);
}

}  // namespace
}  // namespace hilgate::test
