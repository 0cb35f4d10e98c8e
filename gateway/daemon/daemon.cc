// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/daemon.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <spdlog/spdlog.h>

#include <array>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "gateway/configuration/reader/configuration_warnings.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/change.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/run/planes/data_planes.h"
#include "gateway/status/clock_status.h"
#include "gateway/status/status_report.h"
#include "host/confinement.h"
#include "host/log/journal.h"
#include "host/log/log_limit.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr auto kDisciplineInterval = 100ms;
constexpr auto kAliveInterval = 1s;

// For interfaces that come, sockets that a reload opens, and files of the user hilgate where root runs the gateway.
constexpr std::array<Capability, 9> kKept = {{{CAP_NET_ADMIN, "CAP_NET_ADMIN"},
                                              {CAP_NET_RAW, "CAP_NET_RAW"},
                                              {CAP_NET_BIND_SERVICE, "CAP_NET_BIND_SERVICE"},
                                              {CAP_BPF, "CAP_BPF"},
                                              {CAP_PERFMON, "CAP_PERFMON"},
                                              {CAP_IPC_LOCK, "CAP_IPC_LOCK"},
                                              {CAP_SYS_NICE, "CAP_SYS_NICE"},
                                              {CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
                                              {CAP_CHOWN, "CAP_CHOWN"}}};

std::string gateway_name(const Configuration& configuration) {
  const GatewayConfig* const own = own_gateway(configuration);
  return own != nullptr ? own->name : std::string();
}

void log_totals(const PathTotals& totals, const std::vector<PortReport>& ports) {
  const LostBeside lost(ports);
  spdlog::info(
      "stopped: in {}{}{} = out {}{} + dropped {} + held {}{}{}", totals.deliveries,
      totals.injected > 0 ? fmt::format(" + injected {}", totals.injected) : "",
      totals.site_in > 0 ? fmt::format(" + from gateways {}", totals.site_in) : "", totals.released,
      totals.site_out > 0 ? fmt::format(" + to gateways {}", totals.site_out) : "", totals.dropped_total(), totals.held,
      totals.balanced() ? "" : " (NOT BALANCED)",
      lost.at_capture + lost.at_sending > 0
          ? fmt::format("; lost beside the path: {} frames at capture, {} at sending", lost.at_capture, lost.at_sending)
          : "");
}

}  // namespace

Daemon::Daemon(RunStart start, RunIdentity identity)
    : known_(known_names(gateway_name(start.configuration))),
      identity_(std::move(identity)),
      configuration_(std::move(start.configuration)),
      document_(std::move(start.document)),
      world_(world_of(configuration_, document_)),
      signals_(context_, SIGINT, SIGTERM),
      reload_signal_(context_, SIGHUP),
      discipline_timer_(context_),
      alive_timer_(context_),
      started_(tsc_.now()),
      control_(
          context_, control_socket(configuration_.name),
          {.changes = {"reload", "set", "get", "pause", "resume", "wire", "scenario"},
           .streams = {"capture", "subscribe"},
           .later = [this](const nlohmann::json& request,
                           ControlServer::Answer answer) { return ask_site(request, std::move(answer)); }},
          [this](const nlohmann::json& request) { return handle(request); },
          [this](const nlohmann::json& request, FileDescriptor socket, std::shared_ptr<void> seat) {
            if (request.at("command") == "subscribe") {
              events_.stream(request, socket, std::move(seat));
            } else {
              captures_.stream(request, std::move(socket), std::move(seat));
            }
          }),
      simulation_(std::move(start.simulation)),
      slots_(configuration_),
      clock_(context_, configuration_),
      plane_(make_data_plane(configuration_, configured_path(configuration_, simulation_.air, slots_),
                             slots_.ports().plan(configuration_), tsc_)),
      captures_(context_, *plane_, std::make_shared<CaptureNames>(configuration_, slots_)),
      time_server_(context_, configuration_, clock_),
      windows_(context_, configuration_, simulation_, *plane_, slots_.table(), clock_.timeline(), observers_,
               [this](const std::string& why) { end(why); }),
      telemetry_(context_, {configuration_, simulation_, slots_, windows_, tsc_, *plane_}),
      events_(context_, {.now = [this] { return windows_.now(); }, .status = [this] { return status(); }}),
      port_watch_(context_, *plane_),
      conditions_(context_, {configuration_, simulation_, windows_, *plane_, tsc_,
                             [this] { return rejoin_ ? rejoin_->rejoining() : std::nullopt; },
                             [this] { return air_ ? air_->silence() : std::nullopt; }}),
      recorder_(context_, {configuration_, simulation_, slots_, windows_, *plane_, [this] { return totals(); },
                           [this] { return clock_status(clock_, time_server_, windows_, tsc_.last_error()); },
                           [this] { return document_.value(""); }}),
      scenario_(std::move(start.scenario)),
      resume_timer_(context_),
      digests_timer_(context_) {
  observers_.add(recorder_);
  observers_.add(events_);
  observers_.add(*this);
  conditions_.tell([this](const Condition& condition, bool begins) {
    observers_.happened(begins ? "condition" : "condition_over",
                        {{"name", condition.name}, {"about", condition.about}, {"text", condition.text}});
  });
  if (scenario_) {
    scenario_->play_on(*this);
  }
  join_site(std::move(start.site_bus));
}

