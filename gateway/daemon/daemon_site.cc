// SPDX-License-Identifier: Apache-2.0
// A gateway of a site: what changes the air, all gateways do, or none.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "clock/host_now.h"
#include "config/config_error.h"
#include "gateway/daemon/change.h"
#include "gateway/daemon/daemon.h"
#include "gateway/daemon/site_files.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/status/clock_status.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kToTellAll = 1s;  // until the window with which a change comes
constexpr auto kFramesOnTheirWay = 2s;  // that were decided before it

}  // namespace

void Daemon::join_site(FileDescriptor bus) {
  if (!configuration_.site) {
    return;
  }
  files_ = configuration_.site->digest;
  site_.emplace(context_, site_terms(configuration_), std::move(bus),
                SiteCommands::Run{.member = *this,
                                  .wall = [this] { return clock_.clock().windows().plan().wall(tsc_.now()); },
                                  .report = [this] { return plane_->site().value_or(SiteReport{}); },
                                  .state = [this] { return site_state(); },
                                  .hear = [this](BusKind kind, std::uint32_t gateway,
                                                 std::string_view text) { hear_site(kind, gateway, text); },
                                  .catch_up = [this](const auto& standing) { return catch_up(standing); }});
  share_air();
  rejoin_.emplace(
      context_, configuration_, configuration_.window / 2,
      SiteRejoin::Run{.zero =
                          [this] {
                            return windows_.engine().running() ? clock_.timeline().zero(tsc_.now())
                                                               : std::optional<WallTime>();
                          },
                      .wall = [this] { return clock_.clock().windows().plan().wall(host_now()); },
                      .report = [this] { return plane_->site().value_or(SiteReport{}); },
                      .tell = [this](std::optional<WallTime> zero) { plane_->set_site_zero(zero); },
                      .simulation = [this] { return make_simulation(configuration_); },
                      .may_begin = [this] { return !prepared_; },
                      .begin_anew = [this](Simulation simulation,
                                           const RunBegin& begin) { begin_anew(std::move(simulation), begin); }});
}

void Daemon::share_air() {
  if (has_air_author(configuration_)) {
    air_.emplace(configuration_, [this](const std::string& text) { return site_->pass_on(BusKind::kAir, text); });
    windows_.share(*air_);
  }
  if (configuration_.vehicles) {
    telemetry_.share([this](const std::string& text) { return site_->pass_on(BusKind::kPlaces, text); });
  }
}

// Those of others have windows with other numbers, or other links.
void Daemon::hear_site(BusKind kind, std::uint32_t gateway, std::string_view text) {
  if (gateway >= here_.size() || !here_[gateway]) {
    return;
  }
  if (kind == BusKind::kAir && air_) {
    air_->take(gateway, text);
  } else if (kind == BusKind::kPlaces) {
    telemetry_.hear(gateway, text);
  }
}

void Daemon::look_who_is_here() {
  if (!air_) {
    return;
  }
  here_.assign(configuration_.site->gateways.size(), false);
  for (const SiteReport::Peer& peer : plane_->site().value_or(SiteReport{}).peers) {
    for (std::size_t i = 0; i < here_.size(); ++i) {
      here_[i] =
          here_[i] || (configuration_.site->gateways[i].name == peer.name && peer.report.state == PeerState::kHere);
    }
  }
}

// Frames in hold, in queues and on the air have their instants by the wall's time: they go on as they are, and no link
// is another. What is written down goes by windows, which have other numbers from here on.
void Daemon::begin_anew(Simulation simulation, const RunBegin& begin) {
  recorder_.end("the gateway begins anew as the others of its site", status());
  if (simulation.vehicles != nullptr) {
    simulation.vehicles->take_over(*simulation_.vehicles);
  }
  const Simulation old = std::exchange(simulation_, std::move(simulation));
  share_link_work(configuration_, simulation_);
  configuration_.begin = begin;
  clock_.begin_anew(begin.at, *begin.site_zero);
  windows_.begin_anew(simulation_, begin);
  telemetry_.changed();
  conditions_.began_anew();
  try {
    begin_record();
  } catch (const std::exception& error) {
    spdlog::error("nothing is recorded from here on: {}", error.what());
  }
  observers_.happened("began_anew", {{"window", begin.window}});
}

