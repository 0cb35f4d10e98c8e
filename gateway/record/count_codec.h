// SPDX-License-Identifier: Apache-2.0
// Messages of what links count: of each only those links and counters that differ from the message before.
//
//   1 for a whole message or 0; of a whole one the number of links and of drop reasons
//   number of links that differ; of each: slots since the one before (the first: its slot + 1), a number with a bit
//   for each counter that differs (LinkCountsRow's order), then for each of these the difference (signed)
//
// All are varints but the byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frame/counters.h"

namespace hilgate {

/// Counters of a link in the order of records: those by name here, then drops by reason.
inline constexpr std::array<std::string_view, 7> kCounterNames = {"in",         "released", "bytes_released", "damaged",
                                                                  "duplicated", "marked",   "failed_tries"};
using LinkCountsRow = std::vector<std::uint64_t>;

class CountEncoder {
 public:
  void restart() { whole_ = true; }
  /// `counts` returns the counters of the link at an index.
  [[nodiscard]] std::string encode(std::size_t links, const std::function<LinkCounts(std::size_t)>& counts);

 private:
  bool whole_ = true;
  std::vector<std::array<std::uint64_t, kCounterNames.size() + kDropReasons>> before_;
};

class CountDecoder {
 public:
  /// What all links count after the message. Throws std::runtime_error for a message that cannot be one.
  const std::vector<LinkCountsRow>& decode(std::string_view message);
  /// The links that the last message had.
  [[nodiscard]] const std::vector<std::size_t>& changed() const { return changed_; }

 private:
  std::vector<LinkCountsRow> rows_;
  std::vector<std::size_t> changed_;
};

}  // namespace hilgate
