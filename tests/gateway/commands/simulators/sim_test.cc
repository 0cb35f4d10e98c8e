// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/simulators/sim.h"

#include <gtest/gtest.h>

#include "bench/bench_windows.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string complaint(const SimOptions& options) {
  try {
    (void)sim_command(options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(Sim, KnowsItsProtocols) {
  EXPECT_EQ(parse_protocol("dancers"), SimulatorProtocol::kDancers);
  try {
    (void)parse_protocol("carrier-pigeon");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "unknown protocol 'carrier-pigeon'; allowed: native, rosnetsim, dancers");
  }
}

TEST(Sim, RefusesNumbersThatCannotBe) {
  EXPECT_EQ(complaint({.loss = 1.5}), "loss is 1.5; allowed: a probability in [0, 1]");
  EXPECT_EQ(complaint({.ber = 1}), "bit error rate is 1; allowed: [0, 1)");
  EXPECT_EQ(complaint({.delay = -1ns}), "delay is -1 ns; it must not be negative");
  EXPECT_EQ(complaint({.protocol = SimulatorProtocol::kRosNetSim, .socket = "unix:/tmp/x", .ips = {"10.0.0"}}),
            "'10.0.0' is not an IPv4 address; example: 10.77.0.1");
}

TEST(Sim, FindsItsGatewayByTheNameOfTheRun) {
  unsetenv("XDG_RUNTIME_DIR");
  const LinkOptions ros =
      simulator_link({.kind = SimKind::kPhysics, .protocol = SimulatorProtocol::kRosNetSim, .run = "lab"});
  EXPECT_EQ(ros.endpoint.text(), "unix:/run/hilgate/lab/physics.sock");
  EXPECT_EQ(ros.role, ConnectionRole::kListen);
  const LinkOptions dancers =
      simulator_link({.kind = SimKind::kPhysics, .protocol = SimulatorProtocol::kDancers, .run = "lab"});
  EXPECT_EQ(dancers.endpoint.text(), "unix:/run/hilgate/lab/physics.sock") << "the same path";
  EXPECT_EQ(dancers.role, ConnectionRole::kConnect) << "the opposite role";
}

// The simulators run as processes of their own here, from start to goodbye.
TEST(BenchWindows, RunsEveryProtocolInEveryPhase) {
  for (const SimulatorProtocol protocol :
       {SimulatorProtocol::kNative, SimulatorProtocol::kRosNetSim, SimulatorProtocol::kDancers}) {
    const BenchWindowsResult result =
        bench_windows({.protocol = protocol, .robots = 3, .packets = 1, .window = 5ms, .duration = 500ms});
    EXPECT_GT(result.windows, 10U);
    EXPECT_GT(result.windows_per_s, 0);
    EXPECT_GT(result.round_trip_p50, 0ns);
    EXPECT_GE(result.round_trip_p99, result.round_trip_p50);
  }
  EXPECT_THROW(bench_windows({.robots = 1}), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
