// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <array>
#include <cstddef>

namespace hilgate::ros2 {

/// Takes what a reader has: take(const Message&, const dds_sample_info_t&) for each, of which only the key holds where
/// the info has no valid data.
template <class Message, class Take>
void take_all(dds_entity_t reader, const Take& take) {
  constexpr std::size_t kAtOnce = 32;
  for (;;) {
    std::array<void*, kAtOnce> samples{};
    std::array<dds_sample_info_t, kAtOnce> infos;
    const dds_return_t taken = dds_take(reader, samples.data(), infos.data(), kAtOnce, kAtOnce);
    if (taken <= 0) {
      return;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(taken); ++i) {
      take(*static_cast<const Message*>(samples[i]), infos[i]);
    }
    dds_return_loan(reader, samples.data(), taken);
  }
}

}  // namespace hilgate::ros2
