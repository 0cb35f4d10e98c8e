// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "clock/host_now.h"
#include "clock/ptp/grandmaster_port.h"
#include "clock/servo/sim_clock.h"
#include "tests/clock/ptp_lab.h"

namespace hilgate::test {

/// A hilgate grandmaster on a side of the lab, on a loop and a thread of its own, serving sim time plus an epoch.
class ServedTime {
 public:
  ServedTime(const PtpLab& lab, PtpLab::Side side, PtpTransportKind kind, GrandmasterOptions options, double factor,
             std::chrono::seconds epoch)
      : sim_(WallLine{}, host_now(), SimTime{}, factor), epoch_(epoch) {
    options.log_announce_interval = -2;
    const InNetNs there = lab.side(side).enter();
    port_ = std::make_unique<GrandmasterPort>(
        loop_, open_ptp_transport(kind, side == PtpLab::Side::kA ? "va" : "vb"), options,
        [this](HostTime host) { return at(host); }, events_);
    thread_ = std::thread{[this] { loop_.run(); }};
  }
  ~ServedTime() {
    loop_.stop();
    thread_.join();
  }
  ServedTime(const ServedTime&) = delete;
  ServedTime& operator=(const ServedTime&) = delete;

  [[nodiscard]] PtpTime at(HostTime host) const { return PtpTime{epoch_ + sim_.lines().at(host).time_since_epoch()}; }
  SimClock& sim() { return sim_; }

  /// Runs `look` on the loop's thread.
  template <class Look>
  auto ask(Look look) {
    std::packaged_task<decltype(look(*port_))()> task{[&] { return look(*port_); }};
    auto result = task.get_future();
    asio::post(loop_, [&] { task(); });
    return result.get();
  }
  GrandmasterCounters counters() {
    return ask([](const GrandmasterPort& port) { return port.master().counters(); });
  }
  PtpPortState state() {
    return ask([](const GrandmasterPort& port) { return port.master().state(); });
  }
  std::uint64_t count(ClockEventKind kind) {
    return ask([&](const GrandmasterPort&) { return events_.count(kind); });
  }

 private:
  SimClock sim_;
  std::chrono::seconds epoch_;
  ClockEvents events_;
  asio::io_context loop_;
  asio::executor_work_guard<asio::io_context::executor_type> stay_{loop_.get_executor()};
  std::unique_ptr<GrandmasterPort> port_;
  std::thread thread_;
};

}  // namespace hilgate::test
