// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "clock/time.h"

namespace hilgate {

/// A capture that goes on as long as the gateway runs.
struct CaptureConfig {
  std::filesystem::path file;     // without a ring the file, else what its files are called after
  std::uint32_t snaplen = 65535;  // bytes of each frame, [1, 65535]
  std::uint64_t ring_bytes = 0;   // a file that is longer is followed by the next; 0: whatever its length
  Nanoseconds ring_time{0};       // likewise one that is older; 0: whatever its age
  std::size_t ring_files = 0;     // of these the newest stay; 0: all
};

}  // namespace hilgate
