// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/scenario.h"

#include <arpa/inet.h>

#include <fmt/format.h>

#include "config/plain_text.h"
#include "config/yaml_reader.h"

namespace hilgate::ns3net {
namespace {

std::uint32_t read_ip(YamlReader& node, std::string_view key) {
  const auto text = node.required<std::string>(key);
  in_addr address{};
  if (!text.empty() && inet_pton(AF_INET, text.c_str(), &address) != 1) {
    node.fault(key, fmt::format("'{}' is not an IPv4 address; example: 10.77.0.1", shown(text)));
  }
  return ntohl(address.s_addr);
}

std::optional<Vec3> read_place(YamlReader& node, std::string_view key) {
  if (!node.has(key)) {
    return std::nullopt;
  }
  const auto metres = node.list<Metres>(key);
  if (metres.size() != 3) {
    node.fault(key, fmt::format("has {} numbers; give x, y and z, for example [40m, 20m, 3m]", metres.size()));
    return std::nullopt;
  }
  return Vec3{metres[0].value, metres[1].value, metres[2].value};
}

void read_robots(YamlReader& root, Scenario& scenario) {
  for (auto& [name, node] : root.entries("robots")) {
    scenario.robots.push_back({.name = name, .ip = read_ip(node, "ip"), .at = read_place(node, "at")});
  }
  if (scenario.robots.size() < 2) {
    root.fault("robots", fmt::format("has {} entries; the minimum is 2", scenario.robots.size()));
  }
}

Part read_part(YamlReader& parent, std::string_view key) {
  Part part{.key = parent.path().empty() ? std::string(key) : fmt::format("{}.{}", parent.path(), key)};
  if (auto node = parent.optional_child(key)) {
    if (node->is_scalar()) {
      part.type = node->as<std::string>();
      return part;
    }
    part.type = node->required<std::string>("type");
    if (node->has("settings")) {
      for (auto& [name, value] : node->entries("settings")) {
        part.settings.emplace_back(name, value.as<std::string>());
      }
    }
  }
  return part;
}

std::uint32_t read_count(YamlReader& node, std::string_view key, std::uint32_t otherwise, std::uint32_t most) {
  const auto count = node.optional<std::uint32_t>(key, otherwise);
  if (count > most) {
    node.fault(key, fmt::format("{} is out of range; allowed: 0 to {}", count, most));
  }
  return count;
}

void read_stations(YamlReader& network, std::string_view key, Scenario& scenario) {
  for (auto& [name, node] : network.entries(key)) {
    const auto metres = node.list<Metres>("at");
    if (metres.size() != 3) {
      node.fault("has no position; add at: [x, y, z], for example [40m, 20m, 3m]");
      continue;
    }
    scenario.stations.push_back({.name = name, .at = {metres[0].value, metres[1].value, metres[2].value}});
  }
  if (scenario.stations.empty()) {
    network.fault(key, "is empty; give at least one");
  }
}

void read_wifi(YamlReader& network, Scenario& scenario) {
  WifiScenario& wifi = scenario.wifi;
  wifi.standard = network.optional<std::string>("standard", wifi.standard);
  wifi.band = network.optional<std::string>("band", wifi.band);
  wifi.channel = read_count(network, "channel", wifi.channel, 255);
  const auto width = network.optional<Hertz>("width", Hertz{20e6});
  wifi.width_mhz = static_cast<std::uint32_t>(width.value / 1e6);
  wifi.infrastructure = network.choice<bool>("mode", {{"ad_hoc", false}, {"infrastructure", true}}, false);
  wifi.rate_control = read_part(network, "rate_control");
  wifi.error_model = read_part(network, "error_model");
  wifi.tx_power_dbm = network.optional<Dbm>("tx_power", Dbm{wifi.tx_power_dbm}).value;
  wifi.noise_figure_db = network.optional<Decibels>("noise_figure", Decibels{wifi.noise_figure_db}).value;
  wifi.tries = read_count(network, "tries", wifi.tries, 100);
  wifi.ampdu_bytes = read_count(network, "ampdu", wifi.ampdu_bytes, 6'500'631);
  wifi.slot = network.optional<Nanoseconds>("slot");
  if (auto queue = network.optional_child("queue")) {
    wifi.queue_frames = read_count(*queue, "frames", wifi.queue_frames, 1'000'000);
    wifi.queue_delay = queue->optional<Nanoseconds>("delay", wifi.queue_delay);
  }
  if (wifi.infrastructure) {
    wifi.ssid = network.optional<std::string>("ssid", wifi.ssid);
    read_stations(network, "access_points", scenario);
  }
}

void read_network(YamlReader& root, Scenario& scenario) {
  YamlReader network = root.child("network");
  if (network.absent()) {
    return;
  }
  scenario.type = network.choice<NetworkType>("type", {{"wifi", NetworkType::kWifi},
                                                       {"csma", NetworkType::kCsma},
                                                       {"lr_wpan", NetworkType::kLrWpan},
                                                       {"lte", NetworkType::kLte}});
  switch (scenario.type) {
    case NetworkType::kWifi:
      read_wifi(network, scenario);
      break;
    case NetworkType::kCsma:
      scenario.csma.rate = network.optional<std::string>("rate", scenario.csma.rate);
      scenario.csma.delay = network.optional<Nanoseconds>("delay", scenario.csma.delay);
      break;
    case NetworkType::kLrWpan:
      break;
    case NetworkType::kLte:
      scenario.lte.resource_blocks = read_count(network, "resource_blocks", scenario.lte.resource_blocks, 100);
      scenario.lte.scheduler = read_part(network, "scheduler");
      scenario.lte.handover = read_part(network, "handover");
      read_stations(network, "base_stations", scenario);
      break;
  }
  scenario.routing = network.choice<Routing>(
      "routing", {{"none", Routing::kNone}, {"olsr", Routing::kOlsr}, {"aodv", Routing::kAodv}}, Routing::kNone);
  if (scenario.routing != Routing::kNone &&
      (scenario.type == NetworkType::kLte || scenario.type == NetworkType::kLrWpan || scenario.wifi.infrastructure)) {
    network.fault("routing", "applies to wifi ad hoc and csma only");
  }
}

}  // namespace

Scenario load_scenario(const std::string& file) {
  YamlDocument document = YamlDocument::load(file);
  YamlReader root = document.root();
  Scenario scenario{.file = file};
  read_robots(root, scenario);
  scenario.seed = root.optional<std::uint32_t>("seed", scenario.seed);
  read_network(root, scenario);
  scenario.propagation = read_part(root, "propagation");
  scenario.blocked_loss_db = root.optional<Decibels>("blocked_loss", Decibels{0}).value;
  scenario.give_up = root.optional<Nanoseconds>("give_up", scenario.give_up);
  if (root.has("materials")) {
    for (auto& [name, node] : root.entries("materials")) {
      scenario.wall_losses_db.push_back(node.required<Decibels>("loss").value);
    }
  }
  if (root.has("attributes")) {
    for (auto& [name, value] : root.entries("attributes")) {
      scenario.attributes.emplace_back(name, value.as<std::string>());
    }
  }
  document.finish();
  return scenario;
}

}  // namespace hilgate::ns3net
