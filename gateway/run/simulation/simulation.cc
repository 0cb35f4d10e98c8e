// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/config_file.h"
#include "gateway/configuration/bodies.h"
#include "gateway/configuration/link_overrides.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/simulation/dilation.h"
#include "gateway/run/simulation/recorded_netsim.h"
#include "host/processors.h"
#include "netsim_link/embedded/embedded_netsim.h"
#include "netsim_link/wire_netsim.h"
#include "physics_link/trajectory/trajectory_physics.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

Material material_of(const MaterialConfig& config) {
  if (config.loss_db) {
    return {config.name, FixedLoss{*config.loss_db}};
  }
  return builtin_material(config.name).value();  // configuration names no other
}

}  // namespace

std::vector<Material> materials_of(const Configuration& configuration) {
  std::vector<Material> materials;
  for (const MaterialConfig& material : configuration.world.materials) {
    materials.push_back(material_of(material));
  }
  return materials;
}

namespace {

constexpr std::size_t kMostThreads = 4;  // by default

std::vector<std::optional<std::uint8_t>> system_ids_of(const Configuration& configuration) {
  std::vector<std::optional<std::uint8_t>> ids;
  for (const RobotConfig& robot : configuration.robots) {
    ids.push_back(robot.system_id);
  }
  return ids;
}

std::vector<std::optional<RobotIndex>> forwarders_of(const Configuration& configuration) {
  std::vector<std::optional<RobotIndex>> forwarders;
  for (const RobotConfig& robot : configuration.robots) {
    forwarders.push_back(robot.positions_from);
  }
  return forwarders;
}

std::unique_ptr<mavlink::Vehicles> make_vehicles(const Configuration& configuration, std::vector<Track> tracks,
                                                 Obstacles obstacles) {
  mavlink::VehicleSettings settings{.names = {},
                                    .tracks = std::move(tracks),
                                    .system_ids = {},
                                    .bodies = {},
                                    .obstacles = std::move(obstacles),
                                    .origin = configuration.vehicles->origin,
                                    .origin_has_altitude = configuration.vehicles->origin_has_altitude,
                                    .jumps = configuration.vehicles->jumps};
  const Bodies bodies(configuration.robots);
  settings.names = bodies.spread(bodies.names());
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    settings.bodies.push_back(bodies.representative(RobotIndex{i}));
  }
  settings.system_ids = system_ids_of(configuration);
  settings.forwarders = forwarders_of(configuration);
  return std::make_unique<mavlink::Vehicles>(std::move(settings));
}

// Without physics robots are at the origin: nothing uses their positions.
void make_physics(const Configuration& configuration, Simulation& simulation) {
  std::vector<Track> tracks(configuration.robots.size(), Track{Waypoint{}});
  Obstacles obstacles = obstacles_of(configuration);
  if (configuration.physics) {
    tracks = configuration.physics->tracks;
  }
  if (configuration.vehicles) {
    auto vehicles = make_vehicles(configuration, std::move(tracks), std::move(obstacles));
    simulation.vehicles = vehicles.get();
    simulation.physics = std::move(vehicles);
  } else {
    simulation.physics =
        std::make_unique<TrajectoryPhysics>(std::move(tracks), std::move(obstacles), robots_here(configuration));
  }
}

/// Profiles by name; robots share them and their tables.
class Profiles {
 public:
  explicit Profiles(const Configuration& configuration) : folders_(profile_folders(configuration.profile_paths)) {}

  std::shared_ptr<const RadioProfile> of(const std::string& name) {
    auto& profile = profiles_[name];
    if (!profile && !name.empty()) {
      profile = std::make_shared<const RadioProfile>(load_radio_profile(find_radio_profile(name, folders_)));
    }
    return profile;
  }

 private:
  std::vector<std::string> folders_;
  std::map<std::string, std::shared_ptr<const RadioProfile>> profiles_;
};

