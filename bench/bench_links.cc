// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_links.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "bench/program_output.h"
#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

/// As ns-3's chain does: Nakagami, m = 1.5.
std::shared_ptr<const RadioProfile> radio(const BenchLinksOptions& options, std::span<const std::string> folders) {
  RadioProfile profile = load_radio_profile(find_radio_profile(options.profile, folders));
  profile.channel.fading.los = profile.channel.fading.nlos = NakagamiFading{.m = 1.5};
  return std::make_shared<const RadioProfile>(std::move(profile));
}

/// Of one thread its processor time: what others do on the machine does not count. Of several the time that passes.
Nanoseconds time_now(const BenchLinksOptions& options) {
  timespec now{};
  clock_gettime(options.threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + Nanoseconds{now.tv_nsec};
}

void leave_to_other_gateways(const BenchLinksOptions& options, EmbeddedNetsim& netsim) {
  std::vector<bool> here;
  for (std::uint32_t robot = 0; robot < options.robots; ++robot) {
    here.push_back(robot % options.gateways == 0);
  }
  netsim.leave_to_others(here);
}

LinksTime time_of(EmbeddedNetsim& netsim, BenchFleet fleet, const BenchLinksOptions& options) {
  LinkTable table;
  std::vector<Nanoseconds> took;
  constexpr std::size_t kLeast = 10;
  constexpr int kFirst = 3;  // look at all pairs, and far ahead of those that then sleep
  for (int i = 0; i < kFirst; ++i) {
    netsim.link_states(fleet.step(), table);
  }
  const Nanoseconds start = time_now(options);
  for (Nanoseconds end = start; end < start + options.duration || took.size() < kLeast;) {
    const Scene& scene = fleet.step();
    const Nanoseconds before = time_now(options);
    netsim.link_states(scene, table);
    end = time_now(options);
    took.push_back(end - before);
  }
  const auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
  std::nth_element(took.begin(), middle, took.end());
  const double median_ns = static_cast<double>(middle->count());
  const auto late = took.begin() + static_cast<std::ptrdiff_t>((took.size() - 1) * 99 / 100);
  std::nth_element(took.begin(), late, took.end());
  const double links = static_cast<double>(options.robots) * (options.robots - 1);
  const auto heard =
      std::count_if(table.links.begin(), table.links.end(), [](const LinkState& link) { return link.reachable; });
  return {.ms_per_update = median_ns / 1e6,
          .p99_ms = std::chrono::duration<double, std::milli>(*late).count(),
          .ns_per_link = median_ns / links,
          .updates = took.size(),
          .heard_per_robot = static_cast<double>(heard) / options.robots,
          .far = netsim.far_pairs().front()};
}

void time_ours(const BenchLinksOptions& options, std::span<const std::string> folders, BenchLinksResult& result) {
  const auto profile = radio(options, folders);
  const std::vector<Material> materials{builtin_material("concrete").value()};
  const auto floors = options.map.empty() ? std::make_shared<const SurveyedFloors>(survey_of_rooms(options.floor_cells))
                                          : open_floors(options.map);
  const std::vector radios(options.robots, profile);
  EmbeddedNetsim open(radios, materials, 1, nullptr, {}, {},
                      options.all_pairs ? FarPairRule::kNever : FarPairRule::kWhereMany);
  leave_to_other_gateways(options, open);
  open.share_work(options.threads);
  const BenchField field{.width_m = options.spread_m, .height_m = options.spread_m};
  result.open = time_of(open, BenchFleet(options.robots, field, true, options.window), options);
  EmbeddedNetsim surveyed(radios, materials, 1, floors);
  leave_to_other_gateways(options, surveyed);
  surveyed.share_work(options.threads);
  result.surveyed = time_of(surveyed, BenchFleet(options.robots, field_of(floors->map(0)), false), options);
}

void time_ns3(const BenchLinksOptions& options, BenchLinksResult& result) {
  try {
    const std::string line = output_of_program(kNs3LinksBench, {std::to_string(options.robots), "3"});
    result.ns3_ns_per_link = nlohmann::json::parse(line).at("ns_per_link").get<double>();
  } catch (const std::runtime_error& error) {
    result.ns3_reason =
        fmt::format("{}; install libns3-dev, configure again and build {}", error.what(), kNs3LinksBench);
  } catch (const nlohmann::json::exception& error) {
    result.ns3_reason = fmt::format("{} did not print JSON: {}", kNs3LinksBench, error.what());
  }
}

nlohmann::ordered_json far_json(const FarPairs& far) {
  if (!far.computed_because.empty()) {
    return {{"all_computed_because", far.computed_because}};
  }
  const bool finite = std::isfinite(far.reach_m);
  return {{"reach_m", finite ? nlohmann::ordered_json(far.reach_m) : nlohmann::ordered_json(nullptr)},
          {"visited", far.visited},
          {"heard", far.heard}};
}

std::string far_text(const FarPairs& far, std::uint64_t pairs) {
  return far.computed_because.empty()
             ? fmt::format("of {} pairs, {:.0f} m and more apart silent, {} looked at, {} computed in full", pairs,
                           far.reach_m, far.visited, far.heard)
             : fmt::format("all {} pairs computed: {}", pairs, far.computed_because);
}

void print_json(const BenchLinksOptions& options, const BenchLinksResult& result) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json{{"ms_per_update", result.open.ms_per_update},
                              {"p99_ms", result.open.p99_ms},
                              {"ns_per_link", result.open.ns_per_link},
                              {"ns3_ns_per_link", or_null(result.ns3_ns_per_link)},
                              {"ratio", or_null(result.ratio(result.open))},
                              {"threads", options.threads},
                              {"robots", options.robots},
                              {"gateways", options.gateways},
                              {"links", std::uint64_t{options.robots} * (options.robots - 1)},
                              {"updates", result.open.updates},
                              {"heard_per_robot", result.open.heard_per_robot},
                              {"far_pairs", far_json(result.open.far)},
                              {"surveyed",
                               {{"ms_per_update", result.surveyed.ms_per_update},
                                {"p99_ms", result.surveyed.p99_ms},
                                {"ns_per_link", result.surveyed.ns_per_link},
                                {"ratio", or_null(result.ratio(result.surveyed))},
                                {"updates", result.surveyed.updates}}}};
  if (!result.ns3_ns_per_link) {
    json["ns3_reason"] = result.ns3_reason;
  }
  fmt::print("{}\n", json.dump());
}

}  // namespace