bool Daemon::ask_site(const nlohmann::json& request, ControlServer::Answer answer) {
  const auto command = request.value("command", std::string());
  if (!site_ || (command != "set" && command != "reload" && command != "pause" && command != "resume")) {
    return false;
  }
  SiteChange change{.command = command};
  if (command == "set") {
    change.values = request.at("values").get<std::vector<std::string>>();
  }
  site_->propose(change, [answer = std::move(answer)](const SiteAgreement::Outcome& outcome) {
    if (outcome.error.empty()) {
      answer({{"ok", true}, {"result", {{"changed", true}, {"window", outcome.window}, {"late", outcome.late}}}});
    } else {
      answer({{"ok", false}, {"error", outcome.error}});
    }
  });
  return true;
}

void Daemon::reload_site() {
  site_->propose({.command = "reload"}, [](const SiteAgreement::Outcome& outcome) {
    if (!outcome.error.empty()) {
      spdlog::error("reload refused: {}", outcome.error);
    }
  });
}

std::uint64_t Daemon::prepare(const SiteChange& change) {
  if (change.command != "set" && change.command != "reload") {
    throw std::runtime_error(
        "simulation time can be paused with pace dilate only, which does not go together with a "
        "site yet");
  }
  ConfigDocument document =
      change.command == "set" ? document_.with(change.values) : ConfigDocument::load(configuration_.file);
  return prepare(change.command, std::move(document)).digest;
}

const Daemon::PreparedChange& Daemon::prepare(const std::string& command, ConfigDocument document) {
  const Configuration wanted = document.read(known_);
  check_change(configuration_, document_, wanted, document);
  check_site_change(document_, document);
  if (world_of(wanted, document) != world_) {
    throw std::runtime_error(
        "files of tracks, radios or maps have changed, which a running site cannot take; start all "
        "gateways again");
  }
  const std::uint64_t files = files_digest(wanted, document);
  const std::uint64_t digest = digest_with(files, document.assignments());
  prepared_ =
      PreparedChange{.command = command, .document = std::move(document), .files = files, .digest = digest, .from = {}};
  return *prepared_;
}

void Daemon::forget() {
  prepared_.reset();
}

// Others may come to the window a moment earlier, and their frames say so.
void Daemon::await(SimTime from) {
  prepared_->from = from;
  plane_->set_site_digests({.now = digest(), .other = prepared_->digest});
  windows_.attend_by(from);
}

SimTime Daemon::soon() const {
  const auto windows = kToTellAll / configuration_.window + 2;
  return windows_.now() + windows * configuration_.window;
}

void Daemon::take_site_change(SimTime from) {
  if (!prepared_ || !prepared_->from || from < *prepared_->from) {
    return;
  }
  windows_.attend_by(SimTime::max());
  const std::string error = make_prepared();
  site_->applied(windows_.engine().window(), error);
}

std::string Daemon::make_prepared() {
  const PreparedChange prepared = *std::exchange(prepared_, std::nullopt);
  const std::uint64_t before = digest();
  try {
    change(prepared.document);
  } catch (const std::exception& error) {
    spdlog::error("site: '{}' could not be carried out here: {}", prepared.command, error.what());
    plane_->set_site_digests({.now = before, .other = before});
    return error.what();
  }
  files_ = prepared.files;
  spdlog::info("site: '{}' with window {}", prepared.command, windows_.engine().window());
  observers_.happened(prepared.command, {{"values", document_.assignments()}});
  plane_->set_site_digests({.now = digest(), .other = before});
  digests_timer_.expires_after(kFramesOnTheirWay);
  digests_timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      plane_->set_site_digests({.now = digest(), .other = digest()});
    }
  });
  return {};
}

bool Daemon::catch_up(const SiteCommands::Standing& standing) {
  if (standing.digest == digest()) {
    return true;
  }
  ConfigDocument document = ConfigDocument::load(configuration_.file).with(standing.values);
  if (prepare("catch up", std::move(document)).digest != standing.digest) {
    forget();
    return false;  // its files are others; status says so
  }
  return make_prepared().empty();
}

std::uint64_t Daemon::digest() const {
  return digest_with(files_, document_.assignments());
}

nlohmann::json Daemon::site_state() {
  nlohmann::json state{{"run", configuration_.name},
                       {"digest", digest()},
                       {"values", document_.assignments()},
                       {"window", windows_.engine().window()},
                       {"windows_missed", windows_.report().missed}};
  if (const auto totals = plane_->snapshot(kSnapshotPatience)) {
    state["in"] = totals->deliveries + totals->injected;
    state["out"] = totals->released;
    state["dropped"] = totals->dropped_total();
  }
  const auto clock = clock_status(clock_, time_server_, windows_, tsc_.last_error());
  state["clock"] = clock.value("state", std::string());
  return state;
}

}  // namespace hilgate
