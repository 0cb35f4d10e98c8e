// SPDX-License-Identifier: Apache-2.0
// What the control socket is asked.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gateway/daemon/daemon.h"
#include "gateway/daemon/world_report.h"
#include "gateway/run/planes/configured_kernel_path.h"
#include "gateway/status/clock_status.h"
#include "gateway/status/status_report.h"

namespace hilgate {

nlohmann::ordered_json Daemon::handle(const nlohmann::json& request) {
  const auto command = request.value("command", std::string());
  if (command == "status") {
    return status(request.value("robots", std::vector<std::string>{}));
  }
  if (command == "clock") {
    return clock_status(clock_, time_server_, windows_, tsc_.last_error());
  }
  if (command == "get") {
    return get(request.at("keys").get<std::vector<std::string>>());
  }
  if (command == "world") {
    return world_report(configuration_, simulation_.floors.get());
  }
  if (command == "capture") {
    captures_.check(request);
    return {{"streams", "pcapng"}};
  }
  if (command == "subscribe") {
    events_.check(request);
    return {{"streams", "events"}};
  }
  if (configuration_.site) {
    throw std::runtime_error(
        fmt::format("'{}' would act at one gateway of the site alone; `set` and `reload` act at all", command));
  }
  if (command == "reload") {
    reload();
  } else if (command == "set") {
    set(request.at("values").get<std::vector<std::string>>());
  } else if (command == "pause" || command == "resume") {
    pause(command == "pause");
  } else if (command == "wire") {
    set_wired(configuration_, request.at("on").get<bool>());
  } else if (command == "scenario") {
    direct_scenario(request);
  } else {
    throw std::runtime_error(
        fmt::format("unknown command '{}'; known: status, clock, world, get, reload, set, pause, resume, wire, "
                    "scenario, capture, subscribe",
                    command));
  }
  return {{"changed", true}};
}

nlohmann::ordered_json Daemon::status(const std::vector<std::string>& robots) {
  const auto totals = plane_->snapshot(kSnapshotPatience);
  if (!totals) {
    throw std::runtime_error("the packet loop does not answer");
  }
  air_meter_.sample(clock_.path_time(tsc_.now()), plane_->air_use());
  conditions_.look();
  const Meters meters{air_meter_, link_meter_};
  auto json = status_json(
      {configuration_, simulation_.air, meters, slots_, *plane_, *totals, windows_, telemetry_, tsc_.now() - started_,
       simulation_.netsim->outside_map(), simulation_.netsim->unoriented(), simulation_.netsim->far_pairs(),
       clock_status(clock_, time_server_, windows_, tsc_.last_error()), captures_.status(), recorder_.status(),
       scenario_json(), conditions_.standing(), document_.assignments(), robots});
  if (site_) {
    site_->add_to(json["site"]);
    rejoin_->add_to(json["site"]);
    if (air_) {
      air_->add_to(json["site"]);
    }
  }
  return json;
}

nlohmann::ordered_json Daemon::totals() {
  const auto totals = plane_->snapshot(kSnapshotPatience);
  return totals ? totals_status(*totals, plane_->ports()) : nullptr;
}

}  // namespace hilgate
