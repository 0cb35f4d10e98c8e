// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "bench/bench_links.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/installed_names.h"
#include "rf_profiles/report/radio_command.h"
#include "rf_profiles/survey/survey_command.h"

namespace hilgate {
namespace {

void add_question(CLI::App& command, const std::shared_ptr<RadioCommand>& options) {
  LinkQuestion& question = options->question;
  const auto length = [&command](const char* name, double& metres, const char* text) {
    add_quantity<Metres>(command, name, text, [&metres](Metres given) { metres = given.value; });
  };
  if (options->action == RadioCommand::Action::kLink) {
    length("--distance", question.distance_m, "horizontal distance [100m]");
  }
  length("--height", question.height_m, "height of one antenna [10m]");
  length("--other-height", question.other_height_m, "height of the other antenna [10m]");
  add_word(command, "--behind",
           "wall between the antennas, MATERIAL or MATERIAL:THICKNESS, for example brick:20cm; may be repeated",
           [&question](const std::string& wall) { question.walls.push_back(parse_wall(wall)); })
      ->take_all()
      ->trigger_on_parse();
  command.add_option("--bytes", question.frame_bytes, "frame size")->capture_default_str();
  if (options->action == RadioCommand::Action::kLink) {
    add_word(command, "--interferer",
             "received power of an interferer that sends at the same time, for example -95dBm; may be "
             "repeated",
             [&question](const std::string& level) { question.interferers.push_back(parse_text<Dbm>(level)); })
        ->take_all()
        ->trigger_on_parse();
    command.add_option("--weight", question.interference_weight, "factor on the interferers' power; 0.5 halves it")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    command.add_option("--datagram", question.datagram_bytes, "UDP datagram size in bytes, sent as IP fragments")
        ->check(CLI::Range(0, 65507))
        ->capture_default_str();
  }
}

}  // namespace

void add_survey(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "survey", "Precompute the walls and multipath of a floor plan (grid map) or of several floors");
  auto options = std::make_shared<SurveyCommand>();
  command->add_option("MAP", options->map, "grid map or floors (YAML)")->required();
  command->add_option("--output", options->output, "output file [MAP.survey beside the map]");
  command->add_option("--threads", options->threads, "number of threads [all processors]")->check(CLI::Range(1, 1024));
  command->add_option("--block", options->block, "side of a shape-factor block in cells")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--rays", options->rays, "number of rays from each block")
      ->check(CLI::Range(8, 100'000))
      ->capture_default_str();
  command->add_option("--reflections", options->reflections, "maximum number of reflections of a ray")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  command->callback(
      [&action, options] { action = [options] { return survey_command(*options, std::cout, std::cerr); }; });
}

void add_bench_links(CLI::App& bench, Action& action) {
  auto* command =
      bench.add_subcommand("links", "Measure an update of all link states, compared with ns-3 where it is built");
  auto options = std::make_shared<BenchLinksOptions>();
  command->add_option("--robots", options->robots, "number of robots")
      ->check(CLI::Range(2, 2048))
      ->capture_default_str();
  command->add_option("--profile", options->profile, "radio profile of the robots")->capture_default_str();
  command->add_option("--map", options->map, "surveyed map [a generated floor plan, surveyed first]");
  command->add_option("--spread", options->spread_m, "side of the field in the open, in metres")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  add_duration(*command, "--window", options->window, "time from one update to the next in the open [1ms]");
  command->add_flag("--all-pairs", options->all_pairs, "compute pairs too far apart to hear one another too");
  command->add_option("--gateways", options->gateways, "of a site, one of which computes the links of its robots")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads that compute, of 128 robots and more")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  add_duration(*command, "--duration", options->duration, "time of each measurement [1s]");
  command->add_flag("--json", options->json, "print JSON");
  command->callback(
      [&action, options] { action = [options] { return bench_links_command(*options, profile_folders({})); }; });
}

void add_radio(CLI::App& program, Action& action) {
  using Asked = RadioCommand::Action;
  auto* radio = program.add_subcommand("radio", "List radio profiles, compute links, evaluate reference values");
  radio->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, Asked asked, const char* subject) {
    auto* command = radio->add_subcommand(name, text);
    auto options = std::make_shared<RadioCommand>();
    options->action = asked;
    if (subject != nullptr) {
      command->add_option(subject, options->name)->required();
    }
    if (asked == Asked::kPlot || asked == Asked::kLink) {
      add_question(*command, options);
    }
    command->add_flag_callback("--json", [options] { options->form = RadioCommand::Form::kJson; });
    if (asked == Asked::kPlot) {
      command->add_flag_callback("--svg", [options] { options->form = RadioCommand::Form::kSvg; })->excludes("--json");
    }
    command->callback([&action, options] {
      action = [options] {
        options->folders = profile_folders({});
        return radio_command(*options, std::cout, std::cerr);
      };
    });
  };
  add("list", "List the radio profiles", Asked::kList, nullptr);
  add("show", "Show a profile with the provenance of its values", Asked::kShow, "PROFILE");
  add("plot", "Plot frame loss over distance", Asked::kPlot, "PROFILE");
  add("link", "Compute one link: levels, rate, loss, goodput", Asked::kLink, "PROFILE");
  add("oracle", "Compare the models with reference values from a CSV file", Asked::kOracle, "CSV");
}

}  // namespace hilgate
