// SPDX-License-Identifier: Apache-2.0
// A hundred changes a second while robots talk.
#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "tests/fault/reload_fixture.h"
#include "tests/netns/control_connection.h"

namespace hilgate::test {
namespace {

using testing::IsEmpty;

constexpr std::uint64_t kRate = 100;  // changes a second

// HILGATE_CHANGE_SECONDS: 10 in the suite, 60 for docs/reference/faults.md.
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

// What changes 0 to `changes` - 1 leave: a multiple of five.
void expect_values_of(std::uint64_t changes, ControlConnection& connection) {
  const auto value = [&connection](const char* key) {
    return connection.ask({{"command", "get"}, {"keys", {key}}}).at(0).at("value").get<std::string>();
  };
  const auto delay = change_of(changes - 5).front();
  EXPECT_EQ("links.red.blue.delay=" + value("links.red.blue.delay"), delay);
  EXPECT_EQ("window=" + value("window"), change_of(changes - 2).back());
  EXPECT_THROW(value("links.red.blue.rate"), std::runtime_error) << "taken away by the last change";
  EXPECT_EQ(connection.ask({{"command", "status"}}).at("robots").size(), 2U) << "every guest has left";
}

class ManyChanges : public PortsByReload {
 protected:
  /// Has it changed. Where the machine has no processor for the packet loop in time, the gateway says that nothing was
  /// changed, and is asked again, as a program of an operator would.
  void change(ControlConnection& connection, const std::vector<std::string>& values) {
    constexpr int kMostTimes = 100;
    for (int times = 1;; ++times) {
      try {
        connection.ask({{"command", "set"}, {"values", values}});
        return;
      } catch (const std::exception& error) {
        const bool nothing_changed =
            std::string(error.what()).find("the packet loop does not answer; nothing was changed") != std::string::npos;
        if (!nothing_changed || times == kMostTimes) {
          throw;
        }
        ++asked_again_;
      }
    }
  }
  [[nodiscard]] std::size_t asked_again() const { return asked_again_; }
  /// What status has of the ports: where frames were lost that the gateway does not count.
  [[nodiscard]] std::string ports() const {
    return control_request(control_socket(gateway_->run()), {{"command", "status"}}).at("ports").dump();
  }

 private:
  std::size_t asked_again_ = 0;
};

TEST_F(ManyChanges, HundredChangesPerSecondLoseNoFrame) {
  start_with(2);
  const std::uint64_t wanted = seconds() * kRate;
  std::atomic<std::uint64_t> done = 0;
  std::string refused;
  const auto begin = std::chrono::steady_clock::now();
  ControlConnection connection(control_socket(gateway_->run()));
  std::jthread changer([&] {
    for (std::uint64_t i = 0; i < wanted && refused.empty(); ++i) {
      try {
        change(connection, change_of(i));
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
    EXPECT_THAT(lost(arrivals, kFrames), IsEmpty()) << "after change " << done << "; ports: " << ports();
    EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end(),
                               [](const Arrival& a, const Arrival& b) { return a.sequence < b.sequence; }));
    sent += kFrames;
  }
  changer.join();
  EXPECT_EQ(refused, "");
  const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  expect_values_of(wanted, connection);
  const GatewayStatus end = gateway_->status();
  EXPECT_EQ(end.totals("changes"), wanted) << "every change is one";
  EXPECT_EQ(end.totals("dropped_total"), 0U);
  EXPECT_TRUE(end.balanced);
  record({fmt::format("{} changes, 100 a second as far as the machine keeps up (impairments, rates, windows, robots), "
                      "under load",
                      wanted),
          "Each is applied; no frame is lost or overtaken",
          fmt::format("{} changes in {:.1f} s, {} of them asked for again; 0 of {} frames lost", wanted, taken,
                      asked_again(), sent)});
}

}  // namespace
}  // namespace hilgate::test
