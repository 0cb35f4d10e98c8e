// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/replay/recorded_fates.h"

namespace hilgate {

struct FrameReplayOptions {
  std::filesystem::path record;
  std::filesystem::path capture;   // of the same run, from its beginning; or of another program
  std::filesystem::path output{};  // a capture of what came of it now; empty: none
};

struct FrameReplay {
  RecordedFates before;
  DeliveryLog again;
  bool foreign = false;         // another program wrote the capture: nothing is to be compared
  bool moved = false;           // its times are not those of the record
  std::uint64_t frames = 0;     // that came in
  std::uint64_t of_nobody = 0;  // that were left out, because no robot sent them
  std::uint64_t earlier = 0;    // than the one in front of them in the file
  std::uint64_t tables = 0, rounded = 0, verdicts = 0;
  std::uint64_t elsewhere = 0;  // frames whose fate was drawn in another window than then
  /// What could make it another run, a line for each.
  [[nodiscard]] std::vector<std::string> doubts() const;
};

/// Passes the frames of a capture through the packet path again, with the fates of the recorded run, without ports and
/// clock. `configuration`: the run's. Throws std::runtime_error for an invalid record or capture, or one of another
/// run.
FrameReplay replay_frames(const Configuration& configuration, const FrameReplayOptions& options);

}  // namespace hilgate
