// SPDX-License-Identifier: Apache-2.0
// The control thread's view of the packet path, whatever kind of ports it runs on.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gateway/counters.h"
#include "gateway/link_table_feed.h"
#include "gateway/verdict_rings.h"

namespace hilgate {

/// What a port tells about itself, for people.
struct PortReport {
  std::string name;
  std::string interface;
  std::string driver;               // e.g. "af_xdp"
  std::string mode;                 // e.g. "native, copy"
  std::uint32_t largest_frame = 0;  // bytes without FCS
  /// Frames the port or the kernel lost before the path saw them, and other counts, by name.
  std::vector<std::pair<std::string, std::uint64_t>> counts;
};

/// All calls on the control thread.
class DataPlane {
 public:
  virtual ~DataPlane() = default;
  DataPlane() = default;
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;

  /// Link tables go in here.
  virtual LinkTableFeed& feed() = 0;
  /// Orders for frames that wait for verdicts, and word of them.
  virtual VerdictRings& verdicts() = 0;
  /// Starts the loop. The feed must have been given its first table.
  virtual void start() = 0;
  /// Stops the loop; what is held is dropped as kShutdown. Idempotent.
  virtual void stop() = 0;
  /// Totals as they were at the end of one turn of the loop; nothing when the loop did not answer within `patience`.
  virtual std::optional<PathTotals> snapshot(std::chrono::milliseconds patience) = 0;
  /// Turns the loop has made: stands still when the loop does.
  [[nodiscard]] virtual std::uint64_t heartbeat() const = 0;
  /// By LinkId.
  [[nodiscard]] virtual const std::vector<LinkCounters>& links() const = 0;
  [[nodiscard]] virtual std::vector<PortReport> ports() const = 0;
  /// Memory reserved for frames and tables, bytes.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace hilgate
