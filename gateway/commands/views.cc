// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/nearest.h"
#include "config/units.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/configuration/web_config.h"
#include "gateway/daemon/world_report.h"
#include "gateway/record/record_reader.h"
#include "gateway/run/control/control_client.h"
#include "gateway/views/map/map.h"
#include "gateway/views/metrics/exporter.h"
#include "gateway/views/report/report_page.h"
#include "gateway/views/top/top.h"
#include "gateway/views/web/web_server.h"
#include "host/log/log.h"
#include "host/unix_socket.h"

namespace hilgate {

struct WebOptions {
  std::string run;  // the name of the run; empty: the only one there is
  std::string listen = kDefaultWebListen;
  std::string token_file;  // empty: none
  std::string tiles;       // archive; empty: none
  std::vector<std::string> names{};
  std::string record;  // a folder or a file: the page is of that; empty: of a run
};

namespace {

using Assignments = std::vector<std::string>;

// Null where there is no floor plan, or none that can be read here.
std::shared_ptr<const SurveyedFloors> floors_of(const Configuration& configuration) {
  const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  try {
    return embedded != nullptr && embedded->map ? open_floors(embedded->map->string()) : nullptr;
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

// As a record's configuration has it, with the profiles next to it. One that cannot be read here costs the map of the
// world, and why is said once.
std::string recorded_world(const std::filesystem::path& folder, const Assignments& assignments, bool& complained) {
  try {
    Assignments all = assignments;
    if (std::filesystem::exists(folder / "profiles")) {
      all.push_back(fmt::format("profiles=[{}]", nlohmann::json((folder / "profiles").string()).dump()));
    }
    const ConfigDocument document = ConfigDocument::load(folder / "configuration.yaml").with(all);
    const Configuration configuration = document.read(known_names());
    return world_report(configuration, document, floors_of(configuration).get()).dump();
  } catch (const std::exception& error) {
    if (!std::exchange(complained, true)) {
      fmt::print(stderr, "obstacles and waypoints are left out: {}\n", error.what());
    }
    return "null";
  }
}

WebPage page_of_record(const std::filesystem::path& record) {
  const std::filesystem::path folder = std::filesystem::absolute(record_file(record)).parent_path();
  bool complained = false;
  return {.config = {},
          .control_socket = {},
          .profile_folders = profile_folders({folder / "profiles"}),
          .record = read_recorded_run(
              record, [&](const Assignments& assignments) { return recorded_world(folder, assignments, complained); })};
}

WebPage page_of_run(const std::string& run) {
  return {.config = {}, .control_socket = running_gateway(run).string(), .profile_folders = profile_folders({})};
}

}  // namespace

// `hilgate web`: serves the page of a run or of a record until SIGINT or SIGTERM. Returns the exit status. Throws
// std::runtime_error when it cannot listen, and as read_recorded_run().
int web_command(const WebOptions& options) {
  WebPage page = options.record.empty() ? page_of_run(options.run) : page_of_record(options.record);
  try {
    page.config.listen = parse_web_listen(options.listen);
    std::ranges::transform(options.names, std::back_inserter(page.config.names), parse_web_name);
    if (!options.token_file.empty()) {
      page.config.token_file = options.token_file;
    }
    if (!options.tiles.empty()) {
      page.config.tiles = options.tiles;
    }
    check_web(page.config);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(fmt::format("--listen {}, --name: {}", options.listen, error.what()));
  }
  WebEntrance entrance = open_entrance(page.config);
  log_readiness(fmt::format("web page at {}", entrance.address));
  confine_page({});
  serve_page(page, std::move(entrance));
  if (!page.config.listen.socket.empty()) {
    remove_socket_path(page.config.listen.socket);
  }
  return 0;
}

void add_web(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "web", "Serve a web page of a running gateway, or of a record: map, links, drops, controls");
  auto options = std::make_shared<WebOptions>();
  auto* run = command->add_option("RUN", options->run, "name of the run; optional when only one is running");
  command
      ->add_option("--record", options->record,
                   "folder of a record, or its run.mcap: the page is of that, without a run")
      ->excludes(run);
  command->add_option("--listen", options->listen, "address and port, or unix:PATH; port 0: any")
      ->capture_default_str();
  command->add_option("--token-file", options->token_file,
                      "file whose first line visitors must know; needed for addresses that other machines reach");
  command->add_option(
      "--tiles", options->tiles,
      "PMTiles archive of pictures or vector tiles below the map, where the run has an origin on the earth");
  command->add_option("--name", options->names, "host under which a proxy serves the page; can be repeated");
  command->callback([&action, options] { action = [options] { return web_command(*options); }; });
}

namespace {

MapOptions::Show shown_by(const std::string& word) {
  const std::vector<std::string> words = {"snr", "loss", "nothing"};  // as Show has them
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) {
    throw std::invalid_argument(fmt::format("'{}' is not known; {}", word, hint_for(word, words)));
  }
  return static_cast<MapOptions::Show>(found - words.begin());
}

}  // namespace

void add_map(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "map", "Draw the scene of a configuration: obstacles, tracks, access points, and where a radio is heard");
  auto options = std::make_shared<MapOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("-o,--output", options->output, "picture, .svg or .png [SVG on standard output]");
  command->add_option("--from", options->from,
                      "robot or access point whose radio is heard [the first access point, or robot, with a radio]");
  command->add_option("--radio", options->radio, "radio profile of the receiver [the same]");
  add_word(*command, "--show",
           "what the colours are: `snr`, `loss` of one try of a full frame, or `nothing`; mean values [snr]",
           [options](const std::string& given) { options->show = shown_by(given); });
  add_quantity<Metres>(*command, "--height", "height of the receiver [1m]",
                       [options](Metres height) { options->height_m = height.value; });
  add_word(*command, "--cell", "side of a cell [as fits the picture]", [options](const std::string& given) {
    const double side = parse_text<Metres>(given).value;
    if (side <= 0) {
      throw std::invalid_argument("a cell is longer than 0 m");
    }
    options->cell_m = side;
  });
  add_word(*command, "--margin", "ground around what is drawn [a tenth of it, at least 10m]",
           [options](const std::string& given) {
             const double margin = parse_text<Metres>(given).value;
             if (margin < 0) {
               throw std::invalid_argument("a margin is at least 0 m");
             }
             options->margin_m = margin;
           });
  add_duration(*command, "--at", options->at, "simulation time of the robots' places [0s]");
  command->callback([&action, options] { action = [options] { return map_command(*options); }; });
}

