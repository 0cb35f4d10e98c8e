// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>

namespace hilgate {

/// Bytes of a processor's second cache, as the kernel says; 512 KiB where it does not.
inline std::size_t second_cache_bytes() {
  const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{512} << 10;
}

}  // namespace hilgate
