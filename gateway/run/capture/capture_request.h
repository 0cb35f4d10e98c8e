// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "frame/drop_reason.h"
#include "gateway/run/capture/capture_names.h"

namespace hilgate {

/// What somebody wants of a capture.
struct CaptureRequest {
  static constexpr std::uint32_t kWhole = 65535;

  std::uint32_t snaplen = kWhole;                            // bytes of each frame
  std::uint64_t count = 0;                                   // packets, then it ends; 0: no limit
  std::vector<std::string> robots{};                         // of one of these, or all
  std::vector<std::pair<std::string, std::string>> links{};  // on one of these, or all
  std::vector<DropReason> reasons{};                         // dropped for one of these; none: whatever became of it
  std::vector<bpf_insn> program{};                           // that accepts its bytes; none: all

  /// Of a control request; see docs/captures.md. Throws std::runtime_error with what is wrong with it.
  static CaptureRequest of(const nlohmann::json& request, const CaptureNames& names);
};

}  // namespace hilgate
