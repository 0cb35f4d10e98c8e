// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/live/live_fault.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <algorithm>

#include <csignal>

#include "tests/support/eventually.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kQuietFrames = 200;  // of the other pair

}  // namespace

std::unique_ptr<RunningGateway> LiveFault::gateway_;
Noticed LiveFault::quiet_;
Holdings LiveFault::at_start_;
std::set<std::string> LiveFault::namespaces_;

void LiveFault::start(const GatewaySetup& setup, const std::function<void()>& beside) {
  if (gateway_) {
    return;
  }
  namespaces_ = network_namespaces();
  gateway_ = std::make_unique<RunningGateway>(setup);
  if (beside) {
    beside();
  }
  Bystanders bystanders(*gateway_);
  EXPECT_TRUE(eventually([&] { return bystanders.sent() >= kQuietFrames; }));
  quiet_ = bystanders.finish();
  at_start_ = Holdings::of(gateway_->process().pid());
}

void LiveFault::TearDownTestSuite() {
  if (!gateway_) {
    return;
  }
  const Holdings held = Holdings::of(gateway_->process().pid());
  gateway_->process().stop(SIGTERM);
  EXPECT_EQ(host().start({hilgate_program(), "detach", gateway_->run()})->wait(10s), 0);
  gateway_.reset();
  EXPECT_TRUE(eventually([&held] { return alive_in_kernel(held).empty(); }, 5s))
      << testing::PrintToString(alive_in_kernel(held)) << " stay in the kernel";
  // Those of an earlier suite's lab may have been removed meanwhile.
  EXPECT_TRUE(std::ranges::includes(namespaces_, network_namespaces()))
      << testing::PrintToString(network_namespaces()) << " stay, and at the start there were "
      << testing::PrintToString(namespaces_);
}

void LiveFault::begin() {
  before_ = Holdings::of(gateway_->process().pid());
  status_before_ = gateway_->status();
  bystanders_ = std::make_unique<Bystanders>(*gateway_);
}

void LiveFault::expect_settled(const GatewayStatus& status) {
  EXPECT_TRUE(status.balanced);
  EXPECT_EQ(status.totals("in") + status.totals("injected"),
            status.totals("out") + status.totals("dropped_total") + status.totals("held"));
  std::uint64_t by_reason = 0;
  for (const auto& [reason, count] : status.dropped) {
    by_reason += count;
  }
  EXPECT_EQ(by_reason, status.totals("dropped_total"));
}

void LiveFault::conclude(const FaultRow& row, const Allowance& allowance) {
  ASSERT_TRUE(bystanders_) << "begin() comes first";
  const Noticed noticed = bystanders_->finish();
  EXPECT_LE(noticed.lost, allowance.lost) << "of " << noticed.sent << " frames of the other pair";
  EXPECT_LE(noticed.p99, allowance.p99) << "delay of the other pair";
  expect_settled(gateway_->settled(0));
  const auto now = [] { return Holdings::of(gateway_->process().pid()); };
  EXPECT_TRUE(eventually([&] { return now().descriptors <= before_.descriptors; }, 3s))
      << now().descriptors << " descriptors, " << before_.descriptors << " before";
  EXPECT_EQ(now().threads, before_.threads);
  EXPECT_EQ(now().programs, before_.programs);
  EXPECT_EQ(now().maps, before_.maps);
  if (allowance.memory) {
    EXPECT_LE(now().resident_kib, before_.resident_kib + kib_of_slack());
  }
  record({row.fault, row.promise,
          fmt::format("{}; other pair: {} of {} lost, delay p99 {} (quiet: {})", row.measured, noticed.lost,
                      noticed.sent, text_of(noticed.p99), text_of(quiet_.p99))});
}

std::size_t LiveFault::flood(const std::vector<Bytes>& frames, std::chrono::milliseconds length) {
  const RawSocket mallory(robot(kMallory), "eth0");
  std::size_t sent = 0;
  for (const auto end = std::chrono::steady_clock::now() + length; std::chrono::steady_clock::now() < end;) {
    try {
      mallory.send(frames[sent % frames.size()]);
      ++sent;
    } catch (const std::system_error&) {
      std::this_thread::sleep_for(1ms);  // the kernel takes no more at the moment
    }
  }
  return sent;
}

std::uint64_t LiveFault::grew(const std::function<std::uint64_t(const GatewayStatus&)>& count) const {
  return count(gateway_->status()) - count(status_before_);
}

std::uint64_t LiveFault::dropped(const std::string& reason) const {
  return grew([&reason](const GatewayStatus& status) { return status.dropped(reason); });
}

void LiveFault::expect_mallory_heard() {
  const RawSocket mallory(robot(kMallory), "eth0");
  const RawSocket green(robot(kGreen), "eth0");
  const Bytes frame = ethernet({robot_mac(kGreen), robot_mac(kMallory)}, 0x9999, counting(60));
  const auto is_heard = [&] {
    mallory.send(frame);  // again where the kernel had no room: the gateway may not be through a flood yet
    while (const auto received = green.receive(100ms)) {
      if (*received == frame) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(eventually(is_heard, 5s)) << "mallory is not heard any more";
}

}  // namespace hilgate::test
