// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/path_cores.h"
#include "gateway/run/planes/plane_tunnel.h"
#include "path/cores/media_homes.h"
#include "path/data_plane.h"

namespace hilgate {

/// A data plane over one kind of ports, on one or more cores. `Ports` owns the ports and the memory of their frames:
///   using Port, using Pool; Pool& pool(core); Port* port(slot), null: none; PortReport report(slot); bytes() and
///   kernel_memory(), bytes; void enter_thread() called on a loop's thread before its first iteration; void
///   discipline() of their clocks; std::vector<PortChange> attend(const InterfaceChanges&, wake), wake(PortSlot) for
///   its loop;
/// for changes of ports: void prepare(const PortPlan&) makes those that are new, or throws and has none; void cancel()
///   gives these up again; bool carry_out(const PortPlan&, wake), once the loops have them, opens them and closes those
///   that are not in the plan, true when there are such; void forget_removed(const PortPlan&), once no loop has these;
/// for ports with modems: std::optional<std::uint8_t> free_percent(slot), of their buffers;
/// and where the kernel decides frames as well: void check(const PathSettings&), which throws what it has no room for,
///   void changed(const PathSettings&), void air_changed(const LinkTable&, held), void observe(bool), of all frames,
///   bool wired(), void add_to(PathTotals&), void add_to(LinkSlot, LinkCounts&).
template <class Ports>
class PathPlane : public DataPlane {
 public:
  /// `open_site`: for the gateway of a site, its socket to the others.
  PathPlane(std::unique_ptr<Ports> ports, const PathSettings& settings, const PortPlan& plan,
            const Configuration& configuration, const TscClock& clock,
            const OpenSiteSocket& open_site = open_tunnel_socket)
      : ports_(std::move(ports)),
        plan_(plan),
        tunnel_group_(configuration.cores.size()),
        core_of_port_(plan.cores(std::vector<std::size_t>(plan.slots), tunnel_group_)),
        homes_(media_homes(settings, core_of_port_, tunnel_group_)),
        site_homes_(configuration, settings.air, tunnel_group_),
        cores_(configuration.cores, settings.hold_frames, site_homes_.tunnels(), site_homes_.decided_here()) {
    cores_.make(settings, {all_ports(), core_of_port_, site_homes_.of(homes_)},
                {.clock = clock, .stale = configuration.heartbeat_stale},
                [this](std::size_t core) -> typename Ports::Pool& { return ports_->pool(core); });
    verdicts().reader = &cores_.all().front()->loop.waker();
    if (site_homes_.tunnels() > 0) {
      tunnel_.make(configuration, cores_of_robots(settings, core_of_port_), ports_->pool(tunnel_group_), cores_.rings(),
                   site_homes_, clock, open_site);
    }
  }
  ~PathPlane() override { stop(); }

  void publish(const LinkTable& table) override {
    for (const auto& core : cores_.all()) {
      core->feed->back().take_over(table);  // same size: copies without allocating
      core->feed->publish();
      if (core->path.wants_tables()) {
        core->loop.waker().wake();
      }
    }
    ports_->air_changed(table, [this](LinkSlot link) { return !path_counts(link).idle(); });
  }
  bool change(const PathSettings& settings, const PortPlan& plan, const LinkTable& first,
              std::chrono::milliseconds patience) override {
    const std::vector<std::size_t> cores = plan.cores(core_of_port_, tunnel_group_);
    const std::vector<std::size_t> homes = media_homes(settings, cores, tunnel_group_, homes_);
    ports_->check(settings);
    ports_->prepare(plan);
    if (!change_cores(settings, cores, homes, first, patience)) {
      ports_->cancel();
      return false;
    }
    plan_ = plan;
    core_of_port_ = cores;
    homes_ = homes;
    note_counts_of(settings.passed_on, settings.robots.size());
    ports_->changed(settings);
    if (ports_->carry_out(plan_, [this](PortSlot port) { wake(port); })) {
      take_out_removed(patience);
    }
    return true;
  }
  VerdictRings& verdicts() override { return cores_.all().front()->path.verdicts(); }
  void overheard(const std::function<void(const Overheard&)>& each) override {
    for (const auto& core : cores_.all()) {
      core->path.tap().hear(each);
    }
  }
  [[nodiscard]] std::uint64_t missed() const override {
    std::uint64_t sum = 0;
    for (const auto& core : cores_.all()) {
      sum += core->path.tap().missed.get();
    }
    return sum;
  }
  bool inject(PortSlot port, VlanId vlan, std::span<const std::byte> frame) override {
    const bool is_here = core_of_port_[port.value()] != tunnel_group_;  // else its robots' gateway does
    if (!is_here || !core_of(port).path.tap().inject(port, vlan, frame)) {
      return false;
    }
    wake(port);
    return true;
  }

