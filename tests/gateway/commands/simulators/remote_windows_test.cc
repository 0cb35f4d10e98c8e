// SPDX-License-Identifier: Apache-2.0
// The window engine with both simulators at the other end of real sockets, in every protocol: the gateway's end and
// the simulators' ends run in one loop.
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/commands/simulators/sim.h"
#include "gateway/run/simulation/gateway_ends.h"
#include "gateway/run/windows/window_engine.h"
#include "gateway/run/windows/window_timer.h"
#include "netsim_link/network_codec.h"
#include "netsim_link/scripted_network.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/simulator_server.h"
#include "physics_link/scripted_physics.h"
#include "tests/gateway/run/windows/window_fakes.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr Nanoseconds kRemoteWindow = 10ms;

// Remembers what the gateway would have done.
class Recorder final : public WindowSink {
 public:
  void window_began(const WindowStart& start) override {
    if (start.scene != nullptr) {
      scenes.push_back(*start.scene);
    }
    if (on_window) {
      on_window(start.window);
    }
  }
  void links(LinkTable& table) override { tables.push_back(table); }
  void verdicts(std::span<const Verdict> given, std::span<const std::uint64_t> gone) override {
    passed.insert(passed.end(), given.begin(), given.end());
    forgotten.insert(forgotten.end(), gone.begin(), gone.end());
  }
  void expired(std::span<const std::uint64_t> gone) override { verdicts({}, gone); }
  void ended(const std::string& why) override {
    over = true;
    reason = why;
  }
  std::vector<Scene> scenes;
  std::vector<LinkTable> tables;
  std::vector<Verdict> passed;
  std::vector<std::uint64_t> forgotten;
  std::function<void(std::uint64_t)> on_window;
  bool over = false;
  std::string reason;
};

struct Setup {
  SimulatorProtocol protocol = SimulatorProtocol::kNative;
  bool tcp = false;
  dancers::Version dancers = dancers::Version::kV1;  // before 1.0 the coordinator connects
  [[nodiscard]] bool legacy() const { return dancers != dancers::Version::kV1; }
};

std::string setup_name(const testing::TestParamInfo<Setup>& info) {
  const char* names[] = {"Native", "RosNetSim", "Dancers"};
  const char* versions[] = {"", "2025", "2024"};
  return std::string(names[static_cast<int>(info.param.protocol)]) + versions[static_cast<int>(info.param.dancers)] +
         (info.param.tcp ? "Tcp" : "Unix");
}

