// SPDX-License-Identifier: Apache-2.0
#include "tests/world/world.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "tests/support/allocation_count.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBuffers = 4096;
constexpr std::size_t kRxRing = 256;

WorldPromise promise_of(const WorldPlan& plan) {
  std::vector<bool> watched;
  std::vector<bool> radios;
  for (std::uint32_t i = 0; i < plan.places(); ++i) {
    radios.push_back(plan.settings.air.stations[i].has_value());
    watched.push_back(!plan.is_hostile(i));
  }
  return {.port_of = plan.port_of,
          .least = plan.least,
          .in_order = plan.in_order,
          .groups_apart = std::move(radios),
          .twice = plan.twice,
          .watched = std::move(watched)};
}

}  // namespace

World::World(const WorldPlan& plan, bool quiet)
    : plan_(plan),
      quiet_(quiet),
      random_(~plan.seed),
      hostile_random_(plan.seed + 1'000'000'007),
      clock_(plan.patience),
      memory_(kBuffers, plan.ports(), faults_),
      account_(promise_of(plan), plan.ports(), faults_),
      traffic_(plan),
      settings_(plan.settings) {
  for (std::uint32_t port = 0; port < plan.ports(); ++port) {
    ports_.push_back(std::make_unique<WorldPort>(port, plan.bursts[port], memory_, account_, clock_));
  }
  start();
}

World::~World() = default;

void World::start() {
  plan_.fill(table_, settings_.air, random_);
  cores_ = std::make_unique<WorldCores>(plan_, settings_, table_, ports_, memory_);
  control_ = std::make_unique<WorldControl>(plan_, settings_.air, *cores_, table_, random_);
  control_->start(clock_.at());
  bytes_ = cores_->bytes();
}

// A process that has ended, and its successor on the same ports.
void World::restart() {
  finish();
  account_.restart();
  start();
  ++result_.restarts;
}

WorldResult World::run(std::uint64_t frames, std::uint64_t steps) {
  while (account_.frames() < frames && steps_ < steps && !faults_.any()) {
    step();
  }
  result_.steps = steps_;
  settle();
  finish();
  control_.reset();
  cores_.reset();
  ports_.clear();
  faults_.require(memory_.used() == 0, "{} buffers were never freed", memory_.used());
  result_.fault = faults_.any() ? fmt::format("step {}: {}", steps_, faults_.first()) : std::string();
  result_.frames = account_.frames();
  result_.left = account_.gone();
  result_.digest += account_.digest();
  result_.watched += account_.watched_digest();
  return result_;
}

void World::step() {
  ++steps_;
  clock_.advance(Nanoseconds{random_.below(random_.chance(0.02) ? 3'000'000 : 60'000)});
  arrivals();
  disturb();
  control_->step(clock_.at(), random_.chance(plan_.hostile ? 0 : 0.0002));
  if (random_.chance(0.003)) {
    reload();
  }
  if (control_->over() || random_.chance(plan_.hostile ? 0 : 0.0001)) {
    restart();
  }
  iterate();
}

// All that is on its way arrives, before the world ends.
void World::settle() {
  for (const auto& port : ports_) {
    port->away = false;
    port->slow = false;
  }
  for (int i = 0; i < 300 && !faults_.any(); ++i) {
    ++steps_;
    clock_.advance(100us);
    control_->step(clock_.at(), false);
    iterate();
  }
}

void World::arrivals() {
  if (random_.chance(0.4)) {
    return;  // an idle iteration
  }
  for (std::uint32_t port = 0; port < plan_.ports(); ++port) {
    const bool attacks = plan_.hostile && port + 2 >= plan_.ports();
    const std::uint32_t most = attacks ? 1 : plan_.hostile ? 3 : random_.chance(0.1) ? 90 : 8;
    for (std::uint32_t i = random_.below(most); i > 0; --i) {
      arrive(traffic_.on(port, clock_.at(), random_));
    }
  }
  for (std::uint32_t i = plan_.hostile && !quiet_ ? hostile_random_.below(150) : 0; i > 0; --i) {
    arrive(traffic_.hostile(clock_.at(), hostile_random_));
  }
}

void World::arrive(const WorldTraffic::Arrival& arrival) {
  WorldPort& port = *ports_[arrival.identity.port];
  if (port.waiting() < kRxRing) {
    if (const auto frame = memory_.arrive(arrival.bytes, arrival.identity, arrival.head)) {
      port.arrive(*frame);
    }
  }
}

// Wires that take little or nothing, interfaces that are away, memory that is short. Not where a hostile robot is the
// only difference between two worlds.
void World::disturb() {
  if (plan_.hostile) {
    return;
  }
  for (const auto& port : ports_) {
    if (random_.chance(0.02)) {
      port->away = random_.chance(0.1);
      port->slow = random_.chance(0.4);
    }
  }
  if (random_.chance(0.01)) {
    memory_.no_copies = random_.chance(0.2);
  }
}

// Other rules and media; robots that are gone or back.
void World::reload() {
  settings_.air = plan_.air(random_);
  for (std::uint32_t i = 0; i < plan_.robots; ++i) {
    settings_.robots[i].present = plan_.hostile || random_.chance(0.85);
    account_.set_absent(i, !settings_.robots[i].present);
  }
  plan_.fill(table_, settings_.air, random_);
  cores_->change(settings_, table_, clock_.at());
  bytes_ = cores_->bytes();
  ++result_.reloads;
}

void World::iterate() {
  const std::size_t first = random_.below(static_cast<std::uint32_t>(cores_->size()));
  for (std::size_t i = 0; i < cores_->size(); ++i) {
    const bool stalls = random_.chance(0.01);
    if (stalls && !plan_.hostile) {
      continue;
    }
    const std::uint64_t before = allocation_count();
    cores_->path((first + i) % cores_->size()).iterate(clock_);
    faults_.require(allocation_count() == before, "an iteration has allocated memory");
  }
  check();
}

void World::check() {
  account_.check(cores_->totals(), cores_->most_held());
  if (steps_ % 64 == 0) {
    account_.check_links(cores_->totals(), cores_->links());
    faults_.require(cores_->bytes() == bytes_, "the path has {} B of memory, {} when it was made", cores_->bytes(),
                    bytes_);
  }
}

void World::finish() {
  cores_->drain();
  const PathTotals& totals = cores_->totals();
  faults_.require(totals.held == 0, "{} deliveries are held by a path that was emptied", totals.held);
  const std::vector<LinkCounts> links = cores_->links();
  account_.check(totals, cores_->most_held());
  account_.check_settled(totals, links);
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    result_.dropped[i] += totals.dropped[i];
    result_.digest = result_.digest * 31 + totals.dropped[i];
  }
  for (std::uint32_t link = 0; link < links.size(); ++link) {
    if (!plan_.is_hostile(link / plan_.places()) && !plan_.is_hostile(link % plan_.places())) {
      result_.watched = result_.watched * 31 + links[link].released;
      result_.watched = result_.watched * 31 + links[link].dropped_total();
    }
  }
}

WorldResult check_world(std::uint64_t seed, std::uint64_t frames) {
  const WorldPlan plan(seed);
  WorldResult result = World(plan, false).run(frames);
  if (result.fault.empty() && seed % 8 == 0) {
    const WorldResult again = World(plan, false).run(frames);
    if (again.digest != result.digest) {
      result.fault = fmt::format("digest {:016x}, and a second time {:016x}", result.digest, again.digest);
    }
  }
  if (result.fault.empty() && plan.hostile) {
    const WorldResult quiet = World(plan, true).run(frames, result.steps);
    if (quiet.watched != result.watched) {
      result.fault = fmt::format("what became of other robots' frames: {:016x}, without the hostile robot {:016x}",
                                 result.watched, quiet.watched);
    }
  }
  return result;
}

}  // namespace hilgate::test
