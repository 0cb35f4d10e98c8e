// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/bench_links.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "gateway/commands/program_output.h"
#include "netsim_link/embedded_netsim.h"
#include "rf_profiles/profile_loader.h"
#include "rf_profiles/random.h"

namespace hilgate {
namespace {

constexpr double kSide = 1000;   // m, of the square they move in
constexpr double kStep = 0.005;  // m: 5 m/s in windows of 1 ms
constexpr Nanoseconds kWindow{1'000'000};

/// As ns-3's chain does: Nakagami, m = 1.5.
std::shared_ptr<const RadioProfile> radio(const BenchLinksOptions& options, std::span<const std::string> folders) {
  RadioProfile profile = load_radio_profile(find_radio_profile(options.profile, folders));
  profile.channel.fading.los = profile.channel.fading.nlos = {.type = FadingLaw::Type::kNakagami, .m = 1.5};
  return std::make_shared<const RadioProfile>(std::move(profile));
}

Scene scatter(std::size_t robots) {
  FrameRandom random(1, 0, 0);
  Scene scene;
  for (std::size_t i = 0; i < robots; ++i) {
    const double x = kSide * random.uniform();
    const double y = kSide * random.uniform();
    scene.robots.push_back({{x, y, 1 + 20 * random.uniform()}, {}});
  }
  scene.sights.resize(pair_count(robots));
  constexpr std::size_t kEvery = 5;
  for (std::size_t i = 0; i < scene.sights.size(); i += kEvery) {
    scene.sights[i].line_of_sight = false;
    scene.sights[i].walls.push_back({0, 0.2, 0.5});
  }
  return scene;
}

/// Processor time of this thread: what others do on the machine does not count.
Nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + Nanoseconds{now.tv_nsec};
}

void time_ours(const BenchLinksOptions& options, std::span<const std::string> folders, BenchLinksResult& result) {
  const std::size_t robots = options.robots;
  EmbeddedNetsim netsim({robots, radio(options, folders)}, {builtin_material("concrete").value()}, 1);
  Scene scene = scatter(robots);
  LinkTable table;
  std::vector<Nanoseconds> took;
  constexpr std::size_t kLeast = 10;
  const Nanoseconds start = processor_time();
  for (Nanoseconds end = start; end < start + options.duration || took.size() < kLeast;) {
    scene.at += kWindow;
    for (Pose& pose : scene.robots) {
      pose.position.x += kStep;
    }
    const Nanoseconds before = processor_time();
    netsim.link_states(scene, table);
    end = processor_time();
    took.push_back(end - before);
  }
  const auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
  std::nth_element(took.begin(), middle, took.end());
  const auto links = static_cast<double>(robots * (robots - 1));
  result.ms_per_update = std::chrono::duration<double, std::milli>(*middle).count();
  result.ns_per_link = std::chrono::duration<double, std::nano>(*middle).count() / links;
  result.updates = took.size();
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

void print_json(const BenchLinksOptions& options, const BenchLinksResult& result) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json{{"ms_per_update", result.ms_per_update},
                              {"ns_per_link", result.ns_per_link},
                              {"ns3_ns_per_link", or_null(result.ns3_ns_per_link)},
                              {"ratio", or_null(result.ratio())},
                              {"robots", options.robots},
                              {"links", std::uint64_t{options.robots} * (options.robots - 1)},
                              {"updates", result.updates}};
  if (!result.ns3_ns_per_link) {
    json["ns3_reason"] = result.ns3_reason;
  }
  fmt::print("{}\n", json.dump());
}

}  // namespace

std::optional<double> BenchLinksResult::ratio() const {
  return ns3_ns_per_link ? std::optional(*ns3_ns_per_link / ns_per_link) : std::nullopt;
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
  fmt::print("{:<16}{:>12.4f}  ms of one processor, median of {} updates of {} robots\n", "an update",
             result.ms_per_update, result.updates, options.robots);
  fmt::print("{:<16}{:>12.1f}  ns\n", "a link", result.ns_per_link);
  if (result.ns3_ns_per_link) {
    fmt::print("{:<16}{:>12.1f}  ns, {:.1f} times as long\n", "a link in ns-3", *result.ns3_ns_per_link,
               *result.ratio());
  } else {
    fmt::print("{:<16}{:>12}  {}\n", "a link in ns-3", "-", result.ns3_reason);
  }
  return 0;
}

}  // namespace hilgate
