// SPDX-License-Identifier: Apache-2.0
// Configured loss on the real gateway: exact at 0 and 100 %, by statistics between, repeated by the seed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/support/raw_socket.h"
#include "tests/support/statistics.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using testing::IsEmpty;

using LossTest = GatewayTest;

struct Losses {
  std::vector<std::uint64_t> sequences;
  GatewayStatus status;
};

Losses lose(const std::string& percent, std::size_t frames, unsigned seed = 1) {
  const RunningGateway gateway(
      {.yaml = fmt::format("seed: {}\nnetsim: {{type: wire}}\nlinks: [{{from: red, to: blue, loss: {} %}}]\n", seed,
                           percent)});
  NumberedTraffic traffic(gateway);
  const auto arrivals = traffic.to_one({.frames = frames});
  return {lost(arrivals, frames), gateway.status()};
}

TEST_F(LossTest, OfZeroLosesNothing) {
  const Losses losses = lose("0", 1000);
  EXPECT_THAT(losses.sequences, IsEmpty());
  EXPECT_EQ(losses.status.totals("out"), 1000U);
}

TEST_F(LossTest, OfAllLosesAll) {
  const Losses losses = lose("100", 1000);
  EXPECT_EQ(losses.sequences.size(), 1000U);
  EXPECT_EQ(losses.status.dropped("configured_loss"), 1000U);
  EXPECT_EQ(losses.status.totals("out"), 0U);
}

TEST_F(LossTest, OfTenPercentIsBinomial) {
  constexpr std::size_t kFrames = 10'000;
  const Losses losses = lose("10", kFrames);
  EXPECT_GT(binomial_tails(losses.sequences.size(), kFrames, 0.1), 1e-3) << losses.sequences.size();
  EXPECT_EQ(losses.status.dropped("configured_loss"), losses.sequences.size());
  EXPECT_EQ(losses.status.totals("dropped_total"), losses.sequences.size());
}

TEST_F(LossTest, IsTheSameForTheSameSeedOnly) {
  constexpr std::size_t kFrames = 500;
  const auto first = lose("20", kFrames, 42).sequences;
  EXPECT_EQ(lose("20", kFrames, 42).sequences, first);
  EXPECT_NE(lose("20", kFrames, 43).sequences, first);
}

TEST_F(LossTest, OutagesCountFromTheStartOfTheRun) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks:\n"
                                        "  - {from: red, to: blue, outages: [{at: 120s, for: 23h}]}\n"
                                        "  - {from: blue, to: red, outages: [{at: 0s, for: 1h}]}\n"});
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one({.frames = 100}), 100), IsEmpty());
  const RawSocket blue(gateway.robot(1), "eth0");
  blue.send(ethernet({robot_mac(0), robot_mac(1)}, kTrafficEthertype, Bytes(46)));
  EXPECT_EQ(gateway.settled(101).dropped("outage"), 1U);
}

TEST_F(LossTest, OfOneLinkLeavesTheOtherDirectionAlone) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks: [{from: blue, to: red, loss: 100 %}]\n"});
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one({.frames = 300}), 300), IsEmpty());
}

}  // namespace
}  // namespace hilgate::test
