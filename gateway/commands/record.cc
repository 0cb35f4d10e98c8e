// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/record/record_reader.h"
#include "gateway/record/record_scene.h"
#include "gateway/record/record_tables.h"

// hilgate record: what a run's record has.

namespace hilgate {

struct RecordShowOptions {
  std::filesystem::path record;
  bool json = false;
};
struct RecordExportOptions {
  std::filesystem::path record;
  std::filesystem::path folder;
  bool json = false;
};
struct RecordSceneOptions {
  std::filesystem::path record;
  std::filesystem::path output;
};
namespace {

void print_summary(const nlohmann::ordered_json& json) {
  for (const auto& [key, value] : json.items()) {
    if (!value.is_object()) {
      fmt::print("{:<16}{}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  if (const auto& totals = json.at("totals"); totals.is_object()) {
    fmt::print("{:<16}in {} + injected {} = out {} + dropped {} + held {}\n", "totals", totals.at("in").dump(),
               totals.at("injected").dump(), totals.at("out").dump(), totals.at("dropped_total").dump(),
               totals.at("held").dump());
  }
}

// A configuration that cannot be read here costs the obstacles alone.
std::vector<SceneBox> boxes_of(const std::filesystem::path& folder) {
  std::vector<SceneBox> boxes;
  try {
    for (const ObstacleConfig& each :
         load_configuration(folder / "configuration.yaml", known_names()).world.obstacles) {
      const Box& box = each.obstacle.box;
      boxes.push_back({each.name, {box.low.x, box.low.y, box.low.z}, {box.high.x, box.high.y, box.high.z}});
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "obstacles are left out: {}\n", error.what());
  }
  return boxes;
}

}  // namespace

// Prints what run it is of and how far it goes. 0; 1 when its end is missing. Throws std::runtime_error for what is no
// record.
int record_show_command(const RecordShowOptions& options) {
  const RecordSummary summary = RecordSummary::of(options.record);
  if (options.json) {
    fmt::print("{}\n", summary.json().dump());
  } else {
    print_summary(summary.json());
  }
  if (const std::string end = summary.end_text(); !end.empty()) {
    fmt::print(stderr, "{}: {}\n", options.record.string(), end);
    return 1;
  }
  return 0;
}

// Writes its tables to files. 0, also when its end is missing, which is reported on standard error.
int record_export_command(const RecordExportOptions& options) {
  RecordSummary summary;
  summary.end = export_record(options.record, options.folder, options.json ? TableFormat::kJson : TableFormat::kCsv);
  if (const std::string end = summary.end_text(); !end.empty()) {
    fmt::print(stderr, "{}: {}\n", options.record.string(), end);
  }
  return 0;
}

// Writes it as an MCAP that Foxglove draws, with the obstacles of the record's configuration. As
// record_export_command().
int record_scene_command(const RecordSceneOptions& options) {
  const std::vector<SceneBox> boxes = boxes_of(record_file(options.record).parent_path());
  const SceneCount scene = write_scene(options.record, boxes, options.output);
  RecordSummary summary;
  summary.end = scene.end;
  if (const std::string end = summary.end_text(); !end.empty()) {
    fmt::print(stderr, "{}: {}\n", options.record.string(), end);
  }
  fmt::print("{} updates, {} obstacles: {}\n", scene.updates, boxes.size(), options.output.string());
  return 0;
}

void add_record(CLI::App& program, Action& action) {
  auto* record = program.add_subcommand("record", "Read the record of a run (`record:` in its configuration)")
                     ->require_subcommand(1);
  auto* show = record->add_subcommand("show", "Show what run a record is of, and how far it goes");
  auto showing = std::make_shared<RecordShowOptions>();
  show->add_option("RECORD", showing->record, "folder of the run, or its run.mcap")->required();
  show->add_flag("--json", showing->json, "print JSON");
  show->callback([&action, showing] { action = [showing] { return record_show_command(*showing); }; });

  auto* tables = record->add_subcommand(
      "export", "Write a record's tables: links, stations, counts, drops, verdicts, positions, totals, clock, events");
  auto exporting = std::make_shared<RecordExportOptions>();
  tables->add_option("RECORD", exporting->record, "folder of the run, or its run.mcap")->required();
  tables->add_option("-o,--output", exporting->folder, "folder for the tables; it is made")->required();
  tables->add_flag("--json", exporting->json, "an object for each row (NAME.jsonl) instead of CSV");
  tables->callback([&action, exporting] { action = [exporting] { return record_export_command(*exporting); }; });

  auto* scene = record->add_subcommand("scene", "Write a record as an MCAP that Foxglove draws (foxglove.SceneUpdate)");
  auto drawing = std::make_shared<RecordSceneOptions>();
  scene->add_option("RECORD", drawing->record, "folder of the run, or its run.mcap")->required();
  scene->add_option("-o,--output", drawing->output, "file to write")->required();
  scene->callback([&action, drawing] { action = [drawing] { return record_scene_command(*drawing); }; });
}

}  // namespace hilgate