AccessNetwork make_network(const Configuration& configuration, Profiles& profiles) {
  AccessNetwork made;
  const AccessNetworkConfig* network = access_network(configuration);
  if (network == nullptr) {
    return made;
  }
  for (const AccessPointConfig& point : network->access_points) {
    made.access_points.push_back({point.robot, point.position, profiles.of(point.radio), point.channel, point.antenna});
  }
  for (std::uint32_t robot = 0; robot < configuration.robots.size(); ++robot) {
    if (configuration.robots[robot].wired) {
      made.wired.push_back(RobotIndex{robot});
    }
  }
  made.delay = network->delay;
  made.roaming = network->roaming;
  made.obstacles = obstacles_of(configuration);
  return made;
}

// A file may be of all links of a robot, of which some are between radios of different media.
void play_sinrs(const Configuration& configuration, EmbeddedNetsim& netsim) {
  std::map<std::uint32_t, const MeasuredSinr*> undriven;  // by file: the last of its links, unless one could be driven
  for (const MeasuredSinr& link : std::get<EmbeddedConfig>(configuration.netsim).sinrs) {
    const bool is_driven = netsim.measured_sinr(link.from, link.to, link.trace);
    const auto file = undriven.try_emplace(link.file, &link).first;
    file->second = is_driven || file->second == nullptr ? nullptr : &link;
  }
  for (const auto& [file, link] : undriven) {
    if (link != nullptr) {
      const RobotConfig& from = configuration.robots[link->from.value()];
      const RobotConfig& to = configuration.robots[link->to.value()];
      throw std::runtime_error(fmt::format(
          "netsim.traces: the link from '{}' to '{}' has an SINR or a CQI, and the radio '{}' does not receive "
          "the radio '{}'; give both a profile of one domain",
          from.name, to.name, to.radio, from.radio));
    }
  }
}

// Where media are apart each gateway decides frames of its own robots alone, and a relay at another gateway would have
// a queue and turns on the air at both.
void check_meshes_apart(const Configuration& configuration, const AirPlan& air) {
  if (!configuration.site || configuration.site->media != SiteMedia::kApart) {
    return;
  }
  const auto gateway_of = [&](const RobotConfig& robot) {
    return configuration.site->gateways[configuration.ports[robot.port.value()].gateway].name;
  };
  std::vector<const RobotConfig*> first(air.domains.size());
  for (std::size_t i = 0; i < configuration.robots.size(); ++i) {
    const auto& station = air.stations[i];
    if (!station || !air.domains[station->domain].mesh) {
      continue;
    }
    const RobotConfig& robot = configuration.robots[i];
    const RobotConfig*& other = first[station->domain];
    if (other == nullptr) {
      other = &robot;
    } else if (gateway_of(*other) != gateway_of(robot)) {
      throw std::runtime_error(fmt::format(
          "site.media: apart excludes the mesh '{}', whose stations forward one another's frames and are at several "
          "gateways ('{}' at {}, '{}' at {}); use `media: shared`, or give the mesh of each gateway a radio profile "
          "with "
          "a `mac.domain` of its own",
          air.domains[station->domain].name, other->name, gateway_of(*other), robot.name, gateway_of(robot)));
    }
  }
}

std::unique_ptr<EmbeddedNetsim> make_embedded(const Configuration& configuration,
                                              std::shared_ptr<const SurveyedFloors> floors) {
  Profiles profiles(configuration);
  std::vector<std::shared_ptr<const RadioProfile>> radios;
  std::vector<AntennaMount> mounts;
  for (const RobotConfig& robot : configuration.robots) {
    radios.push_back(profiles.of(robot.radio));
    mounts.push_back(robot.antenna);
  }
  auto netsim = std::make_unique<EmbeddedNetsim>(std::move(radios), materials_of(configuration), configuration.seed,
                                                 std::move(floors), make_network(configuration, profiles), mounts);
  check_meshes_apart(configuration, netsim->air_plan());
  const auto& embedded = std::get<EmbeddedConfig>(configuration.netsim);
  if (!embedded.measured.empty()) {
    netsim->measured_links(embedded.measured);
  }
  play_sinrs(configuration, *netsim);
  if (const auto here = robots_here(configuration); !here.empty()) {
    netsim->leave_to_others(here);
  }
  return netsim;
}

