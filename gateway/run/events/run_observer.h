// SPDX-License-Identifier: Apache-2.0
// Observers of an active run: records, subscriptions (through them the web page, metrics and `hilgate top`), the
// scenario.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "netsim_link/link_state.h"
#include "netsim_link/verdict.h"

namespace hilgate {

/// A robot has come to an access point, or is in reach of none any more.
struct StationNews {
  std::string robot;
  std::string text;
  std::string from{}, to{};  // access points, of a handover; else empty
  Nanoseconds without{0};    // likewise, the break
};

/// What it has no use for it does not override. Called on the control thread, which must not wait in it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;

  /// A window begins. The configuration may be changed from within.
  virtual void window_began(SimTime /*from*/) {}
  /// A new table, whose delays are in sim time; the packet path does not have it yet.
  virtual void table_made(const LinkTable& /*table*/) {}
  /// The packet path has the table of this instant.
  virtual void table_published(SimTime /*at*/) {}
  virtual void verdicts(std::span<const Verdict> /*verdicts*/) {}
  virtual void station_came(const StationNews& /*news*/) {}
  /// Something happened, of the names in docs/reference/control.md; `fields` say what.
  virtual void happened(std::string_view /*event*/, const nlohmann::ordered_json& /*fields*/) {}
};

/// Notifies each of them, in the order in which they were added.
class RunObservers final : public RunObserver {
 public:
  /// `observer` must outlive the run.
  void add(RunObserver& observer) { observers_.emplace_back(observer); }

  void window_began(SimTime from) override;
  void table_made(const LinkTable& table) override;
  void table_published(SimTime at) override;
  void verdicts(std::span<const Verdict> verdicts) override;
  void station_came(const StationNews& news) override;
  void happened(std::string_view event, const nlohmann::ordered_json& fields) override;

 private:
  std::vector<std::reference_wrapper<RunObserver>> observers_;
};

}  // namespace hilgate
