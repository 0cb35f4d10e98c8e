// SPDX-License-Identifier: Apache-2.0
// What a daemon in a world runs on. Time belongs to the thread (ControlClock): a machine has it from set_time() on,
// until another one sets its own.
#pragma once

#include <asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "clock/reference/local_sources.h"
#include "gateway/daemon/daemon.h"
#include "host/control_clock.h"
#include "tests/gateway/run/windows/window_fakes.h"
#include "tests/world/daemon_ports.h"
#include "tests/world/world_faults.h"
#include "tests/world/world_memory.h"

namespace hilgate::test {

class WorldMachine {
 public:
  static constexpr HostTime kBegin{std::chrono::seconds(1000)};  // as FakeTimer

  WorldMachine(std::filesystem::path control_socket, std::size_t buffers, std::size_t ports, WorldFaults& faults)
      : control_socket_(std::move(control_socket)), clock_(kBegin), memory_(buffers, ports, faults) {
    set_time(kBegin);
  }
  ~WorldMachine() {
    ControlClock::simulate(std::nullopt);
    simulate_system_tai(Nanoseconds{0});
  }
  WorldMachine(const WorldMachine&) = delete;
  WorldMachine& operator=(const WorldMachine&) = delete;

  /// `now` does not go back. Windows that are due begin.
  void set_time(HostTime now, Nanoseconds tai_ahead = Nanoseconds{0}) {
    now_ = now;
    ControlClock::simulate(ControlClock::time_point{now.time_since_epoch()});
    simulate_system_tai(tai_ahead);
    clock_.set(now);
    timer_.advance_to(now);
  }
  [[nodiscard]] HostTime now() const { return now_; }

  /// `sent` as DaemonPort's.
  DaemonHost host(DaemonPort::Sent sent, PlaneSetup setup = {}) {
    return {.context = context_,
            .clock = clock_,
            .window_timer = timer_,
            .service = service_,
            .control_socket = control_socket_,
            .make_plane =
                [this, sent = std::move(sent), setup = std::move(setup)](const Configuration& wanted,
                                                                         const PathSettings& settings,
                                                                         const PortPlan& ports, const TscClock& clock) {
                  auto made = std::make_unique<DaemonPorts>(ports, memory_, sent);
                  ports_ = made.get();
                  auto plane = std::make_unique<DaemonPlane>(std::move(made), settings, ports, wanted, clock, setup);
                  plane_ = plane.get();
                  return plane;
                },
            .confine = [] {},
            .background =
                [](const auto& work) {
                  work(std::stop_token());
                  return std::jthread();
                }};
  }

  /// All that are due, and those that they make due, before clients write: asio looks for due timers when the kernel's
  /// timer fires, which a timer in the past makes happen, and may be after a poll. Otherwise the order of timers and
  /// requests would be another each time.
  void run_timers() {
    std::size_t handlers = 0;
    do {
      bool is_done = false;
      sentinel_.expires_at(ControlClock::time_point{});
      sentinel_.async_wait([&is_done](const asio::error_code&) { is_done = true; });
      handlers = 0;
      while (!is_done && !context_.stopped()) {
        handlers += context_.poll();
      }
    } while (handlers > 1 && !context_.stopped());
  }
  void poll() {
    while (context_.poll() > 0) {
    }
  }
  /// Of the packet loops.
  void iterate() {
    SteppedClock clock{now_};
    plane_->iterate(clock);
  }

  [[nodiscard]] asio::io_context& context() { return context_; }
  [[nodiscard]] const std::filesystem::path& control_socket() const { return control_socket_; }
  [[nodiscard]] WorldMemory& memory() { return memory_; }
  /// Of the daemon on this host; end with it.
  [[nodiscard]] DaemonPlane& plane() { return *plane_; }
  [[nodiscard]] DaemonPort* port(PortSlot slot) { return ports_->port(slot); }
  /// The instant that the window at hand began at, while it begins.
  [[nodiscard]] HostTime window_time() const { return timer_.now(); }

 private:
  const std::filesystem::path control_socket_;
  HostTime now_{};
  TscClock clock_;
  WorldMemory memory_;
  asio::io_context context_;
  ControlTimer sentinel_{context_};
  FakeTimer timer_;
  ServiceNotify service_{{}};
  DaemonPorts* ports_ = nullptr;
  DaemonPlane* plane_ = nullptr;
};

}  // namespace hilgate::test
