// SPDX-License-Identifier: Apache-2.0
// hilgate-ros2: DDS on behalf of a gateway, in a process of its own. The gateway starts it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gateway/views/ros2/bridge/domains.h"
#include "gateway/views/ros2/bridge/pose_intake.h"
#include "gateway/views/ros2/bridge/state_publisher.h"
#include "gateway/views/ros2/ros2_settings.h"
#include "host/confinement.h"
#include "host/log/log.h"

namespace hilgate::ros2 {
namespace {

using namespace std::chrono_literals;

std::atomic<bool> told_to_end = false;

std::vector<Ros2Place> places_of(const Ros2Settings& settings) {
  std::vector<Ros2Place> places;
  if (settings.input) {
    places.push_back(settings.input->place);
  }
  if (settings.output) {
    places.push_back(settings.output->place);
  }
  return places;
}

// A robot's cable may be plugged in later.
void wait_for_interfaces(const std::vector<Ros2Place>& places, const Ros2Settings& settings) {
  std::string told;
  for (std::string fault; !told_to_end; std::this_thread::sleep_for(500ms)) {
    fault.clear();
    for (const Ros2Place& place : places) {
      fault += fault.empty() ? interface_fault(place.interface) : "";
    }
    if (fault != told) {
      fault.empty() ? spdlog::info("ros2: the interface is there") : spdlog::warn("ros2: {}: waiting for it", fault);
      told = fault;
    }
    if (fault.empty()) {
      return;
    }
    if (settings.input) {
      tell_all(*settings.input, fault);
    }
  }
}

int run(const Ros2Settings& settings) {
  log_plainly(settings.run);
  confine({});
  std::signal(SIGTERM, [](int) { told_to_end = true; });
  std::signal(SIGINT, [](int) { told_to_end = true; });
  const std::vector<Ros2Place> places = places_of(settings);
  wait_for_interfaces(places, settings);
  if (told_to_end) {
    return 0;
  }
  const Domains domains(places);
  std::vector<std::jthread> threads;
  const auto start = [&threads](auto work) {
    threads.emplace_back([work = std::move(work)] { work->run(told_to_end); });
  };
  if (settings.input) {
    start(std::make_unique<PoseIntake>(*settings.input, domains.participant(settings.input->place)));
  }
  if (settings.output) {
    const dds_entity_t participant = domains.participant(settings.output->place);
    start(std::make_unique<StatePublisher>(settings, participant));
    if (settings.output->clock) {
      start(std::make_unique<ClockPublisher>(settings, participant));
    }
  }
  return 0;
}

}  // namespace
}  // namespace hilgate::ros2

int main(int argc, char** argv) {
  using namespace hilgate;
  std::string settings;
  CLI::App program("hilgate-ros2: ROS 2 for a running gateway, which starts it where its configuration names ROS 2");
  program.add_option("settings", settings, "the settings from the gateway, as JSON")->required();
  CLI11_PARSE(program, argc, argv);
  try {
    return ros2::run(ros2_settings_of(settings));
  } catch (const std::exception& error) {
    log_failure(fmt::format("hilgate-ros2: {}", error.what()));
    return 1;
  }
}
