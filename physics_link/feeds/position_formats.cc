// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/position_formats.h"

#include <tinyxml2.h>

#include <array>
#include <bit>
#include <cstring>
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

namespace hilgate::robonetsim {
namespace {

static_assert(std::endian::native == std::endian::little, "RoboNetSim's structs are read as they lie on x86-64");

constexpr std::size_t kInformationSize = 88;
constexpr std::size_t kPositionsHead = 24;
constexpr std::size_t kNodeSize = 32;
constexpr std::size_t kInfoSize = 56;
constexpr std::size_t kNameAt = 4;

template <class T>
T read_at(std::string_view datagram, std::size_t offset) {
  T value{};
  std::memcpy(&value, datagram.data() + offset, sizeof value);
  return value;
}

template <class T>
void write_at(std::string& datagram, std::size_t offset, const T& value) {
  std::memcpy(datagram.data() + offset, &value, sizeof value);
}

}  // namespace

std::optional<Type> type_of(std::string_view datagram) {
  if (datagram.size() < sizeof(std::int32_t)) {
    return std::nullopt;
  }
  const auto type = read_at<std::int32_t>(datagram, 0);
  return type >= 0 && type <= static_cast<std::int32_t>(Type::kStop) ? std::optional(static_cast<Type>(type))
                                                                     : std::nullopt;
}

std::optional<NodePositions> decode_positions(std::string_view datagram) {
  if (datagram.size() < kPositionsHead || type_of(datagram) != Type::kNodePositions) {
    return std::nullopt;
  }
  NodePositions positions{.timestamp_s = read_at<double>(datagram, 8)};
  const auto announced = read_at<std::int32_t>(datagram, 16);
  const std::size_t held = (datagram.size() - kPositionsHead) / kNodeSize;
  for (std::size_t i = 0; i < held && static_cast<std::int64_t>(i) < announced; ++i) {
    const std::size_t at = kPositionsHead + i * kNodeSize;
    positions.nodes.push_back({.robot = std::to_string(read_at<std::int32_t>(datagram, at)),
                               .at = {read_at<double>(datagram, at + 8), read_at<double>(datagram, at + 16),
                                      read_at<double>(datagram, at + 24)}});
  }
  return positions;
}

std::string simulation_information(const SimulationInformation& information) {
  std::string datagram(kInformationSize, '\0');
  write_at(datagram, 0, Type::kSimulationInformation);
  write_at(datagram, 4, information.robots);
  write_at(datagram, 8, information.step_s);
  return datagram;
}

std::string node_positions(const NodePositions& positions) {
  std::string datagram(kPositionsHead + positions.nodes.size() * kNodeSize, '\0');
  write_at(datagram, 0, Type::kNodePositions);
  write_at(datagram, 8, positions.timestamp_s);
  write_at(datagram, 16, static_cast<std::int32_t>(positions.nodes.size()));
  write_at(datagram, 20, static_cast<std::int32_t>(positions.nodes.size() * kNodeSize));
  for (std::size_t i = 0; i < positions.nodes.size(); ++i) {
    const std::size_t at = kPositionsHead + i * kNodeSize;
    const NamedPosition& node = positions.nodes[i];
    write_at(datagram, at, static_cast<std::int32_t>(std::stoi(node.robot)));
    write_at(datagram, at + 8, node.at.x);
    write_at(datagram, at + 16, node.at.y);
    write_at(datagram, at + 24, node.at.z);
  }
  return datagram;
}

std::string network_sim_info(std::string_view name) {
  std::string datagram(kInfoSize, '\0');
  const auto type = static_cast<std::int32_t>(Type::kNetworkSimInfo);
  std::memcpy(datagram.data(), &type, sizeof type);
  const std::string_view fits = name.substr(0, 49);
  std::memcpy(datagram.data() + kNameAt, fits.data(), fits.size());
  return datagram;
}

}  // namespace hilgate::robonetsim