class RemoteWindows : public testing::TestWithParam<Setup> {
 protected:
  SimOptions sim(SimKind kind) {
    return {.kind = kind,
            .protocol = GetParam().protocol,
            .socket = "unix:" + dir_.file(kind == SimKind::kPhysics ? "phy" : "net"),
            .robots = 3,
            .window = kRemoteWindow,
            .dancers = GetParam().dancers};
  }
  GatewayEnd gateway_end(SimKind kind) {
    GatewayEnd end{.protocol = GetParam().protocol,
                   .robots = {"red", "green", "blue"},
                   .robot_ips = default_robot_ips(3),
                   .step = kRemoteWindow,
                   .extensions = true};
    end.link.link.name = kind == SimKind::kPhysics ? "physics" : "netsim";
    end.link.link.endpoint = Endpoint::parse(sim(kind).socket);
    end.link.link.retry = 5ms;
    end.link.policy = policy_;
    end.link.answer_timeout = timeout_;
    end.dancers = GetParam().dancers;
    return end;
  }
  // Servers listen first, so that TCP ports are known; clients have patience anyway.
  void build(const WindowOptions& options) {
    const bool gateway_listens = GetParam().protocol != SimulatorProtocol::kRosNetSim && !GetParam().legacy();
    GatewayEnd physics_end = gateway_end(SimKind::kPhysics);
    GatewayEnd network_end = gateway_end(SimKind::kNetwork);
    SimOptions physics_sim = sim(SimKind::kPhysics);
    SimOptions network_sim = sim(SimKind::kNetwork);
    if (GetParam().tcp && gateway_listens) {
      physics_end.link.link.endpoint = network_end.link.link.endpoint = Endpoint::parse("tcp:127.0.0.1:0");
    } else if (GetParam().tcp) {
      physics_sim.socket = network_sim.socket = "tcp:127.0.0.1:0";
    }
    const auto note = [this](const ConnectionEvent& event) { events_.push_back(event.text); };
    const auto start_gateway = [&] {
      physics_ = make_remote_physics(io_, physics_end, note);
      network_ = make_remote_network(io_, network_end, note);
      engine_.emplace(options, timer_, *physics_, *network_, packets_, recorder_);
      engine_->start();
    };
    if (gateway_listens) {
      start_gateway();
      if (GetParam().tcp) {
        physics_sim.socket = fmt::format("tcp:127.0.0.1:{}", physics_->local_port());
        network_sim.socket = fmt::format("tcp:127.0.0.1:{}", network_->local_port());
      }
      start_simulators(physics_sim, network_sim);
    } else {
      start_simulators(physics_sim, network_sim);
      if (GetParam().tcp) {
        const auto port = [](const SimulatorServer& wire) {
          return Endpoint::parse(fmt::format("tcp:127.0.0.1:{}", wire.local_port()));
        };
        physics_end.link.link.endpoint = port(physics_server_->server());
        network_end.link.link.endpoint = port(network_server_->server());
      }
      start_gateway();
    }
  }
  void start_simulators(const SimOptions& physics, const SimOptions& network) {
    physics_server_.emplace(io_, simulator_link(physics), simulator_physics_codec(physics), scripted_physics_,
                            physics_faults_, nullptr, [this](const std::string&) { reopen(physics_server_); });
    physics_server_->open();
    network_server_.emplace(io_, simulator_link(network), simulator_network_codec(network), scripted_network_,
                            network_faults_, nullptr, [this](const std::string&) { reopen(network_server_); });
    network_server_->open();
  }
  template <class Server>
  void reopen(std::optional<Server>& server) {
    if (!recorder_.over && server) {
      server->open();
    }
  }
  bool run() {
    return run_until(io_, [this] { return recorder_.over; });
  }

  TempDir dir_;
  asio::io_context io_;
  HostWindowTimer timer_{io_};
  FakePackets packets_;
  Recorder recorder_;
  std::vector<std::string> events_;
  TroublePolicy policy_ = TroublePolicy::kFail;
  Nanoseconds timeout_ = 10s;
  FaultInjection physics_faults_;
  FaultInjection network_faults_;
  ScriptedPhysics scripted_physics_{{.robots = 3, .lap = 1s}};
  ScriptedNetwork scripted_network_{{.robots = 3, .delay = 25ms, .ber = 1e-6}};
  std::unique_ptr<RemoteSimulator<PhysicsCodec>> physics_;
  std::unique_ptr<RemoteSimulator<NetworkCodec>> network_;
  std::optional<WindowEngine> engine_;
  std::optional<ServedSimulator<PhysicsCodec>> physics_server_;
  std::optional<ServedSimulator<NetworkCodec>> network_server_;
};

INSTANTIATE_TEST_SUITE_P(Protocols, RemoteWindows,
                         testing::Values(Setup{SimulatorProtocol::kNative}, Setup{SimulatorProtocol::kNative, true},
                                         Setup{SimulatorProtocol::kRosNetSim},
                                         Setup{SimulatorProtocol::kRosNetSim, true}, Setup{SimulatorProtocol::kDancers},
                                         Setup{SimulatorProtocol::kDancers, true},
                                         Setup{SimulatorProtocol::kDancers, false, dancers::Version::kLegacy},
                                         Setup{SimulatorProtocol::kDancers, false, dancers::Version::kTimed}),
                         setup_name);

