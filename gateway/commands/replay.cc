// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "gateway/commands/command_line.h"
#include "gateway/commands/run.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/record/record_reader.h"
#include "gateway/replay/frame_replay.h"
#include "gateway/run/recorder/run_document.h"
#include "host/plain_file.h"

namespace hilgate {

struct ReplayOptions {
  std::filesystem::path record;
  std::filesystem::path records{};  // where the replay is recorded; empty: nowhere
  std::filesystem::path frames{};   // a capture of the run, whose frames go through it again; empty: live traffic
  std::filesystem::path output{};   // with frames: a capture of what came of them; empty: none
  bool force = false;               // also with another version, or with files that were changed
  std::string version{};            // of the program
};

namespace {

constexpr const char* kConfiguration = "configuration.yaml";
constexpr const char* kReplayed = "replay.yaml";  // next to it: what a replay runs

std::string text_of(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? read_config_file(file.string()) : std::string();
}

/// What a replay would have other than the run: a line for each.
std::vector<std::string> differences(const nlohmann::ordered_json& run, const std::filesystem::path& folder,
                                     const std::string& version) {
  std::vector<std::string> lines;
  if (const auto recorded = run.value("hilgate", ""); recorded != version) {
    lines.push_back(fmt::format("it was recorded by hilgate {}, this is {}", recorded, version));
  }
  if (text_of(folder / kConfiguration) != run.value("configuration", "")) {
    lines.push_back(fmt::format("{} is not as the run had it", kConfiguration));
  }
  const auto profiles = run.value("profiles", nlohmann::ordered_json::object());
  for (const auto& [name, text] : profiles.items()) {
    if (text_of(folder / "profiles" / (name + ".yaml")) != text.get<std::string>()) {
      lines.push_back(fmt::format("profiles/{}.yaml is not as the run had it", name));
    }
  }
  const auto files = run.value("files", nlohmann::ordered_json::object());
  for (const auto& [file, digest] : files.items()) {
    if (file_digest(folder / file) != digest.get<std::string>() && !file.starts_with("profiles/")) {
      lines.push_back(fmt::format("{} is not as the run had it", file));
    }
  }
  return lines;
}

// As a value in YAML.
std::string quoted(const std::filesystem::path& path) {
  return nlohmann::json(path.string()).dump();
}

// Recorded tables replace what computed them; the values that govern sending on links stay.
std::vector<std::string> recorded_air(const ConfigDocument& document, const std::filesystem::path& folder) {
  const Configuration configuration = document.read(known_names());
  if (judged_by_packet(configuration)) {
    throw std::runtime_error(
        fmt::format("{}: of this run each packet was judged, and there are no link tables to replay", folder.string()));
  }
  if (external_netsim(configuration) != nullptr) {
    return {fmt::format("netsim={{type: wire, record: {}}}", quoted(folder))};
  }
  std::vector<std::string> values{"netsim.record=" + quoted(folder), "netsim.map="};
  if (document.section("netsim").empty()) {
    values.emplace_back("netsim.type=embedded");
  }
  return values;
}

// Where the run had it: records of earlier versions have no maps.
std::vector<std::string> map_of_run(const ConfigDocument& document, const nlohmann::ordered_json& run) {
  const YAML::Node netsim = YAML::Load(document.section("netsim"));
  if (run.contains("files")) {
    return {};
  }
  if (!netsim.IsMap() || !netsim["map"] || netsim["map"].as<std::string>("none") == "none") {
    return {};
  }
  const auto folder = std::filesystem::path(run.value("file", "")).parent_path();
  return {"netsim.map=" + quoted(folder / netsim["map"].as<std::string>())};
}

/// The recorded configuration, with the files that the record has.
ConfigDocument recorded_configuration(const std::filesystem::path& folder, const nlohmann::ordered_json& run) {
  const ConfigDocument document = ConfigDocument::load(folder / kConfiguration);
  std::vector<std::string> values = map_of_run(document, run);
  values.insert(values.end(), {"capture=", "record=", "web="});
  if (std::filesystem::exists(folder / "profiles")) {
    values.push_back(fmt::format("profiles=[{}]", quoted(folder / "profiles")));
  }
  if (const auto file = document.physics_file(); file && std::filesystem::exists(folder / file->filename())) {
    values.push_back("physics.file=" + quoted(folder / file->filename()));
  }
  return document.with(values);
}

int replay_recorded_frames(const ReplayOptions& options, const ConfigDocument& document) {
  const FrameReplay replay = replay_frames(
      document.read(known_names()), {.record = options.record, .capture = options.frames, .output = options.output});
  for (const std::string& line : replay.doubts()) {
    fmt::print(stderr, "{}: {}\n", options.frames.string(), line);
  }
  if (replay.foreign) {
    fmt::print("{} frames in, {} deliveries released, {} dropped; the capture does not say what came of them before\n",
               replay.frames, replay.again.released(), replay.again.dropped());
    return 0;
  }
  const std::vector<std::string> lines = replay.before.deliveries.differences(replay.again);
  fmt::print("{} frames in, {} deliveries released, {} dropped; {}\n", replay.before.frames, replay.again.released(),
             replay.again.dropped(), lines.empty() ? "all as recorded" : "not as recorded:");
  for (const std::string& line : lines) {
    fmt::print("  {}\n", line);
  }
  return lines.empty() ? 0 : 1;
}

std::filesystem::path write_replayed(const ConfigDocument& document, const std::filesystem::path& folder) {
  std::filesystem::path file = folder / kReplayed;
  replace_plain_file(file, document.value("") + "\n");  // the folder may be a stranger's
  return file;
}

}  // namespace

// `hilgate replay`: runs a recorded run's configuration again. For live traffic, with the recorded link tables as the
// air, as run_command(); with recorded frames without ports and clock: 1 when other frames are released than then.
// Throws std::runtime_error for what is no record, and for one that differs, unless forced.
int replay_command(const ReplayOptions& options) {
  const std::filesystem::path folder = std::filesystem::absolute(record_file(options.record)).parent_path();
  const RecordSummary summary = RecordSummary::of(options.record);
  if (!summary.run.is_object()) {
    throw std::runtime_error(fmt::format("{}: does not say what run it is of", options.record.string()));
  }
  const std::vector<std::string> lines = differences(summary.run, folder, options.version);
  for (const std::string& line : lines) {
    fmt::print(stderr, "{}: {}\n", options.record.string(), line);
  }
  if (!lines.empty() && !options.force) {
    throw std::runtime_error("the replay would not be of the recorded run; --force replays it all the same");
  }
  if (const std::string end = summary.end_text(); !end.empty()) {
    fmt::print(stderr, "{}: {}; its last link table stays\n", options.record.string(), end);
  }
  if (summary.changes > 0) {
    fmt::print(stderr, "{}: its {} changes (`set`, reload, pause) are not made again\n", options.record.string(),
               summary.changes);
  }
  ConfigDocument document = recorded_configuration(folder, summary.run);
  if (!options.frames.empty()) {
    return replay_recorded_frames(options, document);
  }
  document = document.with(recorded_air(document, folder));
  if (!options.records.empty()) {
    document =
        document.with({fmt::format("record={{folder: {}}}", quoted(std::filesystem::absolute(options.records)))});
  }
  return run_command({.file = write_replayed(document, folder), .version = options.version});
}

void add_replay(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "replay", "Run a recorded run again: its configuration, with the recorded link tables as the air");
  auto options = std::make_shared<ReplayOptions>();
  options->version = HILGATE_VERSION;
  command->add_option("RECORD", options->record, "folder of the run, or its run.mcap")->required();
  command->add_option("--record", options->records, "folder in which the replay is recorded; default: nowhere");
  auto* frames = command->add_option(
      "--frames", options->frames,
      "capture of the run from its beginning: its frames go through the packet path again, without ports and clock; "
      "exit status 1 when other frames are released than then. Of another program (Wireshark, tcpdump): frames whose "
      "source is a robot's MAC or IP address");
  command->add_option("-w,--write", options->output, "with --frames: capture of what came of them")->needs(frames);
  command->add_flag("--force", options->force, "also with another version, or with files that were changed since");
  command->callback([&action, options] { action = [options] { return replay_command(*options); }; });
}

}  // namespace hilgate
