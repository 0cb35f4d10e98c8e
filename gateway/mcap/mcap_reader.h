// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "clock/time.h"
#include "gateway/mcap/mcap_format.h"

namespace hilgate {

struct McapMessage {
  const McapChannel& channel;
  Nanoseconds at;  // since 1970
  std::string_view data;
};

/// How far a file could be read.
struct McapEnd {
  bool whole = false;        // to the end that its writer gave it
  std::uint64_t offset = 0;  // behind the last whole record, bytes
  std::string why{};         // where it is not whole: what is behind that
};

/// Hands out the messages of a file in their order, to its last whole chunk. Throws std::system_error for a file that
/// cannot be read, std::runtime_error for one that is no MCAP file or is compressed, and whatever `each` throws.
McapEnd read_mcap(const std::filesystem::path& file, const std::function<void(const McapMessage&)>& each);

}  // namespace hilgate
