// SPDX-License-Identifier: Apache-2.0
// Everything that configuration may do to a link's frames in addition to the air itself. Each model documents when it
// does nothing; netsim_link/impairments/impaired_frame.h defines what a model is.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "netsim_link/impairments/delay_models.h"
#include "netsim_link/impairments/link_limits.h"
#include "netsim_link/impairments/loss_models.h"
#include "netsim_link/impairments/periodic_loss.h"

namespace hilgate {

/// The table of impairments in the order in which a frame meets them, with what the link itself does in between.
///   member of Impairments, model, name in `impairment_order` of `hilgate status`
#define HILGATE_IMPAIRMENTS(MODEL, LINK)      \
  MODEL(outages, Outages, "outage")           \
  LINK("medium")                              \
  MODEL(rate, RateLimit, "rate and queue")    \
  MODEL(trace, TracePlayback, "trace")        \
  MODEL(every, PeriodicLoss, "every n-th")    \
  MODEL(loss, LossModel, "loss")              \
  LINK("bit errors")                          \
  LINK("delay")                               \
  MODEL(jitter, Jitter, "jitter")             \
  MODEL(reordering, Reordering, "reordering") \
  MODEL(duplication, Duplication, "duplication")

struct FlowRules;

#define HILGATE_NOTHING(name)
struct Impairments {
#define HILGATE_MEMBER(member, Model, name) std::optional<Model> member{};  // NOLINT: Model is a type
  HILGATE_IMPAIRMENTS(HILGATE_MEMBER, HILGATE_NOTHING)
#undef HILGATE_MEMBER
  std::shared_ptr<const FlowRules> flows{};  // of some frames (flow_rules.h); null: none
};

/// What one link remembers of its impairments. Plain data.
struct ImpairmentState {
#define HILGATE_STATE(member, Model, name) Model::State member;
  HILGATE_IMPAIRMENTS(HILGATE_STATE, HILGATE_NOTHING)
#undef HILGATE_STATE
};

/// Calls visit(of one, of other, ...) for every row of the table, with its member of each: of Impairments, or of
/// ImpairmentState.
template <class Visit, class... Members>
void for_each_impairment(Visit&& visit, Members&... of) {
#define HILGATE_VISIT(member, Model, name) visit(of.member...);
  HILGATE_IMPAIRMENTS(HILGATE_VISIT, HILGATE_NOTHING)
#undef HILGATE_VISIT
}

/// Of a model, as in the table.
template <class Model>
inline constexpr std::string_view kImpairmentName{};
#define HILGATE_NAME(member, Model, name) \
  template <>                             \
  inline constexpr std::string_view kImpairmentName<Model>{name};
HILGATE_IMPAIRMENTS(HILGATE_NAME, HILGATE_NOTHING)
#undef HILGATE_NAME
#undef HILGATE_NOTHING

/// Shown by `hilgate status`.
#define HILGATE_MODEL_NAME(member, Model, name) std::string_view{name},
#define HILGATE_LINK_NAME(name) std::string_view{name},
inline constexpr std::array kImpairmentOrder{HILGATE_IMPAIRMENTS(HILGATE_MODEL_NAME, HILGATE_LINK_NAME)};
#undef HILGATE_MODEL_NAME
#undef HILGATE_LINK_NAME
#undef HILGATE_IMPAIRMENTS

/// Reads the keys of an item of `links`; values whose key is not there stay empty.
Impairments read_impairments(YamlReader& link);
/// The keys that are read.
std::vector<std::string_view> impairment_keys();
/// Takes over what `change` has.
void lay_over(const Impairments& change, Impairments& impairments);
/// Nothing that a frame could meet.
bool idle(const Impairments& impairments);
/// Names of those that go by the host's clock, whatever the pace.
std::vector<std::string_view> timed_by_host(const Impairments& impairments);

/// Of the models without that of rules for some frames: impaired_frame.h has what each of them reports.
double mean_loss(const Impairments& impairments);
Nanoseconds mean_delay(const Impairments& impairments);
Nanoseconds memory_delay(const Impairments& impairments);

/// Of a frame in front of its bit errors: why it is lost. Allocates nothing.
std::optional<DropReason> draw_loss(const Impairments& impairments, const ImpairedFrame& frame, ImpairmentState& state,
                                    FrameRandom& random);
/// Of a frame that arrives. Allocates nothing.
ImpairedTiming draw_timing(const Impairments& impairments, const ImpairedFrame& frame, ImpairmentState& state,
                           FrameRandom& random);

}  // namespace hilgate