// Of an external network simulator, what there is before it has spoken: wires.
std::unique_ptr<Netsim> make_netsim(const Configuration& configuration, std::shared_ptr<const SurveyedFloors> floors) {
  if (std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    return make_embedded(configuration, std::move(floors));
  }
  const auto* local = std::get_if<LocalNetsimConfig>(&configuration.netsim);
  return local != nullptr ? local->make(configuration.robots.size())
                          : std::make_unique<WireNetsim>(configuration.robots.size());
}

std::vector<std::string> names_of_ends(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const RobotConfig& robot : configuration.robots) {
    names.push_back(robot.name);
  }
  if (const AccessNetworkConfig* network = access_network(configuration)) {
    for (const AccessPointConfig& point : network->access_points) {
      names.push_back(point.name);
    }
  }
  return names;
}

void lay_rules(const Configuration& configuration, AirPlan& air) {
  const auto robots = static_cast<std::uint32_t>(configuration.robots.size());
  const std::size_t ends = link_ends(configuration);
  const LinkOverrides overrides(configuration);
  for (std::uint32_t from = 0; from < robots; ++from) {
    SenderRules of_sender(overrides, RobotIndex{from});
    for (std::uint32_t to = 0; to < robots; ++to) {
      LinkRules& rules = air.rules[link_of(RobotIndex{from}, RobotIndex{to}, ends).value()];
      rules = of_sender.to(RobotIndex{to}, std::move(rules));
    }
  }
}

std::vector<Jammer> jammers_of(const Configuration& configuration) {
  std::vector<Jammer> jammers;
  for (const JammerConfig& config : configuration.jammers) {
    jammers.push_back(config.jammer);
  }
  return jammers;
}

// Later items win.
std::vector<double> path_losses_of(const Configuration& configuration) {
  const auto robots = static_cast<std::uint32_t>(configuration.robots.size());
  const LinkOverrides overrides(configuration);
  std::vector<double> losses;
  for (const LinkOverride* link : overrides.all()) {
    if (!link->path_loss) {
      continue;
    }
    losses.resize(std::size_t{robots} * robots, std::numeric_limits<double>::quiet_NaN());
    const auto first = [](LinkOverrides::End end) { return end ? end->value() : 0; };
    const auto behind = [robots](LinkOverrides::End end) { return end ? end->value() + 1 : robots; };
    for (std::uint32_t from = first(link->from); from < behind(link->from); ++from) {
      for (std::uint32_t to = first(link->to); to < behind(link->to); ++to) {
        losses[link_of(RobotIndex{from}, RobotIndex{to}, robots).value()] = link->path_loss->value;
      }
    }
  }
  return losses;
}

}  // namespace

Obstacles obstacles_of(const Configuration& configuration) {
  const WorldConfig& world = configuration.world;
  std::vector<Obstacle> boxes;
  for (const ObstacleConfig& obstacle : world.obstacles) {
    boxes.push_back(obstacle.obstacle);
  }
  return {std::move(boxes), world.scene.buildings, world.scene.ground};
}

AirPlan configured_air(const Configuration& configuration, const Netsim& own) {
  AirPlan air = own.air_plan();
  // A verdict's bit error rate is about the bits that are delivered.
  if (const ExternalNetsimConfig* netsim = external_netsim(configuration); netsim != nullptr && netsim->by_packet) {
    const auto robots = static_cast<std::uint32_t>(link_ends(configuration));
    for (std::uint32_t from = 0; from < robots; ++from) {
      for (std::uint32_t to = 0; to < robots; ++to) {
        if (is_judged(configuration, RobotIndex{from}) && is_judged(configuration, RobotIndex{to})) {
          air.rules[link_of(RobotIndex{from}, RobotIndex{to}, robots).value()].policy = ErrorPolicy::kCorruptRaw;
        }
      }
    }
  }
  lay_rules(configuration, air);
  stretch(air, configuration.dilation);
  return air;
}

