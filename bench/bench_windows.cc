// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_windows.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <filesystem>
#include <stdexcept>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "clock/reference/reference_options.h"
#include "clock/servo/disciplined_clock.h"
#include "gateway/commands/simulators/sim.h"
#include "gateway/run/simulation/gateway_ends.h"
#include "gateway/run/windows/window_engine.h"
#include "gateway/run/windows/window_timeline.h"
#include "gateway/run/windows/window_timer.h"
#include "physics_link/physics.h"
#include "physics_link/scripted_physics.h"

namespace hilgate {
namespace {

/// Schedules the windows of an engine as a run does, by a reference. Control thread.
class BenchClock {
 public:
  /// Throws as make_reference() does.
  BenchClock(asio::io_context& io, const ReferenceOptions& reference, WindowEngine& engine)
      : clock_(make_reference(reference), {}, read_system_tai()),
        timeline_(clock_, host_now(), Dilation{}),
        timer_(io),
        engine_(engine) {
    engine_.follow(timeline_);
    poll();
  }
  /// Between the clock and its reference.
  [[nodiscard]] Nanoseconds offset_p99() const { return clock_.status(host_now()).offset.p99; }

 private:
  void poll() {
    clock_.poll(host_now());
    timeline_.advance(host_now());
    engine_.reschedule();
    timer_.expires_after(std::chrono::milliseconds{50});
    timer_.async_wait([this](const asio::error_code& error) {
      if (!error) {
        poll();
      }
    });
  }

  DisciplinedClock clock_;
  ClockTimeline timeline_;
  asio::steady_timer timer_;
  WindowEngine& engine_;
};

constexpr std::uint32_t kPacketBytes = 98;  // an IPv4 ping in an Ethernet frame

void share_cpu(std::optional<unsigned> cpu) {
  if (!cpu) {
    return;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(*cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::runtime_error(
        fmt::format("processor {} does not exist; this machine has 0 to {}", *cpu, sysconf(_SC_NPROCESSORS_ONLN) - 1));
  }
}

// Sockets of one run, gone afterwards.
class SocketDirectory {
 public:
  SocketDirectory() {
    char name[] = "/tmp/hilgate-bench-XXXXXX";
    if (mkdtemp(name) == nullptr) {
      throw std::runtime_error("cannot create a temporary directory for sockets");
    }
    path_ = name;
  }
  ~SocketDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SocketDirectory(const SocketDirectory&) = delete;
  SocketDirectory& operator=(const SocketDirectory&) = delete;
  [[nodiscard]] std::string socket(std::string_view name) const { return fmt::format("unix:{}/{}", path_, name); }

 private:
  std::string path_;
};

// A do-nothing simulator in a process of its own, as a real one would be.
class SimProcess {
 public:
  SimProcess(SimOptions options) : pid_(fork()) {
    if (pid_ < 0) {
      throw std::runtime_error("cannot start a simulator process");
    }
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      int status = 1;
      if (freopen("/dev/null", "w", stderr) != nullptr) {
        try {
          status = sim_command(options);
        } catch (const std::exception&) {
        }
      }
      _exit(status);
    }
  }
  ~SimProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  SimProcess(const SimProcess&) = delete;
  SimProcess& operator=(const SimProcess&) = delete;

 private:
  pid_t pid_;
};

// Every robot sends to its neighbour.
class BenchPackets final : public PacketSource {
 public:
  BenchPackets(std::uint32_t robots, std::uint32_t packets) : robots_(robots), packets_(packets) {}
  void take(SimTime, std::vector<CapturedPacket>& packets) override {
    for (std::uint32_t i = 0; i < packets_ * robots_; ++i) {
      const std::uint32_t sender = i % robots_;
      const std::uint32_t receiver = (sender + 1) % robots_;
      packets.push_back({.id = next_++,
                         .captured = at_,
                         .sender = RobotIndex{sender},
                         .receiver = RobotIndex{receiver},
                         .length = kPacketBytes,
                         .src_ip = 0x0A4D0001 + sender,
                         .dst_ip = 0x0A4D0001 + receiver});
    }
  }
  void window_at(SimTime at) { at_ = at; }

