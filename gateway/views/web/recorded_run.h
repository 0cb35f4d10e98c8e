// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hilgate {

/// A record as the page shows it.
struct RecordedRun {
  /// As RunHistory::text(), with the part of a status that records contain; `at` is since 1970.
  std::shared_ptr<const std::string> reports;
  /// JSON: name, run, first_ms, last_ms, step_s (of the reports), end (why it is not whole; empty: it is), events
  /// [{at, kind, text}], worlds [{at, world}].
  std::shared_ptr<const std::string> about;
};

/// The world of the run's configuration with these assignments applied, as JSON.
using WorldOf = std::function<std::string(const std::vector<std::string>& assignments)>;

/// What may be kept of a record: reports are a second apart, or 2, 4 ... where they would be more bytes, or so many.
struct RecordRoom {
  std::size_t bytes = std::size_t{48} << 20;
  std::size_t reports = 7200;
  std::size_t events = 2000;  // the last ones
};

/// Reads a record up to its end, also an incomplete one. Throws as read_record(), and std::runtime_error when no second
/// of the run is in it.
RecordedRun read_recorded_run(const std::filesystem::path& record, const WorldOf& world, const RecordRoom& room = {});

}  // namespace hilgate