void change_air(const Configuration& configuration, const Simulation& simulation) {
  if (simulation.vehicles != nullptr) {
    simulation.vehicles->place_by(system_ids_of(configuration), forwarders_of(configuration));
  }
  if (auto* radios = dynamic_cast<EmbeddedNetsim*>(simulation.netsim.get())) {
    radios->change({.jammers = jammers_of(configuration),
                    .obstacles = obstacles_of(configuration),
                    .path_loss_db = path_losses_of(configuration)});
  }
}

void share_link_work(const Configuration& configuration, const Simulation& simulation) {
  auto* radios = dynamic_cast<EmbeddedNetsim*>(simulation.netsim.get());
  if (radios == nullptr) {
    return;
  }
  const auto roaming_loops = static_cast<std::size_t>(std::count_if(
      configuration.cores.begin(), configuration.cores.end(), [](const CoreConfig& core) { return !core.cpu; }));
  const std::size_t left = std::max(processors_allowed(), roaming_loops + 1) - roaming_loops;
  const auto& asked = std::get<EmbeddedConfig>(configuration.netsim).threads;
  radios->share_work(asked.value_or(static_cast<std::uint32_t>(std::min(left, kMostThreads))));
}

Simulation make_simulation(const Configuration& configuration) {
  Simulation simulation;
  make_physics(configuration, simulation);
  const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  simulation.floors = embedded != nullptr && embedded->map ? open_floors(embedded->map->string()) : nullptr;
  simulation.netsim = make_netsim(configuration, simulation.floors);
  if (configuration.recorded_air) {
    simulation.netsim = std::make_unique<RecordedNetsim>(std::move(simulation.netsim), *configuration.recorded_air,
                                                         names_of_ends(configuration));
  }
  simulation.air = configured_air(configuration, *simulation.netsim);
  change_air(configuration, simulation);
  return simulation;
}

LinkTable first_links(const Configuration& configuration) {
  const bool nobody_placed = std::holds_alternative<EmbeddedConfig>(configuration.netsim) && !configuration.physics;
  LinkTable table;
  table.links.resize(link_ends(configuration) * link_ends(configuration));
  for (LinkState& link : table.links) {
    link.reachable = !nobody_placed;
  }
  return table;
}

LinkTable links_at(SimTime at, const Simulation& simulation, std::size_t ends) {
  Scene scene;
  simulation.physics->scene_at(at, scene);
  LinkTable table;
  table.links.resize(ends * ends);
  table.at = at;
  simulation.netsim->link_states(scene, table);
  return table;
}

void make_sane(LinkTable& table, std::size_t modes) {
  table.each_heard([modes](LinkState& link) {
    link.unicast_mode = link.unicast_mode < modes ? link.unicast_mode : std::uint8_t{0};
    link.multicast_mode = link.multicast_mode < modes ? link.multicast_mode : std::uint8_t{0};
    const bool nonsense = !(link.unicast.per_bit >= 0) || !(link.multicast.per_bit >= 0);
    link.reachable = link.reachable && !nonsense;
    if (nonsense) {
      link.unicast = link.multicast = BitHazard{};
    }
    link.delay = std::clamp(link.delay, Nanoseconds{0}, Nanoseconds{std::chrono::hours(1)});
  });
}

Simulation try_models(const Configuration& configuration) {
  try {
    return make_simulation(configuration);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw ConfigError({{configuration.file.string(), 0, "", error.what()}});
  }
}

}  // namespace hilgate
