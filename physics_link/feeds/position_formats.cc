// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/position_formats.h"

#include <tinyxml2.h>

#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "config/plain_text.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {
namespace {

std::optional<double> parse_number(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return finite_number(text);
}

// Cuts off the text before `separator`; all of it without one.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return head;
}

bool skip(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) {
    return false;
  }
  text.remove_prefix(expected.size());
  return true;
}

std::optional<Vec3> parse_triple(std::string_view text) {
  std::array<double, 3> numbers{};
  for (double& number : numbers) {
    const auto value = parse_number(take_until(text, ","));
    if (!value) {
      return std::nullopt;
    }
    number = *value;
  }
  return text.empty() ? std::optional(Vec3{numbers[0], numbers[1], numbers[2]}) : std::nullopt;
}

std::string_view without_quotes(std::string_view text) {
  constexpr std::string_view kQuotes = "'\"";
  const std::size_t first = text.find_first_not_of(kQuotes);
  const std::size_t last = text.find_last_not_of(kQuotes);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first, last - first + 1);
}

std::optional<double> coordinate(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) {
    return 0.0;
  }
  return found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

}  // namespace

Cornet2Command parse_cornet2(std::string_view command) {
  constexpr std::string_view kAccepted = "command accepted!";
  constexpr std::string_view kUnknown = "unrecognized method!";
  if (!skip(command, "set.")) {
    return {.position = std::nullopt, .reply = kUnknown};
  }
  const std::string_view robot = take_until(command, ".setPosition(");
  const std::size_t close = command.rfind(')');
  if (robot.empty() || close == std::string_view::npos) {
    return {.position = std::nullopt, .reply = kUnknown};
  }
  const auto at = parse_triple(without_quotes(command.substr(0, close)));
  if (!at) {
    return {.position = std::nullopt, .reply = kUnknown};
  }
  return {.position = NamedPosition{.robot = std::string(robot), .at = *at}, .reply = kAccepted};
}

std::optional<NamedPosition> parse_cornet_position(std::string_view line) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("name") || !object["name"].is_string()) {
    return std::nullopt;
  }
  const auto x = coordinate(object, "x");
  const auto y = coordinate(object, "y");
  const auto z = coordinate(object, "z");
  if (!x || !y || !z) {
    return std::nullopt;
  }
  return NamedPosition{.robot = object["name"].get<std::string>(), .at = {*x, *y, *z}};
}

std::optional<SimTime> parse_cornet_clock(std::string_view line) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("t") || !object["t"].is_number()) {
    return std::nullopt;
  }
  return bounded_time_of_seconds(object["t"].get<double>());
}

std::optional<NamedPosition> parse_flynetsim(std::string_view message) {
  constexpr std::size_t kIdDigits = 3;
  if (!skip(message, "@@@U_") || message.size() < kIdDigits) {
    return std::nullopt;
  }
  const std::string id(message.substr(0, kIdDigits));
  message.remove_prefix(kIdDigits);
  if (!skip(message, "***DISTANCE***")) {
    return std::nullopt;
  }
  const auto x = parse_number(take_until(message, "***"));
  const auto y = parse_number(take_until(message, "***"));
  if (!x || !y) {
    return std::nullopt;
  }
  return NamedPosition{.robot = id, .at = {*x, *y, 0}};
}

std::optional<std::vector<NamedPosition>> parse_avens(const std::string& xml) {
  tinyxml2::XMLDocument document;
  if (document.Parse(xml.data(), xml.size()) != tinyxml2::XML_SUCCESS || document.RootElement() == nullptr) {
    return std::nullopt;
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  const bool is_fanet = std::string_view(root->Name()) == "FANET";
  const tinyxml2::XMLElement* fanet = is_fanet ? root : root->FirstChildElement("FANET");
  if (fanet == nullptr) {
    return std::nullopt;
  }
  std::vector<NamedPosition> positions;
  for (auto* aircraft = fanet->FirstChildElement("Aircraft"); aircraft != nullptr;
       aircraft = aircraft->NextSiblingElement("Aircraft")) {
    NamedPosition position{.robot = std::to_string(positions.size())};
    const double missing = std::numeric_limits<double>::quiet_NaN();  // move() refuses and counts it
    position.at = {aircraft->DoubleAttribute("XPosition", missing), aircraft->DoubleAttribute("YPosition", missing),
                   aircraft->DoubleAttribute("ZPosition", missing)};
    positions.push_back(std::move(position));
  }
  return positions;
}

}  // namespace hilgate
