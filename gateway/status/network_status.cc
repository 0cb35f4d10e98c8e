// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/status_parts.h"

#include <fmt/format.h>

#include <iterator>

#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

const char* name_of(Attachment::State state) {
  switch (state) {
    case Attachment::State::kRoaming:
      return "roaming";
    case Attachment::State::kNone:
      return "none";
    case Attachment::State::kAttached:
      break;
  }
  return "associated";
}

// Of a robot; as nowhere before the first table.
Attachment attachment_of(const StatusInputs& in, std::size_t robot) {
  const std::vector<Attachment>& all = in.windows.table().attachments;
  return robot < all.size() ? all[robot] : Attachment{};
}

template <class Each>
void each_station(const StatusInputs& in, Each each) {
  for (std::uint32_t i = 0; i < in.configuration.robots.size(); ++i) {
    if (in.air.role(i) == AirRole::kStation) {
      each(RobotIndex{i}, attachment_of(in, i));
    }
  }
}

StationStatus station_status(const StatusInputs& in, RobotIndex robot, const Attachment& attachment) {
  const std::string& name = in.configuration.robots[robot.value()].name;
  const Stations::Record record = in.windows.stations().of(name);
  StationStatus station{.robot = name,
                        .state = name_of(attachment.state),
                        .handovers = record.handovers,
                        .without = record.without,
                        .without_longest = record.without_most};
  if (attachment.state == Attachment::State::kAttached) {
    const RobotIndex point = attachment.at.value();
    const LinkReading link = read_link(in.windows.table(), in.air, link_ends(in.configuration), point, robot);
    station.access_point =
        access_network(in.configuration)->access_points[point.value() - in.configuration.robots.size()].name;
    station.rssi = Dbm{link.rssi_dbm};
    station.snr = Decibels{link.snr_db};
    station.rate = BitsPerSecond{1e6 * link.rate_mbps};
  }
  return station;
}

}  // namespace

std::vector<StationStatus> stations_status(const StatusInputs& in) {
  std::vector<StationStatus> stations;
  each_station(in, [&](RobotIndex robot, const Attachment& attachment) {
    stations.push_back(station_status(in, robot, attachment));
  });
  return stations;
}

std::vector<AccessPointStatus> access_points_status(const StatusInputs& in) {
  std::vector<AccessPointStatus> points;
  for (const AccessPointConfig& point : access_network(in.configuration)->access_points) {
    AccessPointStatus& added =
        points.emplace_back(AccessPointStatus{.name = point.name, .radio = point.radio, .channel = point.channel});
    if (point.robot) {
      added.robot = in.configuration.robots[point.robot->value()].name;
    } else {
      added.position = point.position;
    }
  }
  return points;
}

void add_access_points(const StatusInputs& in, std::vector<MediumStatus>& media) {
  const AccessNetworkConfig* network = access_network(in.configuration);
  if (network == nullptr) {
    return;
  }
  const std::size_t robots = in.configuration.robots.size();
  for (std::size_t i = 0; i < network->access_points.size(); ++i) {
    MediumStatus& medium = media[in.air.stations[robots + i]->domain];
    if (!medium.access_points) {
      medium.access_points.emplace();
    }
    medium.access_points->push_back(network->access_points[i].name);
  }
  each_station(in, [&](RobotIndex robot, const Attachment& attachment) {
    if (attachment.state == Attachment::State::kAttached) {
      media[in.air.stations[attachment.at.value().value()]->domain].robots.push_back(
          in.configuration.robots[robot.value()].name);
    }
  });
}

std::optional<MeshesStatus> mesh_status(const StatusInputs& in) {
  const MeshRoutes* const routes = in.windows.table().routes.get();
  if (routes == nullptr || routes->ends != link_ends(in.configuration)) {
    return std::nullopt;
  }
  MeshesStatus status{.route_changes = routes->changes, .routes_changed = routes->changed_at};
  auto parts = routes->parts.begin();
  for (const AirDomain& domain : in.air.domains) {
    if (!domain.mesh || parts == routes->parts.end()) {
      continue;
    }
    MeshStatus& mesh = status.meshes.emplace_back(MeshStatus{.domain = domain.name});
    for (const std::vector<RobotIndex>& part : *parts++) {
      mesh.parts.push_back({names_of(part, in.configuration)});
    }
  }
  return status;
}

std::string mesh_text(const StatusJson& status) {
  std::string text;
  if (!status.contains("mesh")) {
    return text;
  }
  const StatusJson& mesh = status["mesh"];
  for (const StatusJson& each : mesh["meshes"]) {
    text += fmt::format("\nmesh {}: ", each["domain"].get<std::string>());
    const StatusJson& parts = each["parts"];
    text += parts.size() == 1 ? "whole" : fmt::format("{} parts without a route between them", parts.size());
    for (const StatusJson& part : parts) {
      text += fmt::format("{}{}", &part == &parts.front() ? ": " : " | ",
                          fmt::join(part["robots"].get<std::vector<std::string>>(), " "));
    }
  }
  text += fmt::format("\nroutes changed {} times, last at {:.3f} s of simulated time\n",
                      mesh["route_changes"].get<std::uint64_t>(), mesh["routes_changed_s"].get<double>());
  for (const StatusJson& link : status["links"]) {
    if (link.contains("via")) {
      text += fmt::format("  {} -> {} over {}\n", link["from"].get<std::string>(), link["to"].get<std::string>(),
                          fmt::join(link["via"].get<std::vector<std::string>>(), ", "));
    }
  }
  return text;
}

std::string stations_text(const StatusJson& status) {
  if (!status.contains("stations")) {
    return "";
  }
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "\n{:<12} {:<15} {:>7} {:>6} {:>7} {:>9} {:>10} {:>10}\n", "station", "access point", "rssi",
                 "snr", "rate", "handovers", "without", "longest");
  for (const StatusJson& station : status["stations"]) {
    fmt::format_to(out, "{:<12} ", station["robot"].get<std::string>());
    if (station.contains("access_point")) {
      fmt::format_to(out, "{:<15} {:>7.1f} {:>6.1f} {:>7.1f}", station["access_point"].get<std::string>(),
                     station["rssi_dbm"].get<double>(), station["snr_db"].get<double>(),
                     station["rate_mbps"].get<double>());
    } else {
      fmt::format_to(out, "{:<15} {:>7} {:>6} {:>7}", station["state"].get<std::string>(), "-", "-", "-");
    }
    fmt::format_to(out, " {:>9} {:>8.3f} s {:>8.3f} s\n", station["handovers"].get<std::uint64_t>(),
                   station["without_s"].get<double>(), station["without_longest_s"].get<double>());
  }
  return text;
}

}  // namespace hilgate