// No packets cross DANCERS' wire.
class RemotePackets : public RemoteWindows {};
INSTANTIATE_TEST_SUITE_P(Protocols, RemotePackets,
                         testing::Values(Setup{SimulatorProtocol::kNative}, Setup{SimulatorProtocol::kNative, true},
                                         Setup{SimulatorProtocol::kRosNetSim},
                                         Setup{SimulatorProtocol::kRosNetSim, true}),
                         setup_name);

TEST_P(RemoteWindows, LockstepRunsToItsEndWithScenesFromTheWire) {
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 100});
  ASSERT_TRUE(run());
  EXPECT_EQ(recorder_.reason, "");
  ASSERT_EQ(recorder_.scenes.size(), 99U) << "every window but the first has the scene of the one before";
  // A quarter of a lap of one second is at the end of window 24, so it is seen in window 25.
  const Scene& quarter = recorder_.scenes[24];
  EXPECT_NEAR(quarter.robots[0].position.x, 0, 1e-9);
  EXPECT_NEAR(quarter.robots[0].position.y, 10, 1e-9);
  EXPECT_NEAR(quarter.robots[2].position.y, 30, 1e-9);
  EXPECT_EQ(quarter.at, SimTime{250ms});
  EXPECT_TRUE(quarter.between(RobotIndex{0}, RobotIndex{1}).line_of_sight);
}

TEST_P(RemotePackets, PacketsGetTheirVerdictsOnTime) {
  packets_.capture(0, SimTime{1ms});
  packets_.capture(1, SimTime{2ms});
  packets_.waiting[1].receiver = std::nullopt;
  packets_.waiting[0].src_ip = 0x0A4D0001;
  packets_.waiting[0].dst_ip = 0x0A4D0002;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 10});
  ASSERT_TRUE(run());
  ASSERT_EQ(recorder_.passed.size(), 3U) << "one receiver, then the two others of a broadcast";
  EXPECT_EQ(recorder_.passed[0],
            (Verdict{.packet = 0, .receiver = RobotIndex{1}, .release_at = SimTime{26ms}, .ber = 1e-6}));
  EXPECT_EQ(recorder_.passed[1].receiver, RobotIndex{1});
  EXPECT_EQ(recorder_.passed[2].receiver, RobotIndex{2});
  EXPECT_EQ(recorder_.passed[2].release_at, SimTime{27ms});
  EXPECT_THAT(recorder_.forgotten, testing::ElementsAre(0, 1));
}

TEST_P(RemoteWindows, DecoupledStepsGoOverTheWire) {
  WindowOptions options{.window = kRemoteWindow, .pace = Pace::kLockstep, .physics_step = 5ms, .network_step = 2ms};
  options.windows = 20;
  build(options);
  ASSERT_TRUE(run());
  EXPECT_EQ(recorder_.reason, "");
  EXPECT_EQ(engine_->physics_stats().round_trip.count(), 40U);
  EXPECT_EQ(engine_->network_stats().round_trip.count(), 100U);
}

TEST_P(RemoteWindows, GarbageIsReportedOnceAndSurvivedWhenConfigured) {
  policy_ = TroublePolicy::kResynchronise;
  network_faults_.garbage_at = 3;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 20});
  ASSERT_TRUE(run());
  EXPECT_EQ(recorder_.reason, "");
  EXPECT_EQ(network_->counters().count(LinkEventKind::kFault), 1U);
  EXPECT_THAT(events_,
              Contains(HasSubstr(GetParam().protocol == SimulatorProtocol::kNative ? "bad_message" : "bad_gzip")));
}

TEST_P(RemoteWindows, GarbageFailsTheRunWhenConfigured) {
  physics_faults_.garbage_at = 3;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 20});
  ASSERT_TRUE(run());
  EXPECT_THAT(recorder_.reason, HasSubstr("physics cannot continue: physics: bad_"));
}

