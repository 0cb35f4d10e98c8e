// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/daemon.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>

#include "config/plain_text.h"
#include "gateway/configuration/reader/configuration_warnings.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/change.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/daemon/world_report.h"
#include "gateway/run/planes/configured_kernel_path.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/status/clock_status.h"
#include "gateway/status/status_report.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr auto kDisciplineInterval = 100ms;
constexpr auto kAliveInterval = 1s;

std::string gateway_name(const Configuration& configuration) {
  const GatewayConfig* const own = own_gateway(configuration);
  return own != nullptr ? own->name : std::string();
}

void log_totals(const PathTotals& totals, const std::vector<PortReport>& ports) {
  const LostBeside lost(ports);
  spdlog::info("stopped: in {}{}{} = out {}{} + dropped {} + held {}{}{}", totals.deliveries,
               totals.injected > 0 ? fmt::format(" + injected {}", totals.injected) : "",
               totals.site_in > 0 ? fmt::format(" + from gateways {}", totals.site_in) : "", totals.released,
               totals.site_out > 0 ? fmt::format(" + to gateways {}", totals.site_out) : "", totals.dropped_total(),
               totals.held, totals.balanced() ? "" : " (NOT BALANCED)",
               lost.at_capture + lost.at_sending > 0
                   ? fmt::format("; lost beside the path: {} frames at capture, {} at sending{}", lost.at_capture,
                                 lost.at_sending,
                                 lost.line_bytes > 0 ? fmt::format(", {} B at serial lines", lost.line_bytes) : "")
                   : "");
}

RunningConfiguration running_configuration(RunStart& start) {
  std::string world = world_of(start.configuration, start.document);
  RobotSlots slots(start.configuration);
  KnownNames known = known_names(gateway_name(start.configuration));
  return {.known = std::move(known),
          .configuration = std::move(start.configuration),
          .document = std::move(start.document),
          .world = std::move(world),
          .simulation = std::move(start.simulation),
          .slots = std::move(slots)};
}

}  // namespace