 private:
  std::uint32_t robots_;
  std::uint32_t packets_;
  std::uint64_t next_ = 0;
  SimTime at_{};
};

class BenchSink final : public WindowSink {
 public:
  BenchSink(asio::io_context& io, BenchPackets& packets) : io_(io), packets_(packets) {}
  void window_began(const WindowStart& start) override {
    if (start.window == 0) {
      began_ = start.at;
    }
    last_ = start.at;
    packets_.window_at(start.from);
    if (due_ != HostTime{} && start.at >= due_) {
      stop();
    }
  }
  void links(LinkTable&) override {}
  void verdicts(std::span<const Verdict>, std::span<const std::uint64_t>) override {}
  void expired(std::span<const std::uint64_t>) override {}
  void ended(const std::string& why) override {
    why_ = why;
    io_.stop();
  }

  std::function<void()> stop = [] {};
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(last_ - began_).count(); }
  [[nodiscard]] const std::string& why() const { return why_; }
  void run_for(HostTime now, Nanoseconds duration) { due_ = now + duration; }

 private:
  asio::io_context& io_;
  BenchPackets& packets_;
  HostTime began_{};
  HostTime last_{};
  HostTime due_{};
  std::string why_;
};

struct Phase {
  Pace pace = Pace::kLockstep;
  bool physics_is_remote = true;
};

class Run {
 public:
  Run(const BenchWindowsOptions& options, const Phase& phase)
      : options_(options), phase_(phase), packets_(options.robots, options.packets) {}

  BenchWindowsResult measure() {
    const SocketDirectory directory;
    const GatewayEnd network = end("netsim", directory.socket("net"));
    const GatewayEnd physics = end("physics", directory.socket("phy"));
    std::optional<SimProcess> physics_process;
    if (phase_.physics_is_remote) {
      physics_process.emplace(simulator(SimKind::kPhysics, directory.socket("phy")));
    }
    SimProcess network_process(simulator(SimKind::kNetwork, directory.socket("net")));
    asio::io_context io(1);
    HostWindowTimer timer(io);
    ScriptedPhysics still({.robots = options_.robots, .moves = false});
    std::unique_ptr<RemoteSimulator<PhysicsCodec>> remote_physics;
    if (phase_.physics_is_remote) {
      remote_physics = make_remote_physics(io, physics, nullptr);
    }
    const auto remote_network = make_remote_network(io, network, nullptr);
    PhysicsSimulator& chosen = remote_physics ? static_cast<PhysicsSimulator&>(*remote_physics) : still;
    BenchSink sink(io, packets_);
    WindowEngine engine({.window = options_.window, .pace = phase_.pace}, timer, chosen, *remote_network, packets_,
                        sink);
    const BenchClock clock(io, options_.reference, engine);
    sink.stop = [&engine] { engine.stop("measuring time is over"); };
    sink.run_for(timer.now(), options_.duration);
    engine.start();
    io.run();
    if (sink.why() != "measuring time is over") {
      throw std::runtime_error(fmt::format("bench windows: {}", sink.why()));
    }
    return result(engine, sink, clock);
  }

 private:
  GatewayEnd end(const std::string& name, const std::string& socket) const {
    GatewayEnd made{.protocol = options_.protocol,
                    .robot_ips = default_robot_ips(options_.robots),
                    .step = options_.window,
                    .link = {.link = {.name = name, .endpoint = Endpoint::parse(socket)}},
                    .extensions = true};
    for (std::uint32_t i = 0; i < options_.robots; ++i) {
      made.robots.push_back(fmt::format("robot-{}", i + 1));
    }
    return made;
  }
  SimOptions simulator(SimKind kind, const std::string& socket) const {
    return {.kind = kind,
            .protocol = options_.protocol,
            .socket = socket,
            .robots = options_.robots,
            .window = options_.window,
            .idle = true};
  }
  static BenchWindowsResult result(const WindowEngine& engine, const BenchSink& sink, const BenchClock& clock) {
    return {.windows_per_s = static_cast<double>(engine.window()) / sink.seconds(),
            .round_trip_p50 = engine.network_stats().round_trip.quantile(0.5),
            .round_trip_p99 = engine.network_stats().round_trip.quantile(0.99),
            .boundary_p99 = engine.boundaries().quantile(0.99),
            .clock_p99 = clock.offset_p99(),
            .windows = engine.window(),
            .late = engine.network_stats().late.count() + engine.physics_stats().late.count()};
  }

