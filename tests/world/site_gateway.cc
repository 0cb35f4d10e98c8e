// SPDX-License-Identifier: Apache-2.0
#include "tests/world/site_gateway.h"

#include <spdlog/spdlog.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/site_commands.h"
#include "gateway/daemon/site_files.h"
#include "gateway/run/planes/configured_path.h"

namespace hilgate::test {
namespace {

// The control thread has timers each millisecond, and is busy or late.
constexpr Nanoseconds kControlAtLeast{500'000};
constexpr std::uint32_t kControlSpread = 5'000'000;  // ns
// In 2023: instants of the site have to be sane (is_sane()).
constexpr Nanoseconds kTai{1'700'000'000'000'000'000};

Configuration read(const SiteSurroundings& site, std::uint32_t own) {
  Configuration configuration = load_configuration(site.file, known_names(site.names[own]));
  configuration.site->digest = files_digest(configuration, ConfigDocument::load(site.file));
  configuration.site->version = "world";
  return configuration;
}

}  // namespace

void SiteAccount::add(const PathTotals& life, const SiteReport& site) {
  totals.add(life);
  for (std::size_t i = 0; i < refused.size(); ++i) {
    refused[i] += site.refused[i];
  }
  for (const SiteReport::Peer& peer : site.peers) {
    packets += peer.report.way.total();
  }
}

SiteGateway::SiteGateway(const SiteSurroundings& site, std::uint32_t own, const SiteClocks& clocks)
    : site_(site), own_(own), clocks_(clocks), terms_(site_terms(read(site, own))) {}

SiteGateway::~SiteGateway() {
  operator_.reset();
  changer_.reset();
  daemon_.reset();
}

HostTime SiteGateway::host_at(WorldTime now) const {
  return WorldMachine::kBegin + clocks_.base + now +
         Nanoseconds{std::llround(1e-6 * clocks_.rate_ppm * static_cast<double>(now.count()))};
}

WorldTime SiteGateway::world_at(HostTime host) const {
  const auto since = static_cast<double>((host - WorldMachine::kBegin - clocks_.base).count());
  return Nanoseconds{std::llround(since / (1 + 1e-6 * clocks_.rate_ppm))};
}

void SiteGateway::set_time(WorldTime now) {
  now_ = now;
  const HostTime host = host_at(now);
  machine_->set_time(host, kTai + now + clocks_.error - host.time_since_epoch());
}

void SiteGateway::begin(WorldTime now) {
  spdlog::info("{:.3f} s: gateway {} arrives", 1e-9 * static_cast<double>(now.count()), name());
  configuration_ = read(site_, own_);
  machine_.emplace(site_.folder / site_.names[own_], kBuffers, site_.robots, site_.faults);
  set_time(now);
  BusEnds ends = make_bus_ends();
  bus_ = std::move(ends.own);
  site_.texts.open(name(), std::move(ends.program));
  arrival_.emplace(terms_, site_.network.open(terms_.gateways[own_]), machine_->now());
}

void SiteGateway::start() {
  const auto begun = arrival_->begun();
  spdlog::info("{:.3f} s: gateway {} begins", 1e-9 * static_cast<double>(now_.count()), name());
  arrival_.reset();
  RunStart start = begun ? start_in_site(*configuration_, *begun) : start_of(*configuration_);
  start.site_bus = std::move(bus_);
  windows_.clear();
  is_started_ = false;
  received_before_ = site_.network.received(ipv4());
  daemon_ = std::make_unique<Daemon>(std::move(start), RunIdentity{},
                                     machine_->host(
                                         [this](PortSlot port, const Frame& frame) {
                                           machine_->memory().for_each_segment(frame, [&](std::span<std::byte> bytes) {
                                             site_.released(own_ + gateways() * port.value(), bytes);
                                           });
                                         },
                                         {.open_site = [this](const SiteEnd& end) { return site_.network.open(end); },
                                          .published = [this](const LinkTable& table) { note_window(table); }}));
  daemon_->start();
  is_started_ = true;
  operator_.emplace(machine_->control_socket());
  changer_.emplace(machine_->control_socket());
}

void SiteGateway::kill() {
  if (daemon_ != nullptr) {
    began_anew_ = began_anew();
    past_ = account();
    const PathTotals totals = machine_->plane().snapshot(std::chrono::milliseconds{0}).value();
    past_.died += machine_->memory().used();
    past_.totals.held -= totals.held;
  }
  operator_.reset();
  changer_.reset();
  daemon_.reset();
  arrival_.reset();
  site_.texts.close(name());
  machine_.reset();
}

bool SiteGateway::advance(WorldTime now) {
  if (is_off()) {
    return false;
  }
  set_time(now);
  if (arrival_) {
    if (!arrival_->advance({machine_->now(), WallTime{kTai + now + clocks_.error}})) {
      return false;
    }
    start();
  }
  if (now >= control_at_) {
    machine_->run_timers();
    control_at_ = now + kControlAtLeast + Nanoseconds{site_.random.below(kControlSpread)};
  }
  return true;
}

void SiteGateway::iterate() {
  machine_->iterate();
}

bool SiteGateway::arrive(std::uint32_t robot, std::span<const std::byte> frame, std::uint64_t number,
                         std::uint32_t to) {
  const PortSlot port{robot / gateways()};  // own ports are the first
  const auto arrived = machine_->memory().arrive(frame,
                                                 {.number = number,
                                                  .arrived = machine_->now(),
                                                  .port = port.value(),
                                                  .from = robot,
                                                  .to = to,
                                                  .kind = FrameKind::kRobots},
                                                 frame.size());
  if (arrived) {
    machine_->port(port)->arrive(*arrived);
  }
  return arrived.has_value();
}

nlohmann::json SiteGateway::ask(const nlohmann::json& request) {
  set_time(now_);
  operator_->ask(request);
  for (int i = 0; i < 1000; ++i) {
    machine_->run_timers();
    if (auto line = operator_->answer()) {
      return *line;
    }
  }
  throw std::runtime_error("gateway " + name() + " does not answer");
}

void SiteGateway::request(const nlohmann::json& change) {
  changer_->ask(change);
}

std::optional<nlohmann::json> SiteGateway::take_answer() {
  return changer_->answer();
}

PeerState SiteGateway::state_of(std::uint32_t other) {
  for (const SiteReport::Peer& peer : report().peers) {
    if (peer.name == site_.names[other]) {
      return peer.report.state;
    }
  }
  return PeerState::kAwaited;
}

void SiteGateway::note_window(const LinkTable& table) {
  if (!is_started_) {
    return;  // the links of before the first window
  }
  const WorldTime began = world_at(table.begins);
  if (!windows_.empty() && table.window <= windows_.back().number) {
    // Of another simulation, whose zero is elsewhere.
    const auto windows = static_cast<std::int64_t>(table.window) - static_cast<std::int64_t>(windows_.back().number);
    const Nanoseconds moved = began - windows_.back().began - windows * site_.window;
    site_.faults.require(2 * moved > site_.window || 2 * moved < -site_.window, "gateway {}: window {} comes after {}",
                         name(), table.window, windows_.back().number);
    windows_.clear();
  }
  windows_begun_ += windows_.empty() ? 0 : table.window - windows_.back().number;
  windows_.push_back({.number = table.window, .began = began, .links = table.links});
  if (windows_.size() > kWindowsKept) {
    windows_.pop_front();
  }
}

std::uint64_t SiteGateway::began_anew() {
  return began_anew_ +
         (runs() ? ask({{"command", "status"}}).at("result").at("site").at("began_anew").get<std::uint64_t>() : 0);
}

SiteAccount SiteGateway::account() {
  SiteAccount sum = past_;
  if (daemon_ != nullptr) {
    sum.add(machine_->plane().snapshot(std::chrono::milliseconds{0}).value(), report());
    sum.received += site_.network.received(ipv4()) - received_before_;
  }
  return sum;
}

}  // namespace hilgate::test