TEST_P(RemoteWindows, ASecondAnswerIsNoticed) {
  policy_ = TroublePolicy::kResynchronise;
  network_faults_.twice_at = 3;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 20});
  ASSERT_TRUE(run());
  EXPECT_EQ(recorder_.reason, "");
  const ConnectionCounters& counters = network_->counters();
  const std::uint64_t told = counters.count(LinkEventKind::kUnasked) + counters.count(ProtocolError::kUnexpected);
  if (GetParam().protocol == SimulatorProtocol::kRosNetSim) {
    // As the reference coordinator: the second counts when it comes after the next BEGIN, and so on to the end.
    EXPECT_GE(told + counters.count(ProtocolError::kBadValue), 1U);
  } else {
    EXPECT_EQ(told, 1U);
  }
}

TEST_P(RemoteWindows, RestartedSimulatorIsAskedAgain) {
  policy_ = TroublePolicy::kResynchronise;
  network_faults_.die_at = 5;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 20});
  ASSERT_TRUE(run());
  EXPECT_EQ(recorder_.reason, "");
  EXPECT_EQ(network_->counters().count(LinkEventKind::kConnected), 2U);
  EXPECT_EQ(engine_->network_stats().windows, 20U);
}

TEST_P(RemoteWindows, LostSimulatorFailsTheRunWhenConfigured) {
  network_faults_.die_at = 5;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 20});
  ASSERT_TRUE(run());
  EXPECT_THAT(recorder_.reason, HasSubstr("netsim cannot continue: "));
}

TEST_P(RemoteWindows, ASilentSimulatorDoesNotStopTheRun) {
  policy_ = TroublePolicy::kResynchronise;
  timeout_ = 60ms;
  network_faults_.mute_at = 5;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 20});
  ASSERT_TRUE(run());
  EXPECT_EQ(recorder_.reason, "");
  EXPECT_EQ(network_->counters().count(LinkEventKind::kSilent), 1U);
}

TEST_P(RemoteWindows, SlowSimulatorMissesDeadlinesAndTheRunContinues) {
  network_faults_.slow = 25ms;
  build({.window = kRemoteWindow, .pace = Pace::kWall, .late = LatePolicy::kHoldLast, .windows = 20});
  ASSERT_TRUE(run());
  EXPECT_EQ(recorder_.reason, "");
  EXPECT_GT(engine_->network_stats().missed, 5U);
  EXPECT_GT(engine_->network_stats().late.count(), 2U);
  EXPECT_GT(engine_->network_stats().late.max(), 5ms);
}

TEST_P(RemoteWindows, StoppingWaitsForTheAnswersUnderWay) {
  physics_faults_.slow = network_faults_.slow = 30ms;
  build({.window = kRemoteWindow, .pace = Pace::kWall, .late = LatePolicy::kHoldLast});
  std::uint64_t asked = 0;
  recorder_.on_window = [&](std::uint64_t window) {
    if (window == 5) {
      asked = physics_->counters().frames_out + network_->counters().frames_out;
      engine_->stop("");
    }
  };
  ASSERT_TRUE(run());
  EXPECT_GT(asked, 2U);
  EXPECT_EQ(physics_->counters().frames_in + network_->counters().frames_in, asked) << "each BEGIN has its END";
}

TEST_P(RemotePackets, RunsAreTheSameEveryTime) {
  for (std::uint64_t id = 0; id < 40; ++id) {
    packets_.capture(id, SimTime{std::chrono::milliseconds(id)});
  }
  std::vector<CapturedPacket> again = packets_.waiting;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 30});
  ASSERT_TRUE(run());
  const std::vector<Verdict> first = std::exchange(recorder_.passed, {});
  engine_.reset();
  physics_server_.reset();
  network_server_.reset();
  physics_.reset();
  network_.reset();
  recorder_.over = false;
  packets_.waiting = again;
  build({.window = kRemoteWindow, .pace = Pace::kLockstep, .windows = 30});
  ASSERT_TRUE(run());
  EXPECT_EQ(first.size(), 40U);
  EXPECT_EQ(recorder_.passed, first);
}

}  // namespace
}  // namespace hilgate::test
