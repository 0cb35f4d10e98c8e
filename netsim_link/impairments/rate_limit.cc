// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/rate_limit.h"

#include "config/range.h"

namespace hilgate {

std::optional<RateLimit> RateLimit::read(YamlReader& link) {
  constexpr Range<BitsPerSecond> kRate{{1}, {1e12}, "1 bit/s to 1 Tbit/s"};
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  auto rate = link.optional_child(kKey);
  if (!rate) {
    return std::nullopt;
  }
  if (!rate->is_map()) {
    return RateLimit{.bits_per_second = read_within(link, kKey, kRate).value_or(BitsPerSecond{1}).value};
  }
  RateLimit limit{.bits_per_second = require_within(*rate, "limit", kRate).value_or(BitsPerSecond{1}).value};
  limit.ethernet_framing = rate->choice<bool>("framing", {{"none", false}, {"ethernet", true}}, false);
  limit.drop_head = rate->choice<bool>("drop", {{"tail", false}, {"head", true}}, false);
  if (auto queue = rate->optional_child("queue")) {
    limit.queue_frames = read_within(*queue, "frames", kFrames).value_or(limit.queue_frames);
    limit.queue_bytes = queue->optional<Bytes>("bytes", Bytes{0}).value;
  }
  return limit;
}

}  // namespace hilgate
