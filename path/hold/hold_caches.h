// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hilgate {

/// How many deliveries fit a processor's second cache. What is said here changes how fast the hold is, and nothing
/// else.
struct HoldCaches {
  std::size_t cold = 1024;       // held: from so many on, what is due is fetched before it is sent
  std::size_t cold_link = 8192;  // held on one link: from so many on, what leaves soon is fetched at each push
  std::uint32_t ahead = 512;     // deliveries that are fetched before they leave, for some iterations of uneven length

  /// Of a cache of `bytes`. A held frame is some five lines: three of its buffer, one of the hold, and what is on its
  /// way in and out.
  static HoldCaches of(std::size_t bytes) {
    constexpr std::size_t kFrame = std::size_t{5} * 64;
    const std::size_t frames = std::max(bytes, std::size_t{128} * 1024) / kFrame;
    return {.cold = frames / 2,
            .cold_link = 5 * frames,
            .ahead = static_cast<std::uint32_t>(std::min<std::size_t>(frames / 3, 1024))};
  }
};

}  // namespace hilgate
