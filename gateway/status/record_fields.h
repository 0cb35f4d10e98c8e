// SPDX-License-Identifier: Apache-2.0
// Further keys of the status document: what is written down of a run.
#pragma once

#include "gateway/status/status_fields.h"

namespace hilgate {

inline constexpr auto kRecordFields = std::to_array<StatusField>({
    {"capture.going_on", "captures that go on; `capture` is absent as long as there was none"},
    {"capture.captured", "events of frames that were read for captures: arrivals, releases, drops"},
    {"capture.missed", "events that were not, because the capture did not keep up"},
    {"capture.file", "file that the configuration's capture writes to"},
    {"capture.bytes", "what it has written, bytes"},
    {"capture.problem", "why it has ended; absent while it goes on"},
    {"record.folder", "folder of the run's record; `record` is absent where nothing is recorded"},
    {"record.bytes", "what the record has written, bytes"},
    {"record.tables", "link tables of these"},
    {"record.missed", "messages that the record has not, because its disk did not keep up"},
    {"record.problem", "why the record has ended; absent while it goes on"},
});

}  // namespace hilgate
