// SPDX-License-Identifier: Apache-2.0
// A hundred changes a second while robots talk.
#include <atomic>
#include <cstdlib>

#include "tests/fault/reload_fixture.h"

namespace hilgate::test {
namespace {

using testing::IsEmpty;

constexpr std::uint64_t kRate = 100;  // changes a second

// HILGATE_CHANGE_SECONDS: 10 in the suite, 60 for docs/faults.md.
std::uint64_t seconds() {
  const char* const text = std::getenv("HILGATE_CHANGE_SECONDS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 10;
}

// Impairments, rates, windows, and robots that come and go, each of another name.
std::vector<std::string> change_of(std::uint64_t number) {
  switch (number % 5) {
    case 0:
      return {fmt::format("links.red.blue.delay={}us", 200 + number % 7 * 400)};
    case 1:
      return {fmt::format("links.red.blue.rate={{limit: {} Mbit/s, framing: ethernet}}", 50 + number % 50)};
    case 2:
      return {fmt::format("robots.guest-{}={{port: blue, mac: '02:77:00:00:{:02x}:{:02x}'}}", number,
                          number / 256 % 256, number % 256)};
    case 3:
      return {fmt::format("robots.guest-{}=", number - 1), fmt::format("window={}ms", 1 + number % 3)};
    default:
      return {"links.red.blue.rate=", "links.*.*.duplicate={probability: 0 %, after: 1ms}"};
  }
}

TEST_F(PortsByReload, AHundredChangesASecondLoseNothing) {
  start_with(2);
  const std::uint64_t wanted = seconds() * kRate;
  std::atomic<std::uint64_t> done = 0;
  std::string refused;
  const auto begin = std::chrono::steady_clock::now();
  std::jthread changer([&] {
    for (std::uint64_t i = 0; i < wanted && refused.empty(); ++i) {
      try {
        control_request(control_socket(gateway_->run()), {{"command", "set"}, {"values", change_of(i)}},
                        std::chrono::seconds{30});
      } catch (const std::exception& error) {
        refused = fmt::format("change {}: {}", i, error.what());
      }
      ++done;
      std::this_thread::sleep_until(begin + std::chrono::milliseconds{1000 / kRate} * (i + 1));
    }
  });
  NumberedTraffic traffic(*gateway_);
  std::size_t sent = 0;
  while (done < wanted && refused.empty()) {
    constexpr std::size_t kFrames = 4000;
    const auto arrivals = traffic.to_one({.frames = kFrames, .interval = std::chrono::microseconds{250}});
    EXPECT_THAT(lost(arrivals, kFrames), IsEmpty()) << "after change " << done;
    EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end(),
                               [](const Arrival& a, const Arrival& b) { return a.sequence < b.sequence; }));
    sent += kFrames;
  }
  changer.join();
  EXPECT_EQ(refused, "");
  const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const GatewayStatus end = gateway_->status();
  EXPECT_EQ(end.totals("changes"), wanted) << "every change is one";
  EXPECT_EQ(end.totals("dropped_total"), 0U);
  EXPECT_TRUE(end.balanced);
  record({fmt::format("{} changes, 100 a second as far as the machine keeps up (impairments, rates, windows, robots), "
                      "under load",
                      wanted),
          "Each is applied; no frame is lost or overtaken",
          fmt::format("{} changes in {:.1f} s, 0 of {} frames lost", wanted, taken, sent)});
}

}  // namespace
}  // namespace hilgate::test