struct ReportOptions {
  std::vector<std::filesystem::path> records;
  std::filesystem::path output;  // the page
};

// `hilgate report`: writes an HTML page about the runs of these records. Throws std::runtime_error for what is no
// record, std::system_error for a page that cannot be written.
int report_command(const ReportOptions& options) {
  std::vector<RunStory> runs;
  for (const std::filesystem::path& record : options.records) {
    runs.push_back(RunStory::of(record));
    if (const std::string end = runs.back().end.text(); !end.empty()) {
      fmt::print(stderr, "{}: {}\n", record.string(), end);
    }
  }
  std::ofstream page(options.output);
  page << report_page(runs);
  page.close();
  if (!page) {
    throw std::system_error(errno, std::generic_category(), options.output.string());
  }
  return 0;
}

void add_report(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "report", "Write an HTML page about one run or several: rates, loss by cause, delays, events, map, comparison");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("RECORD", options->records, "folders of runs, or their run.mcap")->required();
  command->add_option("-o,--output", options->output, "file to write")->required();
  command->callback([&action, options] { action = [options] { return report_command(*options); }; });
}

void add_top(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "top",
      "Show the live state of a running gateway on this terminal: links, ports, simulators, clock; ? lists keys");
  auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "name of the run, which need not run yet; optional when only one is running");
  command->callback([&action, run] { action = [run] { return top_command(*run); }; });
}

void add_metrics(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("metrics", "Serve the state of running gateways to Prometheus");
  auto options = std::make_shared<MetricsOptions>();
  command->add_option("RUN", options->runs, "names of runs; all that run on this machine without");
  command->add_option("--listen", options->listen, "address and port; port 0: any")->capture_default_str();
  command->add_option("--links", options->most_links, "links of a run; those of a run with more are left out")
      ->capture_default_str();
  command->add_flag("--insecure", options->insecure, "the address may be one that other machines reach");
  command->add_flag("--once", options->once, "print the metrics and end");
  command->callback([&action, options] { action = [options] { return metrics_command(*options); }; });
}

}  // namespace hilgate