Daemon::Daemon(RunStart start, RunIdentity identity, DaemonHost host)
    : identity_(std::move(identity)),
      host_(std::move(host)),
      running_(running_configuration(start)),
      discipline_timer_(host_.context),
      alive_timer_(host_.context),
      started_(host_.clock.now()),
      control_(
          host_.context, host_.control_socket, commands(),
          [this](const nlohmann::json& request) { return handle(request); },
          [this](const nlohmann::json& request, FileDescriptor socket, std::shared_ptr<void> seat) {
            if (request.at("command") == "subscribe") {
              events_.stream(request, socket, std::move(seat));
            } else {
              captures_.stream(request, std::move(socket), std::move(seat));
            }
          }),
      clock_(host_.context, running_.configuration),
      plane_(host_.make_plane(running_.configuration,
                              configured_path(running_.configuration, running_.simulation.air, running_.slots),
                              running_.slots.ports().plan(running_.configuration), host_.clock)),
      captures_(host_.context, *plane_, std::make_shared<CaptureNames>(running_.configuration, running_.slots)),
      time_server_(host_.context, running_.configuration, clock_),
      windows_(host_.context, running_.configuration, running_.simulation, *plane_, running_.slots.table(),
               clock_.timeline(), host_.window_timer, observers_, [this](const std::string& why) { end(why); }),
      telemetry_(host_.context,
                 {running_.configuration, running_.simulation, running_.slots, windows_, host_.clock, *plane_}),
      dlep_(host_.context, {running_.configuration, running_.simulation, windows_, host_.clock}),
      events_(host_.context, {.now = [this] { return windows_.now(); },
                              .status = [this] { return status_document({}); },
                              .background = host_.background}),
      port_watch_(host_.context, *plane_),
      conditions_(host_.context, {running_.configuration, running_.simulation, windows_, *plane_, host_.clock,
                                  [this] { return site_ ? site_->rejoining() : std::nullopt; },
                                  [this] { return site_ ? site_->silence() : std::nullopt; },
                                  [this] { return stopped_outputs(outputs_); },
                                  [this](std::vector<Condition>& found) { dlep_.find_conditions(found); }}),
      recorder_(host_.context, {running_.configuration, running_.simulation, running_.slots, windows_, *plane_,
                                [this] { return totals(); }, [this] { return to_json(clock()); },
                                [this] { return running_.document.value(""); }}),
      outputs_{recorder_, captures_, time_server_, std::move(start.companions), std::move(start.foxglove)},
      link_meter_(host_.context, running_.configuration, running_.slots, *plane_),
      change_({.running = running_,
               .plane = *plane_,
               .windows = windows_,
               .clock = clock_,
               .observers = observers_,
               .changed = [this](const Configuration& before, const RobotSlots& slots) { changed(before, slots); }}),
      coverage_(host_.context, host_.background),
      scenario_(host_.context, std::move(start.scenario),
                {.running = running_,
                 .plane = *plane_,
                 .windows = windows_,
                 .clock = clock_,
                 .observers = observers_,
                 .captures = captures_,
                 .change = change_,
                 .pause = [this](bool stand) { pause(stand); },
                 .stop = [this] { windows_.stop(); }}) {
  observers_.add(recorder_);
  observers_.add(events_);
  conditions_.tell([this](const Condition& condition, bool begins) {
    observers_.happened(begins ? "condition" : "condition_over",
                        {{"name", condition.name}, {"about", condition.about}, {"text", condition.text}});
  });
  if (running_.configuration.site) {
    observers_.add(site_.emplace(
        host_.context, std::move(start.site_bus),
        SiteMemberRun::Run{
            .running = running_,
            .plane = *plane_,
            .windows = windows_,
            .clock = clock_,
            .tsc = host_.clock,
            .telemetry = telemetry_,
            .observers = observers_,
            .change = change_,
            .clock_state = [this] { return std::string(clock().state); },
            .end_record =
                [this] { recorder_.end("the gateway begins anew as the others of its site", to_json(status())); },
            .begin_record = [this] { begin_record(); },
            .began_anew = [this] { conditions_.began_anew(); },
            .background = host_.background}));
  }
  observers_.add(scenario_);  // after the site, whose changes come first in a window
}

Daemon::~Daemon() {
  plane_->stop();
}

ControlServer::Commands Daemon::commands() {
  return {.changes = {"reload", "set", "get", "pause", "resume", "wire", "scenario", "coverage"},
          .streams = {"capture", "subscribe"},
          .later =
              [this](const nlohmann::json& request, ControlServer::Answer answer) {
                if (request.value("command", std::string()) == "coverage") {
                  coverage_.ask(running_.configuration, running_.simulation.floors, request, std::move(answer));
                  return true;
                }
                return site_ && site_->handle(request, std::move(answer));
              },
          .gather = [this](const nlohmann::json& request) -> ControlServer::Document {
            if (request.value("command", std::string()) != "status") {
              return {};
            }
            return status_document(request.value("robots", std::vector<std::string>{}));
          },
          .background = host_.background};
}

void Daemon::start() {
  clock_.start([this] {
    windows_.reschedule();
    time_server_.refresh();
    if (clock_.timeline().path_pace() != nullptr) {
      plane_->repace();
    }
  });
  const Configuration& configuration = running_.configuration;
  plane_->pace_by(clock_.timeline().path_pace());
  plane_->join_site(clock_.clock().windows());
  windows_.publish_first();
  host_.confine();
  share_link_work(configuration, running_.simulation);
  if (configuration.capture) {
    captures_.start(*configuration.capture);
  }
  begin_record();
  scenario_.prepare();
  plane_->start();
  discipline_tsc();
  keep_alive();
  telemetry_.start();
  dlep_.start();
  port_watch_.start();
  for (const std::string& text : warnings(configuration)) {
    spdlog::warn("{}", text);
  }
  if (const std::string scene = text_of(configuration.world.scene); !scene.empty()) {
    spdlog::info("scene: {}", scene);
  }
  windows_.start();  // after all that takes time: from here on this thread has windows to serve
  conditions_.start();
  link_meter_.start();
  if (site_) {
    site_->start();
  }
  spdlog::info("{}: running, {} robots, window {} us, {} MiB for frames", configuration.name,
               configuration.robots.size(), configuration.window.count() / 1000, plane_->bytes() >> 20);
  host_.service.ready(fmt::format("running {}", configuration.name));
  scenario_.begin();
}

