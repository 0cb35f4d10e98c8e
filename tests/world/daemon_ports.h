// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gateway/run/planes/path_plane.h"
#include "tests/world/world_faults.h"
#include "tests/world/world_memory.h"

namespace hilgate::test {

/// Host time of one iteration. Models HostClock, without patience: it stands.
struct SteppedClock {
  HostTime at{};

  [[nodiscard]] HostTime now() const { return at; }
  [[nodiscard]] static constexpr Nanoseconds patience() { return Nanoseconds{0}; }
};

/// A port without a device: frames arrive by arrive(), and those that the path releases are counted and freed. Models
/// FramePort.
class DaemonPort {
 public:
  /// `sent` receives each frame that leaves, and by which port.
  using Sent = std::function<void(PortSlot port, const Frame& frame)>;
  DaemonPort(PortSlot slot, WorldMemory& memory, Sent sent) : slot_(slot), memory_(memory), sent_(std::move(sent)) {}
  DaemonPort(const DaemonPort&) = delete;
  DaemonPort& operator=(const DaemonPort&) = delete;
  ~DaemonPort() {
    flush();
    for (const Frame& frame : arrivals_) {
      memory_.free(frame);
    }
  }

  void arrive(const Frame& frame) { arrivals_.push_back(frame); }

  std::size_t capture(std::span<Frame> burst) {
    std::size_t count = 0;
    for (; count < burst.size() && !arrivals_.empty(); ++count) {
      burst[count] = arrivals_.front();
      arrivals_.pop_front();
    }
    return count;
  }
  bool release(const Frame& frame) {
    released_.push_back(frame);
    return true;
  }
  void flush() {
    for (const Frame& frame : released_) {
      sent_(slot_, frame);
      memory_.free(frame);
    }
    released_.clear();
  }

 private:
  PortSlot slot_;
  WorldMemory& memory_;
  Sent sent_;
  std::deque<Frame> arrivals_;
  std::vector<Frame> released_;
};
static_assert(FramePort<DaemonPort>);

/// The ports of a daemon's plane, as PathPlane requires them.
class DaemonPorts {
 public:
  using Port = DaemonPort;
  using Pool = WorldMemory;

  DaemonPorts(const PortPlan& plan, WorldMemory& memory, DaemonPort::Sent sent)
      : memory_(memory), sent_(std::move(sent)), places_(plan.slots) {
    prepare(plan);
  }

  WorldMemory& pool(std::size_t) { return memory_; }
  DaemonPort* port(PortSlot slot) { return places_[slot.value()].get(); }
  [[nodiscard]] static PortReport report(PortSlot) { return {.driver = "world"}; }
  [[nodiscard]] static std::size_t bytes() { return 0; }
  [[nodiscard]] static std::size_t kernel_memory() { return 0; }
  static void enter_thread() {}
  static void discipline() {}
  static std::vector<PortChange> attend(const InterfaceChanges&, const auto&) { return {}; }
  void prepare(const PortPlan& plan) {
    for (const PlannedPort& planned : plan.ports) {
      if (places_[planned.slot.value()] == nullptr) {
        places_[planned.slot.value()] = std::make_unique<DaemonPort>(planned.slot, memory_, sent_);
      }
    }
  }
  static void cancel() {}
  bool carry_out(const PortPlan& plan, const auto&) {
    bool some_go = false;
    for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
      some_go |= plan.at(PortSlot{slot}) == nullptr && places_[slot] != nullptr;
    }
    return some_go;
  }
  void forget_removed(const PortPlan& plan) {
    for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
      if (plan.at(PortSlot{slot}) == nullptr) {
        places_[slot].reset();
      }
    }
  }
  [[nodiscard]] static bool wired() { return false; }
  static void check(const PathSettings&) {}
  static void changed(const PathSettings&) {}
  static void air_changed(const LinkTable&, const auto&) {}
  static void observe(bool) {}
  static void add_to(PathTotals&) {}
  static void add_to(LinkSlot, LinkCounts&) {}

 private:
  WorldMemory& memory_;
  DaemonPort::Sent sent_;
  std::vector<std::unique_ptr<DaemonPort>> places_;  // by PortSlot
};

/// Of a world's plane, where its gateway is one of a site.
struct PlaneSetup {
  OpenSiteSocket open_site{};
  std::function<void(const LinkTable&)> published{};  // each table that the packet path gets
};

/// The plane of a daemon in a world: its loops have no threads, and iterate when the world calls them.
class DaemonPlane final : public PathPlane<DaemonPorts> {
 public:
  DaemonPlane(std::unique_ptr<DaemonPorts> ports, const PathSettings& settings, const PortPlan& plan,
              const Configuration& configuration, const TscClock& clock, PlaneSetup setup)
      : PathPlane(std::move(ports), settings, plan, configuration, clock, setup.open_site), setup_(std::move(setup)) {}

  void start() override {}
  void publish(const LinkTable& table) override {
    PathPlane::publish(table);
    if (setup_.published) {
      setup_.published(table);
    }
  }

 private:
  PlaneSetup setup_;
};

}  // namespace hilgate::test
