// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/site_member_run.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "clock/host_now.h"
#include "config/config_file.h"
#include "gateway/daemon/change.h"
#include "gateway/daemon/site_files.h"
#include "gateway/run/planes/configured_path.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kToTellAll = 1s;  // until the window with which a change comes
constexpr auto kFramesOnTheirWay = 2s;  // that were decided before it

}  // namespace

SiteMemberRun::SiteMemberRun(asio::io_context& context, FileDescriptor bus, Run run)
    : run_(std::move(run)),
      files_(run_.running.configuration.site->digest),
      digests_timer_(context),
      commands_(context, site_terms(run_.running.configuration), std::move(bus), commands_run()),
      rejoin_(context, run_.running.configuration, run_.running.configuration.window / 2, rejoin_run()) {
  share_air();
}

SiteCommands::Run SiteMemberRun::commands_run() {
  return {.member = *this,
          .wall = [this] { return run_.clock.clock().windows().plan().wall(run_.tsc.now()); },
          .report = [this] { return run_.plane.site().value_or(SiteReport{}); },
          .state = [this] { return state(); },
          .hear = [this](BusKind kind, std::uint32_t gateway, std::string_view text) { receive(kind, gateway, text); },
          .catch_up = [this](const auto& standing) { return catch_up(standing); }};
}

SiteRejoin::Run SiteMemberRun::rejoin_run() {
  return {
      .zero =
          [this] {
            return run_.windows.engine().running() ? run_.clock.timeline().zero(run_.tsc.now())
                                                   : std::optional<WallTime>();
          },
      .wall = [this] { return run_.clock.clock().windows().plan().wall(host_now()); },
      .report = [this] { return run_.plane.site().value_or(SiteReport{}); },
      .tell = [this](std::optional<WallTime> zero) { run_.plane.set_site_zero(zero); },
      .simulation = [this] { return make_simulation(run_.running.configuration); },
      .may_begin = [this] { return !prepared_; },
      .begin_anew = [this](Simulation simulation, const RunBegin& begin) { begin_anew(std::move(simulation), begin); },
      .background = run_.background};
}

void SiteMemberRun::share_air() {
  const Configuration& configuration = run_.running.configuration;
  if (has_air_author(configuration)) {
    air_.emplace(configuration, [this](const std::string& text) { return commands_.pass_on(BusKind::kAir, text); });
    run_.windows.share(*air_);
  }
  if (configuration.vehicles) {
    run_.telemetry.share([this](const std::string& text) { return commands_.pass_on(BusKind::kPlaces, text); });
  }
}

void SiteMemberRun::look() {
  rejoin_.look();
  note_reachable();
}

void SiteMemberRun::add_to(SiteStatus& site) const {
  commands_.add_to(site);
  site.began_anew = rejoin_.times();
  if (air_) {
    site.air = air_->status();
  }
}

std::optional<std::string> SiteMemberRun::silence() const {
  return air_ ? air_->silence() : std::nullopt;
}

// Those of others have windows with other numbers, or other links.
void SiteMemberRun::receive(BusKind kind, std::uint32_t gateway, std::string_view text) {
  if (gateway >= reachable_.size() || !reachable_[gateway]) {
    return;
  }
  if (kind == BusKind::kAir && air_) {
    air_->take(gateway, text);
  } else if (kind == BusKind::kPlaces) {
    run_.telemetry.hear(gateway, text);
  }
}

void SiteMemberRun::note_reachable() {
  if (!air_) {
    return;
  }
  reachable_.assign(run_.running.configuration.site->gateways.size(), false);
  for (const SiteReport::Peer& peer : run_.plane.site().value_or(SiteReport{}).peers) {
    for (std::size_t i = 0; i < reachable_.size(); ++i) {
      reachable_[i] = reachable_[i] || (run_.running.configuration.site->gateways[i].name == peer.name &&
                                        peer.report.state == PeerState::kHere);
    }
  }
}

// Frames in hold, in queues and on the air have their instants in wall time: they stay as they are, and so do links.
// Records count by windows, whose numbers change here.
void SiteMemberRun::begin_anew(Simulation simulation, const RunBegin& begin) {
  run_.end_record();
  RunningConfiguration& running = run_.running;
  if (simulation.vehicles != nullptr) {
    simulation.vehicles->take_over(*running.simulation.vehicles);
  }
  const Simulation old = std::exchange(running.simulation, std::move(simulation));
  share_link_work(running.configuration, running.simulation);
  running.configuration.begin = begin;
  run_.clock.begin_anew(begin.at, *begin.site_zero);
  run_.windows.begin_anew(running.simulation, begin);
  run_.telemetry.changed();
  run_.began_anew();
  try {
    run_.begin_record();
  } catch (const std::exception& error) {
    spdlog::error("nothing is recorded from here on: {}", error.what());
  }
  run_.observers.happened("began_anew", {{"window", begin.window}});
}

