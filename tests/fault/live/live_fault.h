// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/fault/fault_record.h"
#include "tests/fault/live/bystanders.h"
#include "tests/fault/live/holdings.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {

/// What a fault may cost those who have nothing to do with it.
struct Allowance {
  std::size_t lost = 0;
  std::chrono::milliseconds p99{5000};  // of the delay: nothing hangs. How long it was is recorded
  bool memory = true;                   // whether resident memory is compared
};

/// A gateway under traffic that faults happen to, one after the other: red and blue talk to each other all the time,
/// mallory means harm, green is whom he talks to. Every fault ends with conclude(): the books balance, red and blue
/// lost nothing, and the gateway holds as many descriptors, threads, programs and maps as before.
class LiveFault : public GatewayTest {
 protected:
  static constexpr std::size_t kRed = 0, kBlue = 1, kMallory = 2, kGreen = 3;

  /// Starts the gateway of this suite of tests unless it runs, and then what belongs beside it.
  void start(const GatewaySetup& setup, const std::function<void()>& beside = {});
  /// The gateway of this suite of tests ends: nothing of it stays in the kernel, nor as a namespace.
  static void TearDownTestSuite();

  /// Takes the measures, and begins the traffic.
  void begin();
  /// Ends the traffic, checks all, and records the row.
  void conclude(const FaultRow& row, const Allowance& allowance = {});

  [[nodiscard]] static RunningGateway& gateway() { return *gateway_; }
  [[nodiscard]] static const NetNs& host() { return gateway_->lab().gateway(); }
  [[nodiscard]] static const NetNs& robot(std::size_t n) { return gateway_->robot(n); }
  /// Sends these frames in turn from mallory as quickly as the kernel takes them; how many.
  static std::size_t flood(const std::vector<Bytes>& frames,
                           std::chrono::milliseconds length = std::chrono::milliseconds{400});
  /// How much a count of the status grew since begin().
  [[nodiscard]] std::uint64_t grew(const std::function<std::uint64_t(const GatewayStatus&)>& count) const;
  [[nodiscard]] const GatewayStatus& before() const { return status_before_; }
  [[nodiscard]] std::uint64_t dropped(const std::string& reason) const;
  /// A frame of mallory's reaches green.
  static void expect_mallory_heard();

 private:
  static void expect_settled(const GatewayStatus& status);

  static std::unique_ptr<RunningGateway> gateway_;
  static Noticed quiet_;  // without any fault
  static Holdings at_start_;
  static std::set<std::string> namespaces_;
  Holdings before_;
  GatewayStatus status_before_;
  std::unique_ptr<Bystanders> bystanders_;
};

}  // namespace hilgate::test
