// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/map/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/nearest.h"
#include "config/units.h"
#include "gateway/commands/command_line.h"

namespace hilgate {
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
  command->add_option("--radio", options->radio, "radio profile of who hears it [the same]");
  add_word(*command, "--show",
           "what the colours are: `snr`, `loss` of one try of a full frame, or `nothing`; mean values [snr]",
           [options](const std::string& given) { options->show = shown_by(given); });
  add_quantity<Metres>(*command, "--height", "height of who hears it [1m]",
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

}  // namespace hilgate
