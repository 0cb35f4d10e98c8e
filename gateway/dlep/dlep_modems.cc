// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/dlep_modems.h"

#include <algorithm>
#include <utility>

#include "gateway/run/conditions/found_conditions.h"

namespace hilgate {
namespace {

/// The configuration of this gateway's modem for the robot; null where it has none.
const DlepConfig* dlep_here(const Configuration& configuration, const RobotConfig& robot) {
  const bool here = configuration.ports[robot.port.value()].driver != PortDriver::kElsewhere;
  return robot.dlep && here ? &*robot.dlep : nullptr;
}

}  // namespace

DlepModems::DlepModems(asio::io_context& context, const Gateway& gateway)
    : context_(context), gateway_(gateway), timer_(context) {}

DlepModems::~DlepModems() {
  for (const auto& modem : modems_) {
    modem->stop();
  }
}

void DlepModems::start() {
  started_ = true;
  changed();
}

void DlepModems::changed() {
  if (!started_) {
    return;
  }
  arrange();
  if (!modems_.empty() && !ticks_) {
    tick();
  }
}

void DlepModems::arrange() {
  std::vector<std::shared_ptr<DlepModem>> wanted;
  for (const RobotConfig& robot : gateway_.configuration.robots) {
    const DlepConfig* const config = dlep_here(gateway_.configuration, robot);
    if (config == nullptr) {
      continue;
    }
    const auto same = std::ranges::find_if(modems_, [&](const auto& modem) {
      return modem != nullptr && modem->robot() == robot.name && modem->config() == *config;
    });
    wanted.push_back(same != modems_.end() ? std::exchange(*same, nullptr) : make(robot.name, *config));
  }
  for (const auto& modem : modems_) {
    if (modem != nullptr) {
      modem->stop();
    }
  }
  modems_ = std::move(wanted);
  for (const auto& modem : modems_) {
    modem->tick();  // now that sockets of earlier ones are closed
  }
}

std::shared_ptr<DlepModem> DlepModems::make(const std::string& robot, const DlepConfig& config) {
  const auto view = [this, robot, links = DlepLinks()]() mutable {
    const auto& robots = gateway_.configuration.robots;
    const auto place = std::ranges::find(robots, robot, &RobotConfig::name) - robots.begin();
    return links.view(gateway_.configuration, gateway_.simulation.air, gateway_.windows.table(), gateway_.windows.now(),
                      RobotIndex{static_cast<std::uint32_t>(place)});
  };
  return std::make_shared<DlepModem>(
      DlepModem::Surroundings{.context = context_, .now = [this] { return gateway_.clock.now(); }, .view = view}, robot,
      config);
}

void DlepModems::tick() {
  for (const auto& modem : modems_) {
    modem->tick();
  }
  ticks_ = !modems_.empty();
  if (!ticks_) {
    return;
  }
  timer_.expires_after(DlepModem::kTick);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      tick();
    }
  });
}

std::optional<std::vector<DlepStatus>> DlepModems::status() const {
  if (modems_.empty()) {
    return std::nullopt;
  }
  std::vector<DlepStatus> status;
  for (const auto& modem : modems_) {
    status.push_back(modem->status());
  }
  return status;
}

void DlepModems::find_conditions(std::vector<Condition>& found) const {
  for (const auto& modem : modems_) {
    if (const std::string& problem = modem->interface_problem(); !problem.empty()) {
      found.push_back(dlep_interface_condition(modem->robot(), problem));
    } else if (const auto why = modem->session_problem()) {
      found.push_back(dlep_session_condition(modem->robot(), modem->config().interface, *why));
    }
  }
}

}  // namespace hilgate
