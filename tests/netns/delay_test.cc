// SPDX-License-Identifier: Apache-2.0
// How long frames are under way through the real gateway, against the same gateway without a delay.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

using DelayTest = GatewayTest;

constexpr std::size_t kDelayedFrames = 400;

void expect_in_order(const std::vector<Arrival>& arrivals) {
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end(),
                             [](const Arrival& a, const Arrival& b) { return a.sequence < b.sequence; }));
}

// What robots see includes their own sockets; what the kernel timestamps as it passes a frame on does not.
TEST_F(DelayTest, TimestampsShowHowLongAfterDueFramesLeftOfAPortWithoutLaunchTime) {
  std::string wiring = ports_and_robots({"red", "blue"});
  wiring.insert(wiring.find("}", wiring.find("hg-blue")), ", launch_time: off");
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks: [{from: red, to: blue, delay: 1ms}]\n",
                                .robots = {"red", "blue"},
                                .wiring = wiring});
  NumberedTraffic traffic(gateway);
  const auto arrivals = traffic.to_one({.frames = kDelayedFrames, .interval = 500us});
  const std::uint64_t released = gateway.settled(kDelayedFrames).totals("out");
  const auto status = control_request(control_socket(gateway.run()), {{"command", "status"}});
  const std::string text = run_ok({hilgate_program(), "status", gateway.run()});
  const auto& launch = status["ports"][0]["launch_time"];
  EXPECT_EQ(launch["used"], false);
  EXPECT_EQ(launch["lead_us"].get<double>(), 0);
  EXPECT_EQ(launch["problem"], "not offered by the driver veth");
  EXPECT_EQ(status["ports"][1]["launch_time"]["problem"], "`launch_time: off`");
  EXPECT_THAT(text, testing::HasSubstr("no launch time: not offered by the driver veth"));
  const auto& blue = status["ports"][1]["release_timestamps"];
  if (blue["source"] == "none") {
    GTEST_SKIP() << blue["problem"];
  }
  EXPECT_EQ(blue["source"], "kernel");
  EXPECT_EQ(blue["problem"], "");
  const auto number = [&blue](const char* key) { return blue[key].get<std::uint64_t>(); };
  EXPECT_EQ(number("count"), number("requested")) << "all that were requested have come";
  EXPECT_LE(number("requested"), released);
  EXPECT_GE(number("requested"), (released + 15) / 16) << "one of 16 at least";
  EXPECT_EQ(blue["errors"].back()[1].get<std::uint64_t>(), number("count"));
  EXPECT_EQ(number("early") + number("missing") + number("unusable"), 0U);
  const double most_us = static_cast<double>((delay_quantile(arrivals, 1) - 1ms).count()) / 1e3;
  EXPECT_GT(blue["error_max_us"].get<double>(), 0);
  EXPECT_LE(blue["error_max_us"].get<double>(), most_us + blue["margin_us"].get<double>())
      << "no frame left later than it arrived";
  EXPECT_EQ(status["ports"][0]["release_timestamps"]["count"], 0U);
  const auto& arrivals_at_red = status["ports"][0]["arrival_timestamps"];
  EXPECT_EQ(arrivals_at_red["source"], "kernel");
  EXPECT_EQ(arrivals_at_red["clock"], "the XDP program");
  EXPECT_EQ(arrivals_at_red["problem"], "the port has no PTP hardware clock");
  EXPECT_THAT(text, testing::HasSubstr("arrivals by the XDP program: the port has no PTP hardware clock"));
  EXPECT_THAT(
      text, testing::ContainsRegex("left after due by p50 .* us, p99 .* us .upper bounds., max .* us, 0 early; [0-9]+ "
                                   "timestamps of the kernel"));
}

// Every frame goes to all robots: green hears it by the passthrough, the others by delayed links. What the machine does
// to all is the same; the tolerance is what it does to green: its spread between the 10 % and the 90 % quantile.
TEST_F(DelayTest, AConfiguredDelayIsAddedToThePassthroughAndNeverEarly) {
  constexpr std::array kDelays = {nanoseconds{500us}, nanoseconds{5ms}, nanoseconds{50ms}};
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks:\n  - {from: red, to: half, delay: 0.5ms}\n"
                                        "  - {from: red, to: five, delay: 5ms}\n"
                                        "  - {from: red, to: fifty, delay: 50ms}\n",
                                .robots = {"red", "half", "five", "fifty", "green"}});
  NumberedTraffic traffic(gateway, {1, 2, 3, 4});
  const auto arrivals = traffic.exchange({.frames = kDelayedFrames, .interval = 2ms, .to = kBroadcast});
  for (const auto& of_one : arrivals) {
    ASSERT_EQ(of_one.size(), kDelayedFrames);
    expect_in_order(of_one);
  }
  const auto& baseline = arrivals.back();
  EXPECT_GE(delay_quantile(baseline, 0), 0ns);
  const nanoseconds spread = delay_quantile(baseline, 0.9) - delay_quantile(baseline, 0.1);
  for (std::size_t i = 0; i < kDelays.size(); ++i) {
    const nanoseconds delay = kDelays[i];
    SCOPED_TRACE(delay.count());
    EXPECT_GE(delay_quantile(arrivals[i], 0), delay) << "a frame came early";
    const nanoseconds added = delay_quantile(arrivals[i], 0.5) - delay_quantile(baseline, 0.5);
    EXPECT_NEAR(static_cast<double>(added.count()), static_cast<double>(delay.count()),
                static_cast<double>((100us + spread).count()));
  }
}

}  // namespace
}  // namespace hilgate::test