bool SiteMemberRun::handle(const nlohmann::json& request, ControlServer::Answer answer) {
  const auto command = request.value("command", std::string());
  if (command != "set" && command != "reload" && command != "pause" && command != "resume") {
    return false;
  }
  SiteChange change{.command = command};
  if (command == "set") {
    change.values = request.at("values").get<std::vector<std::string>>();
  }
  commands_.propose(change, [answer = std::move(answer), change,
                             before = run_.running.document](const SiteAgreement::Outcome& outcome) {
    if (!outcome.error.empty()) {
      return answer({{"ok", false}, {"error", outcome.error}});
    }
    nlohmann::ordered_json result{{"changed", true}, {"window", outcome.window}, {"late", outcome.late}};
    if (change.command == "set") {
      result["undo"] = before.undoing(change.values);
    }
    answer({{"ok", true}, {"result", std::move(result)}});
  });
  return true;
}

void SiteMemberRun::reload() {
  commands_.propose({.command = "reload"}, [](const SiteAgreement::Outcome& outcome) {
    if (!outcome.error.empty()) {
      spdlog::error("reload refused: {}", outcome.error);
    }
  });
}

std::uint64_t SiteMemberRun::prepare(const SiteChange& change) {
  if (change.command != "set" && change.command != "reload") {
    throw std::runtime_error(
        "simulation time can be paused with pace dilate only, which does not go together with a "
        "site yet");
  }
  ConfigDocument document = change.command == "set" ? run_.running.document.with(change.values)
                                                    : ConfigDocument::load(run_.running.configuration.file);
  return prepare(change.command, std::move(document)).digest;
}

const SiteMemberRun::PreparedChange& SiteMemberRun::prepare(const std::string& command, ConfigDocument document) {
  const Configuration wanted = document.read(run_.running.known);
  check_change(run_.running.configuration, run_.running.document, wanted, document);
  check_site_change(run_.running.document, document);
  if (world_of(wanted, document) != run_.running.world) {
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

void SiteMemberRun::forget() {
  prepared_.reset();
}

// Others may reach the window a moment earlier, and their frames then have its digest.
void SiteMemberRun::await(SimTime from) {
  prepared_->from = from;
  run_.plane.set_site_digests({.now = digest(), .other = prepared_->digest});
  run_.windows.attend_by(from);
}

SimTime SiteMemberRun::soon() const {
  const auto windows = kToTellAll / run_.running.configuration.window + 2;
  return run_.windows.now() + windows * run_.running.configuration.window;
}

void SiteMemberRun::window_began(SimTime from) {
  if (!prepared_ || !prepared_->from || from < *prepared_->from) {
    return;
  }
  run_.windows.attend_by(SimTime::max());
  const std::string error = apply_prepared();
  commands_.applied(run_.windows.engine().window(), error);
}

std::string SiteMemberRun::apply_prepared() {
  const PreparedChange prepared = *std::exchange(prepared_, std::nullopt);
  const std::uint64_t before = digest();
  try {
    run_.change.change(prepared.document);
  } catch (const std::exception& error) {
    spdlog::error("site: '{}' could not be carried out here: {}", prepared.command, error.what());
    run_.plane.set_site_digests({.now = before, .other = before});
    return error.what();
  }
  files_ = prepared.files;
  spdlog::info("site: '{}' with window {}", prepared.command, run_.windows.engine().window());
  run_.observers.happened(prepared.command, {{"values", run_.running.document.assignments()}});
  run_.plane.set_site_digests({.now = digest(), .other = before});
  digests_timer_.expires_after(kFramesOnTheirWay);
  digests_timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      run_.plane.set_site_digests({.now = digest(), .other = digest()});
    }
  });
  return {};
}

bool SiteMemberRun::catch_up(const SiteCommands::Standing& standing) {
  if (standing.digest == digest()) {
    return true;
  }
  ConfigDocument document = ConfigDocument::load(run_.running.configuration.file).with(standing.values);
  if (prepare("catch up", std::move(document)).digest != standing.digest) {
    forget();
    return false;  // its files differ; status reports it
  }
  return apply_prepared().empty();
}

std::uint64_t SiteMemberRun::digest() const {
  return digest_with(files_, run_.running.document.assignments());
}

nlohmann::json SiteMemberRun::state() {
  nlohmann::json state{{"run", run_.running.configuration.name},
                       {"digest", digest()},
                       {"values", run_.running.document.assignments()},
                       {"window", run_.windows.engine().window()},
                       {"windows_missed", run_.windows.report().missed}};
  if (const auto totals = run_.plane.snapshot(kPathPatience)) {
    state["in"] = totals->deliveries + totals->injected;
    state["out"] = totals->released;
    state["dropped"] = totals->dropped_total();
  }
  state["clock"] = run_.clock_state();
  return state;
}

}  // namespace hilgate
