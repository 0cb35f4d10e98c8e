// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/state_publisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "gateway/views/ros2/bridge/control_connection.h"
#include "gateway/views/ros2/bridge/diagnostics.h"
#include "gateway/views/ros2/bridge/message_parts.h"
#include "gateway/views/ros2/bridge/status_part.h"
#include "gateway/views/ros2/bridge/writers.h"
#include "physics_link/ros2/unix_time.h"

namespace hilgate::ros2 {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

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

}  // namespace hilgate::ros2
