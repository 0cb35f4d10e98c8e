// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/radio_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "rf_profiles/report/radio_command.h"

namespace hilgate {
namespace {

constexpr std::size_t kMostWalls = 8;
constexpr std::size_t kLongestName = 64;
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

double within(double value, double least, double most, const char* name) {
  if (!(value >= least && value <= most)) {
    throw std::invalid_argument(fmt::format("{} is out of range; allowed: {:g} to {:g}", name, least, most));
  }
  return value;
}

RadioCommand read_question(const nlohmann::json& asked) {
  RadioCommand command{.form = RadioCommand::Form::kJson, .name = asked.at("profile"), .folders = {}, .question = {}};
  if (command.name.empty() || command.name.size() > kLongestName ||
      command.name.find_first_not_of(kNameCharacters) != std::string::npos) {
    throw std::invalid_argument("profile is not a name");
  }
  command.question.distance_m = within(asked.at("distance_m"), 0.1, 1e8, "distance_m");
  const nlohmann::json heights = asked.value("heights_m", nlohmann::json::array({10, 10}));
  command.question.height_m = within(heights.at(0), 0, 1e6, "heights_m");
  command.question.other_height_m = within(heights.at(1), 0, 1e6, "heights_m");
  const nlohmann::json walls = asked.value("walls", nlohmann::json::array());
  if (!walls.is_array()) {
    throw std::invalid_argument("walls is not a list");
  }
  within(static_cast<double>(walls.size()), 0, kMostWalls, "number of walls");
  for (const nlohmann::json& wall : walls) {
    command.question.walls.push_back(parse_wall(wall));
  }
  return command;
}

std::string say(RadioCommand command, RadioCommand::Action action) {
  command.action = action;
  std::ostringstream said;
  std::ostringstream wrong;
  if (radio_command(command, said, wrong) != 0) {
    throw std::invalid_argument(wrong.str());
  }
  return said.str();
}

}  // namespace

HttpResponse radio_answer(const std::vector<std::string>& folders, const std::string& asked) {
  try {
    RadioCommand command = read_question(nlohmann::json::parse(asked));
    command.folders = folders;
    using Action = RadioCommand::Action;
    return HttpResponse::json(fmt::format(R"({{"profile":{},"link":{},"range":{}}})", say(command, Action::kShow),
                                          say(command, Action::kLink), say(command, Action::kPlot)));
  } catch (const std::exception& error) {
    return HttpResponse::refusal(400, error.what());
  }
}

}  // namespace hilgate
