// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gateway/commands/command_line.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/configuration/web_config.h"
#include "gateway/daemon/world_report.h"
#include "gateway/record/record_reader.h"
#include "gateway/run/control/control_client.h"
#include "gateway/views/web/web_server.h"
#include "host/log/log.h"
#include "host/unix_socket.h"

namespace hilgate {

struct WebOptions {
  std::string run;  // the name of the run; empty: the only one there is
  std::string listen = kDefaultWebListen;
  std::string token_file;  // empty: none
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
  command->add_option("--name", options->names, "host under which a proxy serves the page; can be repeated");
  command->callback([&action, options] { action = [options] { return web_command(*options); }; });
}

}  // namespace hilgate
