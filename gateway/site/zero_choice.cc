// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/zero_choice.h"

#include <algorithm>

namespace hilgate {
// While this gateway has no zero itself, it cannot know whether the peer's is the same.
std::optional<WallTime> zero_at(const PeerReport& peer) {
  const bool is_alike = peer.state == PeerState::kHere || peer.state == PeerState::kOtherZero ||
                        (peer.state == PeerState::kBeginning && peer.clock_offset);
  return is_alike ? peer.zero : std::nullopt;
}

std::vector<WallTime> zeros_of(const SiteReport& site) {
  std::vector<WallTime> zeros;
  for (const SiteReport::Peer& peer : site.peers) {
    if (const auto zero = zero_at(peer.report)) {
      zeros.push_back(*zero);
    }
  }
  return zeros;
}

std::optional<WallTime> ZeroChoice::of_most(std::vector<WallTime> zeros) const {
  std::ranges::sort(zeros);
  std::optional<WallTime> best;
  std::ptrdiff_t most = 0;
  for (auto first = zeros.begin(); first != zeros.end();) {
    const auto end = std::find_if_not(first, zeros.end(), [&](WallTime zero) { return same(*first, zero); });
    if (end - first > most) {
      most = end - first;
      best = *first;
    }
    first = end;
  }
  return best;
}

void ZeroChoice::look(HostTime now, std::optional<WallTime> own, std::vector<WallTime> said) {
  wanted_.reset();
  if (!own) {
    told_ = kept_ = best_ = std::nullopt;
    since_.reset();
    return;
  }
  kept_ = kept_.value_or(*own);
  const bool was_stepped = !same(*own, *kept_);
  if (!was_stepped) {
    said.push_back(*own);
  }
  const std::optional<WallTime> best = of_most(std::move(said));
  told_ = was_stepped ? std::nullopt : own;
  if (best && same(*best, *own)) {
    kept_ = told_ = own;
    since_.reset();
  } else if (is_settled(now, best)) {
    wanted_ = best;
    if (!best) {
      kept_ = told_ = own;
    }
  }
}

bool ZeroChoice::is_settled(HostTime now, std::optional<WallTime> best) {
  const bool is_as_before = since_ && best.has_value() == best_.has_value() && (!best || same(*best, *best_));
  if (!is_as_before) {
    best_ = best;
    since_ = now;
  }
  return now - *since_ >= kSettle;
}

}  // namespace hilgate
