// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/record.h"

#include "gateway/cli/command_line.h"
#include "gateway/commands/report.h"

namespace hilgate {

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

void add_report(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "report", "Write an HTML page about one run or several: rates, loss by cause, delays, events, map, comparison");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("RECORD", options->records, "folders of runs, or their run.mcap")->required();
  command->add_option("-o,--output", options->output, "file to write")->required();
  command->callback([&action, options] { action = [options] { return report_command(*options); }; });
}

}  // namespace hilgate