// Whoever reads our log may end before us.
void Daemon::guard_output() {
  std::signal(SIGPIPE, SIG_IGN);
  limit_log();
}

Daemon::~Daemon() {
  plane_->stop();
}

void Daemon::run() {
  guard_output();
  clock_.start([this] {
    windows_.reschedule();
    time_server_.refresh();
    if (clock_.timeline().path_pace() != nullptr) {
      plane_->repace();
    }
  });
  plane_->pace_by(clock_.timeline().path_pace());
  plane_->join_site(clock_.clock().windows());
  windows_.start();
  confine(kKept);  // before the packet loops' threads, which it is to hold for
  share_link_work(configuration_, simulation_);
  if (configuration_.capture) {
    captures_.start(*configuration_.capture);
  }
  begin_record();
  prepare_scenario();
  plane_->start();
  wait_for_signal();
  wait_for_reload();
  discipline_tsc();
  keep_alive();
  telemetry_.start();
  port_watch_.start();
  conditions_.start();
  if (site_) {
    site_->start();
  }
  for (const std::string& text : warnings(configuration_)) {
    spdlog::warn("{}", text);
  }
  spdlog::info("{}: running, {} robots, window {} us, {} MiB for frames", configuration_.name,
               configuration_.robots.size(), configuration_.window.count() / 1000, plane_->bytes() >> 20);
  service_.ready(fmt::format("running {}", configuration_.name));
  begin_scenario();
  context_.run();
  end_scenario();
  plane_->stop();
  captures_.stop();
  recorder_.end(failure_, status());
  if (const auto totals = plane_->snapshot(kSnapshotPatience)) {
    log_totals(*totals, plane_->ports());
  }
  if (!failure_.empty()) {
    throw std::runtime_error(failure_);
  }
}

void Daemon::begin_record() {
  if (!configuration_.record) {
    return;
  }
  recorder_.start({configuration_, document_.text(), document_.physics_file().value_or(std::filesystem::path())},
                  identity_);
  if (!document_.assignments().empty()) {
    recorder_.happened("from", {{"values", document_.assignments()}});
  }
}

void Daemon::wait_for_signal() {
  signals_.async_wait([this](const asio::error_code& error, int) {
    if (!error) {
      stop();
    }
  });
}

void Daemon::wait_for_reload() {
  reload_signal_.async_wait([this](const asio::error_code& error, int) {
    if (error) {
      return;
    }
    try {
      site_ ? reload_site() : reload();
    } catch (const std::exception& refused) {
      spdlog::error("reload refused, the configuration is unchanged: {}", refused.what());
    }
    wait_for_reload();
  });
}

void Daemon::discipline_tsc() {
  discipline_timer_.expires_after(kDisciplineInterval);
  discipline_timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      tsc_.discipline();
      plane_->discipline();
      if (rejoin_) {
        rejoin_->look();
        look_who_is_here();
      }
      air_meter_.sample(clock_.path_time(tsc_.now()), plane_->air_use());
      discipline_tsc();
    }
  });
}

// Tells systemd that we are well only while the packet loop iterates.
void Daemon::keep_alive() {
  const auto watchdog = service_.watchdog_interval();
  alive_timer_.expires_after(watchdog ? std::min<std::chrono::nanoseconds>(*watchdog, kAliveInterval) : kAliveInterval);
  alive_timer_.async_wait([this](const asio::error_code& error) {
    if (error) {
      return;
    }
    const std::uint64_t heartbeat = plane_->heartbeat();
    if (heartbeat != last_heartbeat_) {
      service_.alive(fmt::format("running {}, window {}", configuration_.name, windows_.engine().window()));
    } else {
      spdlog::error("the packet loop has made no progress for one second");
    }
    last_heartbeat_ = heartbeat;
    keep_alive();
  });
}

void Daemon::stop() {
  windows_.stop();
}

// The window engine has ended, asked to or not: so has the run.
void Daemon::end(const std::string& why) {
  service_.stopping();
  failure_ = why;
  context_.stop();
}

}  // namespace hilgate