std::optional<double> BenchLinksResult::ratio(const LinksTime& ours) const {
  return ns3_ns_per_link ? std::optional(*ns3_ns_per_link / ours.ns_per_link) : std::nullopt;
}

BenchLinksResult bench_links(const BenchLinksOptions& options, std::span<const std::string> folders) {
  BenchLinksResult result;
  time_ours(options, folders, result);
  time_ns3(options, result);
  return result;
}

int bench_links_command(const BenchLinksOptions& options, std::span<const std::string> folders) {
  const BenchLinksResult result = bench_links(options, folders);
  if (options.json) {
    print_json(options, result);
    return 0;
  }
  fmt::print("{:<18}{:>12}{:>12}\n", "", "open", "surveyed");
  fmt::print("{:<18}{:>12.4f}{:>12.4f}  ms by {} threads, median of {} and {} updates of {} robots\n", "an update",
             result.open.ms_per_update, result.surveyed.ms_per_update, options.threads, result.open.updates,
             result.surveyed.updates, options.robots);
  fmt::print("{:<18}{:>12.4f}{:>12.4f}  ms, the longest but one in a hundred\n", "p99", result.open.p99_ms,
             result.surveyed.p99_ms);
  fmt::print("{:<18}{:>12.1f}{:>12.1f}  ns\n", "a link", result.open.ns_per_link, result.surveyed.ns_per_link);
  const std::uint64_t pairs = std::uint64_t{options.robots} * (options.robots - 1) / 2;
  fmt::print("{:<18}{:>12.1f}{:>12.1f}  links\n", "a robot hears by", result.open.heard_per_robot,
             result.surveyed.heard_per_robot);
  fmt::print("{:<18}{}; surveyed: {}\n", "far pairs", far_text(result.open.far, pairs),
             far_text(result.surveyed.far, pairs));
  if (result.ns3_ns_per_link) {
    fmt::print("{:<18}{:>12.1f}{:>12}  ns\n", "a link in ns-3", *result.ns3_ns_per_link, "");
    fmt::print("{:<18}{:>12.1f}{:>12.1f}  times\n", "ns-3 takes", *result.ratio(result.open),
               *result.ratio(result.surveyed));
  } else {
    fmt::print("{:<18}{:>12}  {}\n", "a link in ns-3", "-", result.ns3_reason);
  }
  return 0;
}