void Daemon::finish() {
  scenario_.end();
  plane_->stop();
  captures_.stop();
  recorder_.end(failure_, to_json(status()));
  if (const auto totals = plane_->snapshot(kPathPatience)) {
    log_totals(*totals, plane_->ports());
  }
  if (!failure_.empty()) {
    throw std::runtime_error(failure_);
  }
}

std::vector<std::string> Daemon::failures() const {
  std::vector<std::string> failures = scenario_.failures();
  std::ranges::move(incomplete_outputs(running_.configuration, outputs_), std::back_inserter(failures));
  return failures;
}

void Daemon::begin_record() {
  if (!running_.configuration.record) {
    return;
  }
  recorder_.start({running_.configuration, running_.document.text(),
                   scenario_configurations(running_.configuration, running_.known)},
                  identity_);
  if (!running_.document.assignments().empty()) {
    recorder_.happened("from", {{"values", running_.document.assignments()}});
  }
}

void Daemon::reload() {
  try {
    site_ ? site_->reload() : change_.reload();
  } catch (const std::exception& refused) {
    spdlog::error("reload refused, the configuration is unchanged: {}", refused.what());
  }
}

void Daemon::discipline_tsc() {
  discipline_timer_.expires_after(kDisciplineInterval);
  discipline_timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      host_.clock.discipline();
      plane_->discipline();
      if (site_) {
        site_->look();
      }
      air_meter_.sample(clock_.path_time(host_.clock.now()), plane_->air_use());
      discipline_tsc();
    }
  });
}

// systemd is notified only while the packet loop iterates.
void Daemon::keep_alive() {
  const auto watchdog = host_.service.watchdog_interval();
  alive_timer_.expires_after(watchdog ? std::min<std::chrono::nanoseconds>(*watchdog, kAliveInterval) : kAliveInterval);
  alive_timer_.async_wait([this](const asio::error_code& error) {
    if (error) {
      return;
    }
    const std::uint64_t heartbeat = plane_->heartbeat();
    if (heartbeat != last_heartbeat_) {
      host_.service.alive(
          fmt::format("running {}, window {}", running_.configuration.name, windows_.engine().window()));
    } else {
      spdlog::error("the packet loop has made no progress for one second");
    }
    last_heartbeat_ = heartbeat;
    keep_alive();
  });
}

void Daemon::end(const std::string& why) {
  host_.service.stopping();
  failure_ = why;
  host_.context.stop();
}

nlohmann::ordered_json Daemon::handle(const nlohmann::json& request) {
  const auto command = request.value("command", std::string());
  if (command == "clock") {
    return to_json(clock());
  }
  if (command == "get") {
    return get(request.at("keys").get<std::vector<std::string>>());
  }
  if (command == "world") {
    return world_report(running_.configuration, running_.document, running_.simulation.floors.get());
  }
  if (command == "capture") {
    captures_.check(request);
    return {{"streams", "pcapng"}};
  }
  if (command == "subscribe") {
    events_.check(request);
    return {{"streams", "events"}};
  }
  if (running_.configuration.site) {
    throw std::runtime_error(fmt::format(
        "'{}' would act at one gateway of the site alone; `set` and `reload` act at every one", shown(command)));
  }
  if (command != "set") {
    handle_change(command, request);
    return {{"changed", true}};
  }
  const ConfigDocument before = running_.document;
  handle_change(command, request);
  return {{"changed", true}, {"undo", before.undoing(request.at("values").get<std::vector<std::string>>())}};
}

