// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "clock/time.h"

namespace hilgate {

/// What is written down of a run.
struct RecordConfig {
  std::filesystem::path folder;  // in which each run makes one of its own
  Nanoseconds every{0};          // of sim time: between link tables; 0: all of them
};

}  // namespace hilgate
