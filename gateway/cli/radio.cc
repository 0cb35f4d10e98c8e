// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "gateway/bench/bench_links.h"
#include "gateway/cli/command_line.h"
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
    length("--distance", question.distance_m, "along the ground [100m]");
  }
  length("--height", question.height_m, "of one antenna [10m]");
  length("--other-height", question.other_height_m, "of the other [10m]");
  add_word(command, "--behind", "a wall in between, MATERIAL or MATERIAL:THICKNESS as in brick:20cm; may be repeated",
           [&question](const std::string& wall) { question.walls.push_back(parse_wall(wall)); })
      ->take_all()
      ->trigger_on_parse();
  command.add_option("--bytes", question.frame_bytes, "of a frame")->capture_default_str();
  if (options->action == RadioCommand::Action::kLink) {
    add_word(
        command, "--interferer",
        "level at the receiver of somebody who sends at the same time, as in -95dBm; may be "
        "repeated",
        [&question](const std::string& level) { question.interferers_dbm.push_back(parse_text<Dbm>(level).value); })
        ->take_all()
        ->trigger_on_parse();
    command.add_option("--weight", question.interference_weight, "of interferers' powers; 0.5 halves them")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    command.add_option("--datagram", question.datagram_bytes, "bytes of a UDP datagram, sent in IP fragments")
        ->check(CLI::Range(0, 65507))
        ->capture_default_str();
  }
}

}  // namespace

void add_survey(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("survey", "Compute the walls and multipath of a grid map ahead of runs");
  auto options = std::make_shared<SurveyCommand>();
  command->add_option("MAP", options->map, "a grid map, YAML")->required();
  command->add_option("--output", options->output, "the survey [beside the map, MAP.survey]");
  command->add_option("--threads", options->threads, "[all processors]")->check(CLI::Range(1, 1024));
  command->add_option("--block", options->block, "cells along the side of a block of the shape factors")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--rays", options->rays, "from every block")
      ->check(CLI::Range(8, 100'000))
      ->capture_default_str();
  command->add_option("--reflections", options->reflections, "at most")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  command->callback(
      [&action, options] { action = [options] { return survey_command(*options, std::cout, std::cerr); }; });
}

void add_bench_links(CLI::App& bench, Action& action) {
  auto* command = bench.add_subcommand("links", "An update of all link states, against ns-3 where it is built");
  auto options = std::make_shared<BenchLinksOptions>();
  command->add_option("--robots", options->robots, "how many")->check(CLI::Range(2, 1024))->capture_default_str();
  command->add_option("--profile", options->profile, "of their radios")->capture_default_str();
  command->add_option("--map", options->map, "a surveyed map [a floor of rooms, surveyed first]");
  add_duration(*command, "--duration", options->duration, "of each measuring [1s]");
  command->add_flag("--json", options->json, "for programs instead of people");
  command->callback(
      [&action, options] { action = [options] { return bench_links_command(*options, profile_folders({})); }; });
}

void add_radio(CLI::App& program, Action& action) {
  using Asked = RadioCommand::Action;
  auto* radio = program.add_subcommand("radio", "Radio profiles: what there is, what a link gets, reference values");
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
  add("list", "The profiles there are", Asked::kList, nullptr);
  add("show", "A profile, with where its values come from", Asked::kShow, "PROFILE");
  add("plot", "Frame loss against distance", Asked::kPlot, "PROFILE");
  add("link", "One link: levels, rate, loss, goodput", Asked::kLink, "PROFILE");
  add("oracle", "Evaluate reference values in a CSV file", Asked::kOracle, "CSV");
}

}  // namespace hilgate
