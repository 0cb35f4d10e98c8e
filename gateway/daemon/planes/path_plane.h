// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/fate/link_table_feed.h"
#include "gateway/path/crossings.h"
#include "gateway/path/data_plane.h"
#include "gateway/path/frame_path.h"
#include "gateway/path/hot_loop.h"

namespace hilgate {

/// A data plane over one kind of ports, on one or more cores. `Ports` owns the ports and the memory of their frames:
///   using Port, using Pool; Pool& pool(core); Port& port(index); PortReport report(index); std::size_t bytes();
///   void enter_thread() called on a loop's thread before its first iteration; void discipline() of clocks that ports
///   have; std::vector<PortChange> attend(const LinkChanges&, wake) where wake(PortId) calls the loop of a port;
/// and where a kernel decides beside the path: void check(const PathSettings&), which throws what it has no room for,
///   void changed(const PathSettings&), void air_changed(const LinkTable&, held),
///   void add_to(PathTotals&), void add_to(LinkId, LinkCounts&).
template <class Ports>
class PathPlane final : public DataPlane {
 public:
  PathPlane(std::unique_ptr<Ports> ports, const PathSettings& settings, const Configuration& configuration,
            const TscClock& clock)
      : ports_(std::move(ports)),
        core_of_port_(core_of_ports(configuration)),
        rings_(core_of_port_, configuration.cores.size(), settings.hold_frames) {
    check_media(settings);
    for (std::size_t core = 0; core < configuration.cores.size(); ++core) {
      cores_.push_back(std::make_unique<Core>(settings, ports_of(core), ports_->pool(core), rings_.of(core), clock,
                                              configuration.cores[core].cpu, idle_settings(configuration, core)));
      rings_.set_reader(core, cores_[core]->loop.waker());
    }
    verdicts().reader = &cores_.front()->loop.waker();
  }
  ~PathPlane() override { stop(); }

  void publish(const LinkTable& table) override {
    for (const auto& core : cores_) {
      core->feed->back() = table;  // same size: copies without allocating
      core->feed->publish();
      if (core->path.wants_tables()) {
        core->loop.waker().wake();
      }
    }
    ports_->air_changed(table, [this](LinkId link) { return !path_counts(link).idle(); });
  }
  bool change(const PathSettings& settings, const LinkTable& first, std::chrono::milliseconds patience) override {
    check_media(settings);
    ports_->check(settings);
    std::vector<Change> changes;
    for (const auto& core : cores_) {
      changes.emplace_back(settings, core_of_port_.size(), first, core->path.parts());
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      if (!cores_[i]->loop.change(changes[i].parts, patience)) {
        take_back(changes, i, patience);
        return false;
      }
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      cores_[i]->feed = std::move(changes[i].feed);
    }
    ports_->changed(settings);
    return true;
  }
  VerdictRings& verdicts() override { return cores_.front()->path.verdicts(); }
  void overheard(const std::function<void(const Overheard&)>& each) override {
    for (const auto& core : cores_) {
      auto& ring = core->path.tap().overheard;
      while (const Overheard* frame = ring.front()) {
        each(*frame);
        ring.drop_front();
      }
    }
  }
  [[nodiscard]] std::uint64_t missed() const override {
    std::uint64_t sum = 0;
    for (const auto& core : cores_) {
      sum += core->path.tap().missed.get();
    }
    return sum;
  }
  bool inject(PortId port, std::span<const std::byte> frame) override {
    Core& core = *cores_[core_of_port_[port.value()]];
    auto& ring = core.path.tap().injections;
    Injection* slot = frame.size() <= Injection::kBytes ? ring.claim() : nullptr;
    if (slot == nullptr) {
      return false;
    }
    slot->port = port;
    slot->length = static_cast<std::uint32_t>(frame.size());
    std::copy(frame.begin(), frame.end(), slot->bytes.begin());
    ring.publish();
    core.loop.waker().wake();
    return true;
  }