void Daemon::handle_change(const std::string& command, const nlohmann::json& request) {
  if (command == "reload") {
    change_.reload();
  } else if (command == "set") {
    change_.set(request.at("values").get<std::vector<std::string>>());
  } else if (command == "pause" || command == "resume") {
    pause(command == "pause");
  } else if (command == "wire") {
    set_wired(running_.configuration, request.at("on").get<bool>());
  } else if (command == "scenario") {
    scenario_.handle(request);
  } else {
    throw std::runtime_error(
        fmt::format("unknown command '{}'; known: status, clock, world, get, reload, set, pause, resume, wire, "
                    "scenario, coverage, capture, subscribe",
                    shown(command)));
  }
}

RunStatus Daemon::status(const std::vector<std::string>& robots) {
  const auto totals = plane_->snapshot(kPathPatience);
  if (!totals) {
    throw std::runtime_error("the packet loop does not answer");
  }
  air_meter_.sample(clock_.path_time(host_.clock.now()), plane_->air_use());
  link_meter_.count(*totals);
  conditions_.look();
  const Meters meters{air_meter_, link_meter_};
  const ClockReportStatus clock = this->clock();
  RunStatus status = run_status({running_.configuration,
                                 running_.simulation.air,
                                 meters,
                                 running_.slots,
                                 *plane_,
                                 *totals,
                                 windows_,
                                 telemetry_,
                                 host_.clock.now() - started_,
                                 running_.simulation.netsim->outside_map(),
                                 running_.simulation.netsim->unoriented(),
                                 running_.simulation.netsim->far_pairs(),
                                 clock,
                                 captures_.status(),
                                 recorder_.status(),
                                 scenario_.status(),
                                 outputs_.foxglove ? std::optional(outputs_.foxglove()) : std::nullopt,
                                 dlep_.status(),
                                 conditions_.standing(),
                                 running_.document.assignments(),
                                 robots});
  if (site_) {
    site_->add_to(*status.site);
  }
  return status;
}

// Of 64 robots' links the text takes longer than a window.
ControlServer::Document Daemon::status_document(const std::vector<std::string>& robots) {
  return [status = std::make_shared<const RunStatus>(status(robots))] { return to_json(*status); };
}

nlohmann::ordered_json Daemon::totals() {
  const auto totals = plane_->snapshot(kPathPatience);
  return totals ? to_json(totals_status(*totals, plane_->ports())) : nullptr;
}

ClockReportStatus Daemon::clock() const {
  return clock_status(clock_, time_server_, windows_, host_.clock.last_error());
}

nlohmann::ordered_json Daemon::get(const std::vector<std::string>& keys) const {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  if (keys.empty()) {
    values.push_back({{"key", ""}, {"value", running_.document.value("")}});
  }
  for (const std::string& key : keys) {
    values.push_back({{"key", key}, {"value", running_.document.value(key)}});
  }
  return values;
}

void Daemon::pause(bool stand) {
  if (running_.configuration.pace != Pace::kDilate) {
    throw std::runtime_error("simulation time can be paused with pace dilate only");
  }
  stand ? clock_.pause() : clock_.resume();
  observers_.happened(stand ? "pause" : "resume", {});
}

void Daemon::changed(const Configuration& before, const RobotSlots& slots) {
  port_watch_.changed({before, slots.ports()}, {running_.configuration, running_.slots.ports()});
  captures_.change(std::make_shared<CaptureNames>(running_.configuration, running_.slots));
  telemetry_.changed();
  dlep_.changed();
  conditions_.changed();
  if (site_) {
    site_->changed();
  }
  air_meter_.restart();
}

}  // namespace hilgate
