// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <stdexcept>

#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/radio_log/radio_log.h"
#include "physics_link/tracklog/log_time.h"
#include "rf_profiles/report/fit_command.h"
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

void add_log_options(CLI::App& fit, const std::shared_ptr<RadioLogOptions>& log) {
  add_word(fit, "--columns",
           "of a table: its columns, VALUE=NAME or VALUE=#3, with commas between; values: time, distance, x, y, z, "
           "lat, lon, "
           "level, snr, received, path",
           [log](const std::string& given) { log->columns = parse_log_columns(given); });
  add_word(fit, "--at",
           "other end of the link, X,Y or X,Y,HEIGHT, in metres, or LAT,LON,HEIGHT in degrees and metres [of vehicles' "
           "logs the first position]",
           [log](const std::string& given) { log->station = parse_other_end(given); });
  fit.add_option_function<double>(
      "--no-level", [log](double given) { log->no_level = given; },
      "of a table: level that stands for none, for example -99");
  add_word(fit, "--use", "of vehicles' logs and records: the level, rssi, snr, remrssi or remsnr [rssi]",
           [log](const std::string& given) { log->value = parse_radio_value(given); });
  fit.add_option("--track", log->track, "track of the positions, as `hilgate track show` lists them [the only one]");
  fit.add_option("--positions", log->positions, "of iperf3: log with the positions, as `hilgate track` reads it");
  add_word(fit, "--positions-zero", "UTC when the clock of the positions was 0, 2024-05-01T10:00:00Z [by their log]",
           [log](const std::string& given) {
             log->positions_zero = utc_of_text(given);
             if (!log->positions_zero) {
               throw std::invalid_argument(fmt::format("'{}' is no instant; example: 2024-05-01T10:00:00Z", given));
             }
           });
  fit.add_option("--link", log->link, "of a record: the link, SENDER>RECEIVER [all]");
}

void add_fit(CLI::App& radio, Action& action) {
  auto* fit = radio.add_subcommand("fit", "Make a profile and a report of a measured link");
  auto options = std::make_shared<FitCommand>();
  auto log = std::make_shared<RadioLogOptions>();
  fit->add_option("LOG", log->log,
                  "measurement: a table with --columns, else a vehicle's log with RADIO_STATUS, iperf3's JSON, or the "
                  "folder of a recorded run")
      ->required();
  fit->add_option("--base", options->base, "profile of the radio: what is not measured stays as it is there")
      ->required();
  add_log_options(*fit, log);
  fit->add_option("--to", options->to, "profile to write, NAME.yaml");
  fit->add_option("--mode", options->mode, "mode of the base that losses are of [its only one]");
  fit->add_option("--frame-bytes", options->frame_bytes,
                  "length of the frames that are counted, with the Ethernet header [as the log has it, or any]")
      ->check(CLI::Range(64, 9000));
  fit->add_option("--report", options->report, "file for the report [standard output]");
  fit->add_option("--hold-out", options->held_out,
                  "share of the rows, the last ones, that are predicted and not fitted")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str();
  fit->callback([&action, options, log] {
    action = [options, log] {
      options->log = log->log;
      options->read = [log] { return read_radio_log(*log); };
      options->folders = profile_folders({});
      return fit_command(*options, std::cout, std::cerr);
    };
  });
}

}  // namespace

void add_radio(CLI::App& program, Action& action) {
  using Asked = RadioCommand::Action;
  auto* radio = program.add_subcommand(
      "radio", "List radio profiles, compute links, fit measurements, evaluate reference values");
  radio->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, Asked asked, const char* subject) {
    auto* command = radio->add_subcommand(name, text);
    auto options = std::make_shared<RadioCommand>();
    options->action = asked;
    if (subject != nullptr) {
      command->add_option(subject, options->name)->required();
    }
    if (asked == Asked::kOracle) {
      command->add_option("INPUTS", options->inputs, "inputs of the model, KEY=VALUE each");
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
  add("oracle", "Compare the models with reference values from a CSV file, or evaluate MODEL/QUANTITY for inputs",
      Asked::kOracle, "CSV");
  add_fit(*radio, action);
}

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

}  // namespace hilgate
