// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"

namespace hilgate {

struct CaptureOptions {
  std::string run;                    // the name of the run; empty: the only one there is
  std::filesystem::path file;         // "-": standard output
  std::uint32_t snaplen = 65535;      // bytes of each frame
  std::vector<std::string> robots;    // of one of these, or all
  std::vector<std::string> links;     // FROM>TO
  std::vector<std::string> reasons;   // dropped for one of these
  std::string filter;                 // an expression of libpcap's; empty: all
  std::uint64_t count = 0;            // packets; 0: no limit
  std::optional<Nanoseconds> length;  // after which it ends
  std::uint64_t ring_megabytes = 0;   // of each file; 0: one file
  std::size_t ring_files = 0;         // that stay; 0: all
};

/// What is wrong with the options themselves: throws std::invalid_argument.
void check_capture(const CaptureOptions& options);

/// `hilgate capture`: writes what a running gateway does with frames to a file, until SIGINT or SIGTERM, the count or
/// the length. Returns the exit status. Throws std::runtime_error with what the gateway has against it.
int capture_command(const CaptureOptions& options);

}  // namespace hilgate
