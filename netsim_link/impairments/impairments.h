// SPDX-License-Identifier: Apache-2.0
// Everything that configuration may do to a link's frames beside the air itself. Each model says when it does nothing.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "netsim_link/impairments/duplication.h"
#include "netsim_link/impairments/jitter.h"
#include "netsim_link/impairments/loss_model.h"
#include "netsim_link/impairments/outage.h"
#include "netsim_link/impairments/rate_limit.h"
#include "netsim_link/impairments/reordering.h"

namespace hilgate {

struct Impairments {
  std::vector<Outage> outages{};
  std::optional<RateLimit> rate{};
  std::optional<LossModel> loss{};
  std::optional<Jitter> jitter{};
  std::optional<Reordering> reordering{};
  std::optional<Duplication> duplication{};
};

/// The order in which a frame meets them, with what the link itself does in between. Shown by `hilgate status`.
inline constexpr std::array<std::string_view, 9> kImpairmentOrder = {
    "outage", "medium", "rate and queue", "loss", "bit errors", "delay", "jitter", "reordering", "duplication"};

/// What one link remembers of its impairments. Plain data.
struct ImpairmentState {
  LossState loss;
  JitterState jitter;
};

}  // namespace hilgate
