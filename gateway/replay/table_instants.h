// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "clock/time.h"

namespace hilgate {

/// When a packet loop took up the link table of each window: a moment after it was written, and so that the fate of
/// each frame was drawn in the window that the capture has. Learns that from replays in which it was another one.
class TableInstants {
 public:
  /// `window_of`: by frame.packet_id; must outlive it.
  explicit TableInstants(const std::unordered_map<std::uint64_t, std::uint64_t>& window_of) : window_of_(window_of) {}

  /// Another replay begins.
  void restart() {
    ids_.clear();
    wrong_ = 0;
  }
  /// `packet`, as the replay calls it, is this one of the capture.
  void note_arrival(std::uint64_t packet, std::uint64_t id) { ids_[packet] = id; }
  /// Its fate was drawn now in the replay. Of a frame with several fates the first counts.
  void note_fate(std::uint64_t packet, std::uint64_t window, HostTime at) {
    const auto id = ids_.find(packet);
    const auto known = id == ids_.end() ? window_of_.end() : window_of_.find(id->second);
    if (known == window_of_.end()) {
      return;
    }
    ids_.erase(id);
    const std::uint64_t recorded = known->second;
    wrong_ += window == recorded ? 0 : 1;
    if (window < recorded) {
      note_latest(recorded, at);
    } else if (window > recorded) {
      note_earliest(recorded + 1, at + Nanoseconds{1});
    }
  }
  /// Tables are taken up in their order.
  [[nodiscard]] HostTime taken(std::uint64_t window, HostTime written) const {
    const auto above = earliest_.upper_bound(window);
    const HostTime earliest = above == earliest_.begin() ? HostTime::min() : std::prev(above)->second;
    const auto behind = latest_.lower_bound(window);
    return std::min(std::max(written, earliest), behind == latest_.end() ? HostTime::max() : behind->second);
  }
  /// Frames whose fates were drawn in other windows, since restart().
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  // Of windows from this one on. The instants rise with the windows.
  void note_earliest(std::uint64_t window, HostTime at) {
    const auto above = earliest_.upper_bound(window);
    if (above == earliest_.begin() || std::prev(above)->second < at) {
      auto kept = earliest_.insert_or_assign(window, at).first;
      for (++kept; kept != earliest_.end() && kept->second <= at;) {
        kept = earliest_.erase(kept);
      }
    }
  }
  // Of windows up to this one. Likewise.
  void note_latest(std::uint64_t window, HostTime at) {
    const auto behind = latest_.lower_bound(window);
    if (behind == latest_.end() || behind->second > at) {
      auto kept = latest_.insert_or_assign(window, at).first;
      while (kept != latest_.begin() && std::prev(kept)->second >= at) {
        latest_.erase(std::prev(kept));
      }
    }
  }

  const std::unordered_map<std::uint64_t, std::uint64_t>& window_of_;
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;  // by packet of the replay: without a fate
  std::map<std::uint64_t, HostTime> earliest_, latest_;   // by window
  std::uint64_t wrong_ = 0;
};

}  // namespace hilgate
