// SPDX-License-Identifier: Apache-2.0
// What is written down of a run as the status document has it.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct CaptureStatus {
  std::uint64_t going_on = 0, captured = 0, missed = 0;
  std::optional<std::string> file{};
  std::optional<std::uint64_t> bytes{};
  std::optional<std::string> problem{};
};
template <>
struct StatusTable<CaptureStatus> {
  using S = CaptureStatus;
  static constexpr std::array rows = {
      status_row<&S::going_on>("going_on", "captures that are running; `capture` is absent before the first one"),
      status_row<&S::captured>("captured", "events of frames that were read for captures: arrivals, releases, drops"),
      status_row<&S::missed>("missed", "events that were not, because the capture did not keep up"),
      status_row<&S::file>("file", "file that the configuration's capture writes to"),
      status_row<&S::bytes>("bytes", "what it has written, bytes"),
      status_row<&S::problem>("problem", "why it has ended; absent while it is running")};
};

struct RecorderStatus {
  std::string folder{};
  std::uint64_t bytes = 0, tables = 0, missed = 0;
  std::optional<std::string> problem{};
};
template <>
struct StatusTable<RecorderStatus> {
  using S = RecorderStatus;
  static constexpr std::array rows = {
      status_row<&S::folder>("folder", "folder of the run's record; `record` is absent where nothing is recorded"),
      status_row<&S::bytes>("bytes", "what the record has written, bytes"),
      status_row<&S::tables>("tables", "link tables of these"),
      status_row<&S::missed>("missed", "messages that the record has not, because its disk did not keep up"),
      status_row<&S::problem>("problem", "why the record has ended; absent while it is running")};
};

}  // namespace hilgate
