// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/record_stream.h"
#include "gateway/replay/offline_path.h"
#include "netsim_link/verdict.h"

namespace hilgate {

/// The verdicts of a recorded run, carried out again in the order of their release times, as in lockstep.
class ReplayedVerdicts {
 public:
  /// `path` must outlive it. Throws as read_record().
  ReplayedVerdicts(const std::filesystem::path& record, OfflinePath& path);

  /// Those that were passed until `at`, since 1970. Throws std::runtime_error for an invalid message.
  void carry_out(Nanoseconds at);
  /// Those that are left, and no others come.
  void end();
  [[nodiscard]] std::uint64_t verdicts() const { return verdicts_; }

 private:
  void take(const RecordStream::Message& message);
  void carry_out(const Verdict& verdict);
  void release_before(SimTime at);
  void forget_before(std::uint64_t packet);

  OfflinePath& path_;
  RecordStream messages_;
  std::multimap<SimTime, Verdict> waiting_;  // for their release
  std::uint64_t verdicts_ = 0;
  std::uint64_t newest_ = 0;     // packet
  std::uint64_t forgotten_ = 0;  // packets in front of this one
};

}  // namespace hilgate