  const BenchWindowsOptions& options_;
  Phase phase_;
  BenchPackets packets_;
};

const char* name(SimulatorProtocol protocol) {
  switch (protocol) {
    case SimulatorProtocol::kRosNetSim:
      return "rosnetsim";
    case SimulatorProtocol::kDancers:
      return "dancers";
    case SimulatorProtocol::kNative:
      break;
  }
  return "native";
}

}  // namespace

BenchWindowsResult bench_windows(const BenchWindowsOptions& options) {
  if (options.robots < 2) {
    throw std::runtime_error(fmt::format("bench windows: {} robots; the minimum is 2", options.robots));
  }
  share_cpu(options.cpu);
  const BenchWindowsResult rate = Run(options, {.pace = options.pace}).measure();
  const BenchWindowsResult trip = Run(options, {.pace = Pace::kLockstep, .physics_is_remote = false}).measure();
  const BenchWindowsResult wall = Run(options, {.pace = Pace::kWall}).measure();
  return {.windows_per_s = rate.windows_per_s,
          .round_trip_p50 = trip.round_trip_p50,
          .round_trip_p99 = trip.round_trip_p99,
          .boundary_p99 = wall.boundary_p99,
          .clock_p99 = wall.clock_p99,
          .windows = rate.windows,
          .late = wall.late};
}

int bench_windows_command(const BenchWindowsOptions& options) {
  const BenchWindowsResult result = bench_windows(options);
  const char* pace = options.pace == Pace::kLockstep ? "lockstep" : options.pace == Pace::kWall ? "wall" : "dilate";
  const std::string cpu = options.cpu ? std::to_string(*options.cpu) : "null";
  if (options.json) {
    fmt::print(
        "{{\"protocol\": \"{}\", \"robots\": {}, \"packets_per_robot\": {}, \"pace\": \"{}\", \"cpu\": {}, "
        "\"windows\": {}, \"windows_per_s\": {:.0f}, \"round_trip_p50_us\": {:.2f}, \"round_trip_p99_us\": {:.2f}, "
        "\"boundary_p99_us\": {:.2f}, \"clock_p99_us\": {:.2f}, \"late_ends\": {}}}\n",
        name(options.protocol), options.robots, options.packets, pace, cpu, result.windows, result.windows_per_s,
        microseconds_of(result.round_trip_p50), microseconds_of(result.round_trip_p99),
        microseconds_of(result.boundary_p99), microseconds_of(result.clock_p99), result.late);
    return 0;
  }
  fmt::print("protocol {}, {} robots, {} packets per robot and window, pace {}, processor {}\n", name(options.protocol),
             options.robots, options.packets, pace, options.cpu ? cpu : "any");
  fmt::print("  {:>12.0f}    windows per second, both simulators remote\n", result.windows_per_s);
  fmt::print("  {:>12.2f} us round trip to the network simulator, p50\n", microseconds_of(result.round_trip_p50));
  fmt::print("  {:>12.2f} us round trip to the network simulator, p99\n", microseconds_of(result.round_trip_p99));
  fmt::print("  {:>12.2f} us lateness of window boundaries in pace wall against the disciplined clock, p99\n",
             microseconds_of(result.boundary_p99));
  fmt::print("  {:>12.2f} us offset of that clock from its reference ({}), p99\n", microseconds_of(result.clock_p99),
             name(options.reference.kind));
  return 0;
}

}  // namespace hilgate