namespace {

constexpr double kSpeed = 5;  // m/s
constexpr std::uint32_t kRoom = 8;

/// Moves on, and turns back where it would leave [low, low + size].
void move_within(double& at, double& step, double low, double size) {
  at += step;
  if (at < low || at > low + size) {
    step = -step;
    at += 2 * step;
  }
}

/// Walls around rooms of 8 cells, with a door in the middle of each wall inside.
GridMap rooms(std::uint32_t cells) {
  GridMap map;
  map.width = map.height = cells;
  map.cell_m = 0.5;
  map.materials = {{.name = "free", .colour = 0xFFFFFF},
                   {.name = "brick", .colour = 0, .loss_db = 6, .wall = true, .permittivity = 4.44}};
  for (std::uint32_t y = 0; y < cells; ++y) {
    for (std::uint32_t x = 0; x < cells; ++x) {
      const bool edge = x == 0 || y == 0 || x + 1 == cells || y + 1 == cells;
      const bool across = x % kRoom == 0 && y % kRoom != kRoom / 2;
      const bool along = y % kRoom == 0 && x % kRoom != kRoom / 2;
      map.cells.push_back(edge || across || along ? 1 : 0);
    }
  }
  return map;
}

}  // namespace

BenchFleet::BenchFleet(std::size_t robots, const BenchField& field, bool walled, Nanoseconds window)
    : field_(field), window_(window) {
  const double step_m = kSpeed * std::chrono::duration<double>(window).count();
  FrameRandom random(1, 0, 0);
  for (std::size_t i = 0; i < robots; ++i) {
    const double x = field.x_m + field.width_m * random.uniform();
    const double y = field.y_m + field.height_m * random.uniform();
    scene_.robots.push_back({{x, y, 1 + 20 * random.uniform()}, {}});
    const double heading = 2 * std::numbers::pi * random.uniform();
    steps_.push_back({step_m * std::cos(heading), step_m * std::sin(heading), 0});
  }
  scene_.sights.resize(pair_count(robots));
  constexpr std::size_t kEvery = 5;
  for (std::size_t i = 0; walled && i < scene_.sights.size(); i += kEvery) {
    scene_.sights[i].line_of_sight = false;
    scene_.sights[i].walls.push_back({0, 0.2, 0.5});
  }
}

const Scene& BenchFleet::step() {
  scene_.at += window_;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Vec3& position = scene_.robots[i].position;
    move_within(position.x, steps_[i].x, field_.x_m, field_.width_m);
    move_within(position.y, steps_[i].y, field_.y_m, field_.height_m);
  }
  return scene_;
}

std::shared_ptr<const Survey> survey_of_rooms(std::uint32_t cells) {
  const GridMap map = rooms(cells);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("hilgate-bench-{}.survey", ::getpid());
  SurveyWork work(map, file.string(), {});
  for (std::uint64_t unit = 0; unit < work.units(); ++unit) {
    work.work(unit);
  }
  auto survey = std::make_shared<const Survey>(map, file.string());
  std::filesystem::remove(file);
  return survey;
}

BenchField field_of(const GridMap& map) {
  return {map.origin_x_m, map.origin_y_m, map.width * map.cell_m, map.height * map.cell_m};
}

}  // namespace hilgate
