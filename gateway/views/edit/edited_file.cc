// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/edit/edited_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "config/yaml_tree.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/daemon/world_report.h"
#include "gateway/run/simulation/simulation.h"
#include "host/plain_file.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostUndo = 200;

Json tree_json(const YAML::Node& node, int depth = 0) {
  Json json{{"line", line_of(node)}};
  if (depth > kDeepestYaml) {
    return json;
  }
  if (node.IsMap()) {
    json["keys"] = Json::array();
    for (const auto& pair : node) {
      json["keys"].push_back({pair.first.Scalar(), tree_json(pair.second, depth + 1)});
    }
  } else if (node.IsSequence()) {
    json["items"] = Json::array();
    for (const auto& item : node) {
      json["items"].push_back(tree_json(item, depth + 1));
    }
  } else {
    json["scalar"] = node.IsScalar() ? node.Scalar() : "";
  }
  return json;
}

Json tree_of_text(const std::string& text) {
  try {
    const YAML::Node root = load_only_document(text, "");
    return root.IsMap() ? tree_json(root) : Json();
  } catch (const std::exception&) {  // its fault is among those of the draft
    return {};
  }
}

}  // namespace

NeedsConsent::NeedsConsent(const std::string& why, std::vector<std::string> comments_lost)
    : std::runtime_error(why), lost_comments_(std::move(comments_lost)) {}

EditedFile::EditedFile(const std::filesystem::path& file, KnownNames known) : file_(file), known_(std::move(known)) {
  std::error_code unknown;  // reading it reports that
  if (auto real = std::filesystem::canonical(file, unknown); !unknown) {
    file_ = std::move(real);
  }
  read_again();
}

void EditedFile::change(const std::vector<YamlChange>& changes, bool may_lose_comments) {
  std::string text = text_;
  std::vector<std::string> lost;
  for (const YamlChange& each : changes) {
    EditedYaml edited = edited_yaml(text, each);
    text = std::move(edited.text);
    lost.insert(lost.end(), edited.lost_comments.begin(), edited.lost_comments.end());
  }
  if (!lost.empty() && !may_lose_comments) {
    throw NeedsConsent("comments in the file would be lost with what is replaced", std::move(lost));
  }
  write(std::move(text));
}

void EditedFile::write(std::string text) {
  if (text != text_) {
    remember();
    text_ = std::move(text);
    check();
  }
}

void EditedFile::remember() {
  before_.push_back(text_);
  if (before_.size() > kMostUndo) {
    before_.erase(before_.begin());
  }
}

void EditedFile::undo() {
  if (!before_.empty()) {
    text_ = std::move(before_.back());
    before_.pop_back();
    check();
  }
}

void EditedFile::save() {
  check();
  if (!faults_.empty()) {
    throw ConfigError(faults_);
  }
  if (read_config_file(file_.string()) != on_disk_) {
    throw std::runtime_error(
        fmt::format("{} has changed since it was read here: nothing was saved. Read it again, which drops the changes "
                    "made here, or "
                    "copy the text first",
                    file_.string()));
  }
  replace_plain_file(file_, text_);
  on_disk_ = text_;
}

void EditedFile::read_again() {
  std::string text = read_config_file(file_.string());
  on_disk_ = text;
  before_.clear();
  text_ = std::move(text);
  check();
}

// As `hilgate check` does.
void EditedFile::check() {
  faults_.clear();
  try {
    const Configuration configuration = parse_configuration(text_, file_, known_);
    check_scenario(configuration, known_);
    const Simulation simulation = try_models(configuration);
    world_ = std::make_shared<const Json>(
        world_report(configuration, ConfigDocument::parse(text_, file_), simulation.floors.get()));
  } catch (const ConfigError& error) {
    faults_ = error.faults();
  } catch (const std::exception& error) {
    faults_.push_back({file_.string(), 0, "", error.what()});
  }
}

nlohmann::ordered_json EditedFile::report() const {
  Json faults = Json::array();
  for (const Fault& fault : faults_) {
    const bool is_here = fault.file == file_.string();
    faults.push_back({{"line", is_here ? fault.line : 0},
                      {"path", fault.path},
                      {"text", is_here ? fault.text : fmt::format("{}:{}: {}", fault.file, fault.line, fault.text)}});
  }
  return {{"file", file_.string()},      {"text", text_},
          {"saved", is_saved()},         {"can_undo", !before_.empty()},
          {"faults", std::move(faults)}, {"world", world_ ? *world_ : Json()},
          {"tree", tree_of_text(text_)}, {"radios", known_.radios({})}};
}

}  // namespace hilgate
