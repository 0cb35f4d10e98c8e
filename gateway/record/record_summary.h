// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "clock/time.h"
#include "host/mcap/mcap_reader.h"

namespace hilgate {

/// What a record is of, and how far it goes.
struct RecordSummary {
  nlohmann::ordered_json run;     // its message /run; null when absent
  Nanoseconds first{0}, last{0};  // times of its messages, since 1970
  std::uint64_t tables = 0, verdicts = 0, changes = 0, lines = 0, missed = 0;
  nlohmann::ordered_json totals;  // the last
  McapEnd end;

  /// Throws as read_record().
  static RecordSummary of(const std::filesystem::path& record);
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// "not ended: 12345 bytes can be read, behind which ..."; empty when it is whole.
  [[nodiscard]] std::string end_text() const;
};

}  // namespace hilgate