  bool observe(const std::vector<EventRing*>& rings, std::chrono::milliseconds patience) override {
    ports_->observe(!rings.empty());
    for (std::size_t i = 0; i < cores_.all().size(); ++i) {
      cores_.all()[i]->path.observer().write_to(rings.empty() ? nullptr : rings[i]);
    }
    // The first ends an iteration that may have begun before.
    return snapshot(patience).has_value() && snapshot(patience).has_value();
  }
  void discipline() override { ports_->discipline(); }
  std::vector<PortChange> attend(const InterfaceChanges& changes) override {
    return ports_->attend(changes, [this](PortSlot port) { wake(port); });
  }
  void pace_by(const PathPace* pace) override {
    for (const auto& core : cores_.all()) {
      core->loop.pace_by(pace);
    }
  }
  void repace() override {
    for (const auto& core : cores_.all()) {
      core->loop.waker().wake();
    }
  }
  void join_site(const WindowClock& clock) override { tunnel_.join_site(clock); }
  void set_site_zero(std::optional<WallTime> zero) override { tunnel_.set_zero(zero); }
  void set_site_digests(const SiteDigests& digests) override { tunnel_.set_digests(digests); }
  void set_site_author(std::optional<std::uint32_t> gateway) override { site_homes_.deciders().appoint(gateway); }
  [[nodiscard]] std::optional<SiteReport> site() const override { return tunnel_.report(); }
  void start() override {
    tunnel_.start();
    for (const auto& core : cores_.all()) {
      core->loop.start([this] { ports_->enter_thread(); });
    }
  }
  /// One iteration of each loop and of the tunnel on the caller's thread, by its clock, instead of start().
  template <class Clock>
  void iterate(Clock& clock) {
    for (const auto& core : cores_.all()) {
      core->loop.iterate(clock);
    }
    tunnel_.iterate(clock);
  }
  void stop() override {
    std::ranges::for_each(cores_.all(), [](const auto& core) { core->loop.stop(); });
    std::ranges::for_each(cores_.all(), [](const auto& core) { core->path.drain(); });
    tunnel_.stop();
  }
  std::optional<PathTotals> snapshot(std::chrono::milliseconds patience) override {
    PathTotals sum;
    for (const auto& core : cores_.all()) {
      const auto totals = core->loop.snapshot(patience);
      if (!totals) {
        return std::nullopt;
      }
      sum.add(*totals);
    }
    tunnel_.add_to(sum);
    sum.settle_crossings();
    ports_->add_to(sum);
    return sum;
  }
  /// Of the loop that made the fewest iterations.
  [[nodiscard]] std::uint64_t heartbeat() const override {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const auto& core : cores_.all()) {
      least = std::min(least, core->loop.heartbeat());
    }
    return least;
  }
  [[nodiscard]] LinkCounts counts(LinkSlot link) const override {
    LinkCounts counts = all_counts(link);
    if (const auto before = counts_before_.find(link); before != counts_before_.end()) {
      counts.subtract(before->second);
    }
    return counts;
  }
  [[nodiscard]] std::vector<AirUse> air_use() const override {
    std::vector<AirUse> sum;
    for (const auto& core : cores_.all()) {
      core->path.parts().medium.add_use(sum);
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t queued_bytes(LinkSlot link) const override {
    std::uint64_t sum = 0;
    for (const auto& core : cores_.all()) {
      sum += core->path.parts().medium.queued_bytes(core->path.parts().sender_of(link));
    }
    return sum;
  }
  [[nodiscard]] std::vector<PortReport> ports() const override {
    std::vector<PortReport> reports;
    for (const PlannedPort& port : plan_.ports) {
      reports.push_back(ports_->report(port.slot));
    }
    return reports;
  }
  [[nodiscard]] std::vector<UnknownSenderReport> unknown_senders() const override {
    std::vector<UnknownSenderReport> reports;
    for (const PlannedPort& port : plan_.ports) {
      if (const auto last = cores_.all()[port.core]->path.unknown_senders().last(port.slot)) {
        reports.push_back({port.config.name, last->mac, last->frames});
      }
    }
    return reports;
  }
  [[nodiscard]] std::optional<std::uint8_t> free_percent(PortSlot port) const override {
    if constexpr (requires(const Ports& ports) { ports.free_percent(port); }) {
      return ports_->free_percent(port);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t kernel_memory() const override { return ports_->kernel_memory(); }
  [[nodiscard]] bool wired() const override { return ports_->wired(); }
  [[nodiscard]] std::vector<LoopReport> loops() const override {
    std::vector<LoopReport> reports;
    for (const auto& core : cores_.all()) {
      const IdleReport idle = core->loop.idle();
      const LoopThread& thread = core->loop.thread();
      reports.push_back({thread.cpu, thread.real_time, idle, core->path.stalled() + idle.overslept});
    }
    return reports;
  }
  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = ports_->bytes() + cores_.ring_bytes() + tunnel_.bytes();
    for (const auto& core : cores_.all()) {
      sum += core->path.bytes();
    }
    return sum;
  }

 private:
  void wake(PortSlot port) { core_of(port).loop.waker().wake(); }
  [[nodiscard]] auto& core_of(PortSlot port) { return *cores_.all()[core_of_port_[port.value()]]; }

  bool change_cores(const PathSettings& settings, const std::vector<std::size_t>& core_of_port,
                    const std::vector<std::size_t>& homes, const LinkTable& first, std::chrono::milliseconds patience) {
    try {
      return cores_.change(settings, {all_ports(), core_of_port, site_homes_.of(homes)}, first, patience);
    } catch (...) {
      ports_->cancel();
      throw;
    }
  }

  // Loops have let go of the sockets of these ports, and now of the ports.
  void take_out_removed(std::chrono::milliseconds patience) {
    std::vector<typename Ports::Port*> ports(plan_.slots);
    for (const PlannedPort& port : plan_.ports) {
      ports[port.slot.value()] = ports_->port(port.slot);
    }
    cores_.change_ports({ports, core_of_port_, homes_}, patience);
    ports_->forget_removed(plan_);
  }

  [[nodiscard]] std::vector<typename Ports::Port*> all_ports() const {
    std::vector<typename Ports::Port*> ports;
    for (std::uint32_t slot = 0; slot < plan_.slots; ++slot) {
      ports.push_back(ports_->port(PortSlot{slot}));
    }
    return ports;
  }

  // Of robots whose slots are others' now; nothing of theirs is on its way.
  void note_counts_of(const std::vector<RobotSlot>& passed_on, std::size_t slots) {
    for (const RobotSlot robot : passed_on) {
      for (std::uint32_t other = 0; other < slots; ++other) {
        for (const LinkSlot link : {link_of(robot, RobotSlot{other}, slots), link_of(RobotSlot{other}, robot, slots)}) {
          counts_before_[link] = all_counts(link);
        }
      }
    }
  }

  [[nodiscard]] LinkCounts all_counts(LinkSlot link) const {
    LinkCounts counts = path_counts(link);
    ports_->add_to(link, counts);
    return counts;
  }
  [[nodiscard]] LinkCounts path_counts(LinkSlot link) const {
    LinkCounts counts;
    for (const auto& core : cores_.all()) {
      core->path.links()[link.value()].add_to(counts);
    }
    tunnel_.add_to(link, counts);
    return counts;
  }

  std::unique_ptr<Ports> ports_;
  PortPlan plan_;
  std::size_t tunnel_group_;                      // of crossings: behind the cores
  std::vector<std::size_t> core_of_port_;         // by PortSlot; of a free slot any
  std::vector<std::size_t> homes_;                // by RobotSlot: media_homes()
  SiteHomes site_homes_;                          // as the robots were at the start: those of a site stay
  std::map<LinkSlot, LinkCounts> counts_before_;  // of links whose slots were others'
  PathCores<typename Ports::Port, typename Ports::Pool> cores_;
  PlaneTunnel<typename Ports::Pool> tunnel_;
};

}  // namespace hilgate
