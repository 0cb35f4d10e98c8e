// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "gateway/views/ros2/bridge/status_part.h"

namespace hilgate::ros2 {
namespace {

using Json = nlohmann::json;
using Level = Diagnosis::Level;

constexpr double kMuchLoss = 0.1;  // of a full frame's tries

std::string text_of(const Json& value) {
  return value.is_string()         ? value.get<std::string>()
         : value.is_number_float() ? fmt::format("{:.6g}", value.get<double>())
                                   : value.dump();
}

void add_values(const Json& part, std::initializer_list<const char*> keys, Diagnosis& diagnosis) {
  for (const char* const key : keys) {
    if (part.contains(key)) {
      diagnosis.values.emplace_back(key, text_of(part.at(key)));
    }
  }
}

// What stands against a part, by what conditions are about.
void add_conditions(const Json& status, const std::string& about, Diagnosis& diagnosis) {
  for (const Json& condition : status.at("conditions")) {
    if (condition.at("about") == about) {
      diagnosis.level = std::max(diagnosis.level, Level::kWarn);
      const auto text = condition.at("text").get<std::string>();
      diagnosis.message += (diagnosis.message.empty() ? "" : "; ") + text;
    }
  }
}

Diagnosis of_run(const Json& status, const std::string& prefix) {
  Diagnosis run{.name = prefix + "run"};
  const Json& conditions = status.at("conditions");
  if (!conditions.empty()) {
    run.level = Level::kWarn;
    run.message = conditions.front().at("text").get<std::string>();
    if (conditions.size() > 1) {
      run.message += fmt::format(" (and {} more)", conditions.size() - 1);
    }
    for (const Json& condition : conditions) {
      run.values.emplace_back(condition.at("name").get<std::string>(), condition.at("text").get<std::string>());
    }
  } else {
    run.message = "all is well";
  }
  add_values(status.at("window"), {"pace", "sim_time_s", "number", "missed"}, run);
  add_values(status.at("totals"), {"in", "out", "dropped_total", "held"}, run);
  return run;
}

Diagnosis of_simulator(const Json& status, const Json& simulator, const std::string& prefix) {
  const auto name = simulator.at("name").get<std::string>();
  Diagnosis diagnosis{.name = prefix + "simulator " + name};
  add_conditions(status, name, diagnosis);
  if (diagnosis.message.empty()) {
    diagnosis.message =
        fmt::format("{} windows, {} late", text_of(simulator.at("windows")), text_of(simulator.at("late")));
  }
  add_values(simulator, {"sockets", "windows", "late", "late_max_us", "missed", "skipped", "round_trip_p99_us"},
             diagnosis);
  return diagnosis;
}

Diagnosis of_robot(const Json& status, const Json& robot, const std::string& prefix) {
  const auto name = robot.at("name").get<std::string>();
  Diagnosis diagnosis{.name = prefix + "robot " + name};
  add_conditions(status, name, diagnosis);
  if (robot.at("unplugged").get<bool>()) {
    diagnosis.level = Level::kError;
    diagnosis.message = fmt::format("port {} is not up: frames to it are dropped", text_of(robot.at("port")));
  } else if (diagnosis.message.empty()) {
    diagnosis.message = "connected";
  }
  add_values(robot, {"port", "vlan", "position"}, diagnosis);
  return diagnosis;
}

Diagnosis of_link(const Json& link, const std::string& prefix) {
  Diagnosis diagnosis{.name = fmt::format("{}link {} to {}", prefix, text_of(link.at("from")), text_of(link.at("to")))};
  const double loss = number_in(link, "frame_loss");
  if (!link.at("reachable").get<bool>()) {
    diagnosis.level = Level::kWarn;
    diagnosis.message = "out of range";
  } else {
    diagnosis.level = loss > kMuchLoss ? Level::kWarn : Level::kOk;
    diagnosis.message = fmt::format("loss {:.1f} % of tries, SNR {:.1f} dB", 100 * loss, number_in(link, "snr_db"));
  }
  add_values(
      link, {"line_of_sight", "rssi_dbm", "snr_db", "rate_mbps", "frame_loss", "delay_us", "in", "released", "dropped"},
      diagnosis);
  return diagnosis;
}

}  // namespace

std::vector<Diagnosis> diagnoses_of(const Json& status) {
  const std::string prefix = fmt::format("hilgate {}: ", status.at("run").get<std::string>());
  std::vector<Diagnosis> all{of_run(status, prefix)};
  for (const Json& simulator : status.at("window").at("simulators")) {
    all.push_back(of_simulator(status, simulator, prefix));
  }
  for (const Json& robot : status.at("robots")) {
    all.push_back(of_robot(status, robot, prefix));
  }
  for (const Json& link : status.at("links")) {
    all.push_back(of_link(link, prefix));
  }
  return all;
}

Diagnosis silent_gateway(const std::string& run) {
  return {
      .level = Level::kStale, .name = fmt::format("hilgate {}: run", run), .message = "the gateway does not answer"};
}

}  // namespace hilgate::ros2
