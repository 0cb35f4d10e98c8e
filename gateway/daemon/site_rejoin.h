// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/site/zero_choice.h"
#include "host/background_work.h"
#include "path/site_report.h"

namespace hilgate {

/// Restarts the simulation of a gateway that began apart from the others' as theirs, by ZeroChoice. The windows since
/// their beginning are computed meanwhile, while the run continues for its own robots. Control thread.
class SiteRejoin {
 public:
  /// What it needs of the run.
  struct Run {
    std::function<std::optional<WallTime>()> zero;  // when its simulation time was 0; nothing before it begins
    std::function<WallTime()> wall;                 // now; any thread
    std::function<SiteReport()> report;
    std::function<void(std::optional<WallTime>)> tell;  // the other gateways, as its zero
    std::function<Simulation()> simulation;             // that has seen no window; throws std::exception
    std::function<bool()> may_begin;                    // nothing is under way that goes by windows of now
    std::function<void(Simulation, const RunBegin&)> begin_anew;
    BackgroundWork background;
  };

  /// `zero_within` as in SiteTerms.
  SiteRejoin(asio::io_context& context, const Configuration& configuration, Nanoseconds zero_within, Run run);
  ~SiteRejoin();
  SiteRejoin(const SiteRejoin&) = delete;
  SiteRejoin& operator=(const SiteRejoin&) = delete;

  /// To be called each 100 ms.
  void look();
  /// The configuration is another: what has been computed by the last one is of no use.
  void changed() { give_up(); }
  /// How many windows are computed; nothing: no restart is in progress.
  [[nodiscard]] std::optional<SiteRejoining> rejoining() const;
  /// How often it has begun anew.
  [[nodiscard]] std::uint64_t times() const { return times_; }

 private:
  struct Past;

  void begin(WallTime zero, const SiteReport& report);
  void give_up();
  /// In addition to the control thread.
  void compute(Past& past, const std::stop_token& stop) const;
  void take(const std::shared_ptr<Past>& past);

  asio::io_context& context_;
  const Configuration& configuration_;
  Run run_;
  ZeroChoice choice_;
  std::shared_ptr<Past> past_;  // null: nothing is computed
  std::uint64_t times_ = 0;
};

}  // namespace hilgate
