// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/robonetsim_messages.h"

#include <bit>
#include <cstring>

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

std::optional<SimulationInformation> decode_information(std::string_view datagram) {
  if (datagram.size() < kInformationSize || type_of(datagram) != Type::kSimulationInformation) {
    return std::nullopt;
  }
  return SimulationInformation{.robots = read_at<std::int32_t>(datagram, 4), .step_s = read_at<double>(datagram, 8)};
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
