// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "path/cores/crossings.h"
#include "path/fate/link_table_feed.h"
#include "path/frame_path.h"
#include "path/packet_loop.h"

namespace hilgate {

/// What loops have in common.
struct LoopSettings {
  const TscClock& clock;  // outlives them
  std::chrono::milliseconds stale{};
};

/// The paths of a plane with their loops, one for each core, and the rings between them. Control thread.
template <class Port, class Pool>
class PathCores {
 public:
  using Path = FramePath<Port, Pool>;
  using Loop = PacketLoop<Path>;

  struct Core {
    Core(const PathSettings& settings, std::vector<Port*> own, Pool& pool, Crossings crossings, const TscClock& clock,
         const LoopThread& thread, const IdleSettings& idle)
        : feed(make_feed(settings)),
          path(settings, std::move(own), pool, *feed, std::move(crossings)),
          loop(path, clock, thread, idle) {}

    std::unique_ptr<LinkTableFeed> feed;
    Path path;
    Loop loop;
  };
  /// By PortSlot. Null: a free slot, of whatever core.
  struct Ports {
    const std::vector<Port*>& ports;
    const std::vector<std::size_t>& core_of;
    const std::vector<std::size_t>& homes;  // by RobotSlot: media_homes()
  };

  /// `others`: further groups that deliveries cross to, numbered after the cores. `decided_here`: as in Crossings.
  PathCores(const std::vector<CoreConfig>& configs, std::size_t crossings, std::size_t others = 0,
            std::vector<const std::atomic<bool>*> decided_here = {})
      : configs_(configs), rings_(configs.size() + others, crossings), decided_here_(std::move(decided_here)) {}

  /// pool(core) has the memory of a core's frames.
  template <class PoolOf>
  void make(const PathSettings& settings, const Ports& ports, const LoopSettings& loops, PoolOf pool) {
    for (std::size_t core = 0; core < configs_.size(); ++core) {
      // Programs in the kernel take a loop for dead whose last iteration is older than `stale`: four in that time.
      IdleSettings idle{.mode = configs_[core].idle};
      idle.longest = std::min<Nanoseconds>(idle.longest, loops.stale / 4);
      cores_.push_back(std::make_unique<Core>(settings, ports_of(core, ports), pool(core), ends(core, ports),
                                              loops.clock, LoopThread{configs_[core].cpu, configs_[core].real_time},
                                              idle));
      rings_.set_reader(core, cores_[core]->loop.waker());
    }
  }

  [[nodiscard]] const std::vector<std::unique_ptr<Core>>& all() const { return cores_; }
  [[nodiscard]] CrossingRings& rings() { return rings_; }
  [[nodiscard]] std::size_t ring_bytes() const { return rings_.bytes(); }

  /// As DataPlane::change(): all loops, or none of them.
  bool change(const PathSettings& settings, const Ports& ports, const LinkTable& first,
              std::chrono::milliseconds patience) {
    std::vector<std::unique_ptr<Change>> changes;
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      auto& change =
          *changes.emplace_back(std::make_unique<Change>(settings, ports.ports.size(), first, cores_[i]->path.parts()));
      change.order = order_for(i, ports);
      change.order.parts = &change.parts;
      change.parts.set_homes(ends(i, ports));
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      if (!cores_[i]->loop.change(changes[i]->order, patience)) {
        take_back(changes, i, patience);
        return false;
      }
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      cores_[i]->feed = std::move(changes[i]->feed);
    }
    return true;
  }
  /// Waits for the loops until they have these ports.
  void change_ports(const Ports& ports, std::chrono::milliseconds patience) {
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      typename Path::Change order = order_for(i, ports);
      while (!cores_[i]->loop.change(order, patience)) {
      }
    }
  }

 private:
  struct Change {
    Change(const PathSettings& settings, std::size_t ports, const LinkTable& first, const PathParts& old)
        : feed(make_feed(settings, &first)), parts(settings, ports, *feed, &old) {}
    std::unique_ptr<LinkTableFeed> feed;
    PathParts parts;
    typename Path::Change order{};
  };

  static std::unique_ptr<LinkTableFeed> make_feed(const PathSettings& settings, const LinkTable* first = nullptr) {
    const std::size_t robots = settings.table_robots().robots();
    auto feed = std::make_unique<LinkTableFeed>(robots * robots);
    if (first != nullptr) {
      feed->back() = *first;
      feed->publish();
    }
    return feed;
  }

  static std::vector<Port*> ports_of(std::size_t core, const Ports& ports) {
    std::vector<Port*> own(ports.ports.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = ports.core_of[i] == core ? ports.ports[i] : nullptr;
    }
    return own;
  }

  [[nodiscard]] Crossings ends(std::size_t core, const Ports& ports) const {
    Crossings ends = rings_.of(core, ports.core_of, ports.homes);
    ends.decided_here = decided_here_;
    return ends;
  }

  [[nodiscard]] typename Path::Change order_for(std::size_t core, const Ports& ports) const {
    return {.parts = nullptr, .ports = ports_of(core, ports), .crossings = rings_.of(core, ports.core_of).to_port};
  }

  // The cores before `end` go back to what they had.
  void take_back(std::vector<std::unique_ptr<Change>>& changes, std::size_t end, std::chrono::milliseconds patience) {
    for (std::size_t i = 0; i < end; ++i) {
      while (!cores_[i]->loop.change(changes[i]->order, patience)) {
      }
    }
  }

  std::vector<CoreConfig> configs_;
  CrossingRings rings_;
  std::vector<const std::atomic<bool>*> decided_here_;
  std::vector<std::unique_ptr<Core>> cores_;
};

}  // namespace hilgate
