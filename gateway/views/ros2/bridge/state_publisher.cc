// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/state_publisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gateway/views/ros2/bridge/control_connection.h"
#include "gateway/views/ros2/bridge/domains.h"
#include "gateway/views/ros2/bridge/message_parts.h"
#include "physics_link/ros2/ros2_line.h"

namespace hilgate::ros2 {
namespace {

/// What a part of a run is like, as diagnostic_msgs/DiagnosticStatus has it.
struct Diagnosis {
  enum class Level : unsigned char { kOk = 0, kWarn = 1, kError = 2, kStale = 3 };
  Level level = Level::kOk;
  std::string name{};     // "hilgate RUN: link red to blue"
  std::string message{};  // one line for people
  std::vector<std::pair<std::string, std::string>> values{};
};

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

// Of the run as a whole, its simulators, robots and links, in this order, by the status document of the gateway.
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

// Of a gateway that does not answer.
Diagnosis silent_gateway(const std::string& run) {
  return {
      .level = Level::kStale, .name = fmt::format("hilgate {}: run", run), .message = "the gateway does not answer"};
}

using namespace std::chrono_literals;

constexpr auto kStopsWithin = 100ms;

float float_in(const Json& part, const char* key) {
  return static_cast<float>(number_in(part, key));
}

std::int16_t whole(double number) {
  return static_cast<std::int16_t>(std::lround(std::clamp(number, -1000.0, 1000.0)));
}

}  // namespace

StatePublisher::StatePublisher(const Ros2Settings& settings, dds_entity_t participant)
    : run_(settings.run),
      participant_(participant),
      radios_(settings.radios),
      in_sim_time_(settings.output->clock.has_value()),
      control_(settings.control_socket) {
  struct Row {
    std::optional<std::chrono::nanoseconds> every;
    void (StatePublisher::*publish)(dds_entity_t writer, const Json* status);
    const dds_topic_descriptor_t& type;
    const char* topic;
  };
  const Row rows[] = {
      {settings.output->diagnostics, &StatePublisher::publish_diagnostics,
       diagnostic_msgs_msg_dds__DiagnosticArray__desc, "/diagnostics"},
      {settings.output->links, &StatePublisher::publish_links, hilgate_msgs_msg_dds__LinkStates__desc,
       "/hilgate/links"},
      {settings.output->connections, &StatePublisher::publish_connections, wireless_msgs_msg_dds__Connection__desc, ""},
  };
  for (const auto& [every, publish, type, topic] : rows) {
    if (every) {
      publications_.push_back(
          {.every = *every, .publish = publish, .writer = *topic == '\0' ? 0 : writer_of(participant, type, topic)});
    }
  }
}

void StatePublisher::run(const std::atomic<bool>& stop) {
  while (!stop) {
    const Clock::time_point now = Clock::now();
    const auto next = std::ranges::min_element(publications_, {}, &Publication::due);
    if (next == publications_.end() || next->due > now) {
      std::this_thread::sleep_for(
          next == publications_.end() ? kStopsWithin : std::min<Clock::duration>(next->due - now, kStopsWithin));
      continue;
    }
    const std::optional<Json> status = control_.ask("status");
    answered_ = answered_ || status;
    for (Publication& publication : publications_) {
      if (publication.due <= now) {
        (this->*publication.publish)(publication.writer, status ? &*status : nullptr);
        publication.due = std::max(publication.due + publication.every, now);
      }
    }
  }
}

void StatePublisher::publish_diagnostics(dds_entity_t writer, const Json* status) {
  if (!answered_) {
    return;  // the gateway is about to start
  }
  const std::vector<Diagnosis> diagnoses =
      status != nullptr ? diagnoses_of(*status) : std::vector<Diagnosis>{silent_gateway(run_)};
  Texts texts;
  std::vector<std::vector<diagnostic_msgs_msg_dds__KeyValue_>> values(diagnoses.size());
  std::vector<diagnostic_msgs_msg_dds__DiagnosticStatus_> statuses;
  for (std::size_t i = 0; i < diagnoses.size(); ++i) {
    const Diagnosis& diagnosis = diagnoses[i];
    for (const auto& [key, value] : diagnosis.values) {
      values[i].push_back({texts.keep(key), texts.keep(value)});
    }
    statuses.push_back({.level_ = static_cast<std::uint8_t>(diagnosis.level),
                        .name_ = texts.keep(diagnosis.name),
                        .message_ = texts.keep(diagnosis.message),
                        .hardware_id_ = texts.keep(run_),
                        .values_ = lent<dds_sequence_diagnostic_msgs_msg_dds__KeyValue_>(values[i])});
  }
  const diagnostic_msgs_msg_dds__DiagnosticArray_ message{
      .header_ = {time_of(stamp(status)), texts.keep("")},
      .status_ = lent<dds_sequence_diagnostic_msgs_msg_dds__DiagnosticStatus_>(statuses)};
  dds_write(writer, &message);
}

void StatePublisher::publish_links(dds_entity_t writer, const Json* status) {
  if (status == nullptr) {
    return;
  }
  Texts texts;
  std::vector<hilgate_msgs_msg_dds__LinkState_> links;
  for (const Json& link : status->at("links")) {
    links.push_back({.sender_ = texts.keep(link.at("from").get<std::string>()),
                     .receiver_ = texts.keep(link.at("to").get<std::string>()),
                     .reachable_ = link.at("reachable").get<bool>(),
                     .line_of_sight_ = link.at("line_of_sight").get<bool>(),
                     .rssi_dbm_ = float_in(link, "rssi_dbm"),
                     .snr_db_ = float_in(link, "snr_db"),
                     .rate_mbps_ = float_in(link, "rate_mbps"),
                     .frame_loss_ = float_in(link, "frame_loss"),
                     .delay_ms_ = float_in(link, "delay_us") / 1000});
  }
  const hilgate_msgs_msg_dds__LinkStates_ message{.header_ = {time_of(stamp(status)), texts.keep("")},
                                                  .run_ = texts.keep(run_),
                                                  .sim_time_s_ = status->at("window").at("sim_time_s").get<double>(),
                                                  .links_ = lent<dds_sequence_hilgate_msgs_msg_dds__LinkState_>(links)};
  dds_write(writer, &message);
}

// A topic for each robot: robots may come and go.
void StatePublisher::publish_connections(dds_entity_t /*none*/, const Json* status) {
  for (const Json& each : status != nullptr ? status->at("robots") : Json::array()) {
    const auto robot = each.at("name").get<std::string>();
    const std::optional<Connection> connection = connection_of(*status, robot);
    if (!connection) {
      continue;
    }
    if (!connections_.contains(robot)) {
      connections_[robot] =
          writer_of(participant_, wireless_msgs_msg_dds__Connection__desc, "/" + word_of_topic(robot) + "/connection");
    }
    // Quality as Linux' drivers have it: 0 at -110 dBm, 70 at -40 dBm.
    constexpr double kBest = 70;
    const double quality = std::clamp(std::round(connection->rssi_dbm) + 110, 0.0, kBest);
    const Ros2Radio radio = radios_.contains(robot) ? radios_.at(robot) : Ros2Radio{};
    Texts texts;
    const wireless_msgs_msg_dds__Connection_ message{
        .bitrate_ = static_cast<float>(connection->rate_mbps),
        .txpower_ = whole(radio.tx_power_dbm),
        .link_quality_raw_ = texts.keep(fmt::format("{:.0f}/{:.0f}", quality, kBest)),
        .link_quality_ = static_cast<float>(quality / kBest),
        .signal_level_ = whole(connection->rssi_dbm),
        .noise_level_ = whole(connection->rssi_dbm - connection->snr_db),
        .essid_ = texts.keep(connection->medium),
        .bssid_ = texts.keep(connection->peer),
        .frequency_ = radio.frequency_ghz};
    dds_write(connections_[robot], &message);
  }
}

std::chrono::nanoseconds StatePublisher::stamp(const Json* status) const {
  if (in_sim_time_ && status != nullptr) {
    return std::chrono::nanoseconds(std::llround(status->at("window").at("sim_time_s").get<double>() * 1e9));
  }
  return unix_now().time_since_epoch();
}

namespace {

using namespace std::chrono_literals;
constexpr std::chrono::nanoseconds kClockStopsWithin = 100ms;

}  // namespace

ClockPublisher::ClockPublisher(const Ros2Settings& settings, dds_entity_t participant)
    : control_(settings.control_socket),
      every_(settings.output->clock.value()),
      writer_(writer_of(participant, rosgraph_msgs_msg_dds__Clock__desc, "/clock")) {}

void ClockPublisher::run(const std::atomic<bool>& stop) {
  for (std::int64_t shown = -1; !stop; std::this_thread::sleep_for(std::min(every_, kClockStopsWithin))) {
    const std::optional<nlohmann::json> clock = control_.ask("clock");
    const std::int64_t now = clock ? clock->value("sim_ns", shown) : shown;
    if (now != shown) {
      const rosgraph_msgs_msg_dds__Clock_ message{time_of(std::chrono::nanoseconds(now))};
      dds_write(writer_, &message);
      shown = now;
    }
  }
}

}  // namespace hilgate::ros2