  void discipline() override { ports_->discipline(); }
  std::vector<PortChange> attend(const LinkChanges& changes) override {
    return ports_->attend(changes, [this](PortId port) { cores_[core_of_port_[port.value()]]->loop.waker().wake(); });
  }
  void pace_by(const PathPace* pace) override {
    for (const auto& core : cores_) {
      core->loop.pace_by(pace);
    }
  }
  void repace() override {
    for (const auto& core : cores_) {
      core->loop.waker().wake();
    }
  }
  void start() override {
    for (const auto& core : cores_) {
      core->loop.start([this] { ports_->enter_thread(); });
    }
  }
  void stop() override {
    for (const auto& core : cores_) {
      core->loop.stop();
    }
    for (const auto& core : cores_) {
      core->path.drain();
    }
  }
  std::optional<PathTotals> snapshot(std::chrono::milliseconds patience) override {
    PathTotals sum;
    for (const auto& core : cores_) {
      const auto totals = core->loop.snapshot(patience);
      if (!totals) {
        return std::nullopt;
      }
      sum.add(*totals);
    }
    sum.settle_crossings();
    ports_->add_to(sum);
    return sum;
  }
  /// Of the loop that made the fewest iterations.
  [[nodiscard]] std::uint64_t heartbeat() const override {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const auto& core : cores_) {
      least = std::min(least, core->loop.heartbeat());
    }
    return least;
  }
  [[nodiscard]] LinkCounts counts(LinkId link) const override {
    LinkCounts counts = path_counts(link);
    ports_->add_to(link, counts);
    return counts;
  }
  [[nodiscard]] std::vector<AirUse> air_use() const override {
    std::vector<AirUse> sum;
    for (const auto& core : cores_) {
      core->path.parts().medium.add_use(sum);
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t queued_bytes(LinkId link) const override {
    std::uint64_t sum = 0;
    for (const auto& core : cores_) {
      sum += core->path.parts().medium.queued_bytes(core->path.parts().sender_of(link));
    }
    return sum;
  }
  [[nodiscard]] std::vector<PortReport> ports() const override {
    std::vector<PortReport> reports;
    for (std::size_t port = 0; port < core_of_port_.size(); ++port) {
      reports.push_back(ports_->report(port));
    }
    return reports;
  }
  [[nodiscard]] std::vector<LoopReport> loops() const override {
    std::vector<LoopReport> reports;
    for (const auto& core : cores_) {
      reports.push_back({core->loop.cpu(), core->loop.idle()});
    }
    return reports;
  }
  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = ports_->bytes() + rings_.bytes();
    for (const auto& core : cores_) {
      sum += core->path.bytes();
    }
    return sum;
  }

 private:
  using Path = FramePath<typename Ports::Port, typename Ports::Pool>;

  struct Core {
    Core(const PathSettings& settings, std::vector<typename Ports::Port*> own, typename Ports::Pool& pool,
         Crossings crossings, const TscClock& clock, std::optional<std::uint32_t> cpu, const IdleSettings& idle)
        : feed(make_feed(settings)),
          path(settings, std::move(own), pool, *feed, std::move(crossings)),
          loop(path, clock, cpu, idle) {}

    std::unique_ptr<LinkTableFeed> feed;
    Path path;
    HotLoop<Path> loop;
  };

  struct Change {
    Change(const PathSettings& settings, std::size_t ports, const LinkTable& first, const PathParts& old)
        : feed(make_feed(settings, &first)), parts(settings, ports, *feed, &old) {}
    std::unique_ptr<LinkTableFeed> feed;
    PathParts parts;
  };

  // Programs in the kernel take a loop for dead whose last iteration is older than `stale`: four in that time.
  static IdleSettings idle_settings(const Configuration& configuration, std::size_t core) {
    IdleSettings idle{.mode = configuration.cores[core].idle};
    idle.longest = std::min<Nanoseconds>(idle.longest, configuration.heartbeat_stale / 4);
    return idle;
  }

  [[nodiscard]] LinkCounts path_counts(LinkId link) const {
    LinkCounts counts;
    for (const auto& core : cores_) {
      core->path.links()[link.value()].add_to(counts);
    }
    return counts;
  }

  static std::unique_ptr<LinkTableFeed> make_feed(const PathSettings& settings, const LinkTable* first = nullptr) {
    const std::size_t robots = settings.table_robots().robots();
    auto feed = std::make_unique<LinkTableFeed>(robots * robots);
    if (first != nullptr) {
      feed->back() = *first;
      feed->publish();
    }
    return feed;
  }

  [[nodiscard]] std::vector<typename Ports::Port*> ports_of(std::size_t core) const {
    std::vector<typename Ports::Port*> ports(core_of_port_.size());
    for (std::size_t i = 0; i < ports.size(); ++i) {
      ports[i] = core_of_port_[i] == core ? &ports_->port(i) : nullptr;
    }
    return ports;
  }

  // A medium is decided by the one core that has all its stations.
  void check_media(const PathSettings& settings) const {
    std::vector<std::optional<std::size_t>> core_of_domain(settings.air.domains.size() + 1);
    for (std::size_t i = 0; i < settings.air.stations.size(); ++i) {
      const auto& station = settings.air.stations[i];
      const AirRole role = settings.air.role(i);
      if (role == AirRole::kAccessPoint || (role == AirRole::kNone && !station)) {
        continue;
      }
      // All that is on a network of access points may come to share any of its media.
      auto& core = role == AirRole::kNone ? core_of_domain[station->domain] : core_of_domain.back();
      const std::size_t own = core_of_port_[settings.robots[i].port.value()];
      if (core.value_or(own) != own) {
        throw std::runtime_error(role == AirRole::kNone
                                     ? "hot_loop.cores: robots whose radios share a medium are on different cores; put "
                                       "their ports on one"
                                     : "hot_loop.cores: robots on one network of access points are on different cores; "
                                       "put their ports on one");
      }
      core = own;
    }
  }

  // The cores before `end` go back to what they had.
  void take_back(std::vector<Change>& changes, std::size_t end, std::chrono::milliseconds patience) {
    for (std::size_t i = 0; i < end; ++i) {
      while (!cores_[i]->loop.change(changes[i].parts, patience)) {
      }
    }
  }

  std::unique_ptr<Ports> ports_;
  std::vector<std::size_t> core_of_port_;
  CrossingRings rings_;
  std::vector<std::unique_ptr<Core>> cores_;
};

}  // namespace hilgate
