// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "clock/time.h"
#include "config/units.h"
#include "frame/drop_reason.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// Good and bad take turns for exponentially distributed times, whatever the traffic: a frame repeated a millisecond
/// later meets the same state. Always good when `bad` is 0.
struct TimedStates {
  Nanoseconds good{1};  // mean time of a stay, above 0
  Nanoseconds bad{0};

  struct State {
    bool begun = false;
    bool bad = false;
    HostTime until{};          // of this stay
    std::uint64_t dwells = 0;  // drawn so far
  };
  /// Of the time, 0 to 1.
  [[nodiscard]] double share_bad() const {
    return static_cast<double>(bad.count()) / static_cast<double>((good + bad).count());
  }
  /// Whether the link is bad as the frame arrives. Times come from the link's own stream of dwells.
  [[nodiscard]] bool bad_at(const ImpairedFrame& frame, State& state) const;
};

class YamlReader;

/// Every frame is lost with the same probability, whatever became of the others. Does nothing at 0.
struct IndependentLoss {
  static constexpr std::string_view kName = "independent";

  double probability = 0;  // [0, 1]

  struct State {};
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& /*state*/, FrameRandom& random) const {
    return probability > 0 && random.uniform() <= probability;
  }
  [[nodiscard]] double mean_loss() const { return probability; }
};

/// Bursts of lost frames: in front of every frame outside one, a burst begins with `probability`, and takes `least` to
/// `most` frames, every length equally likely. Origin: the burst drop of hardware emulators (Chimera, Apposite; peers,
/// notes). The share lost is p L / (1 - p + p L) for the mean length L. Does nothing at probability 0.
struct BurstLoss {
  static constexpr std::string_view kName = "burst";

  double probability = 0;   // [0, 1]
  std::uint32_t least = 1;  // frames, at least 1
  std::uint32_t most = 1;   // not below `least`

  struct State {
    std::uint32_t left = 0;  // of the burst, frames
  };
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& state, FrameRandom& random) const {
    if (state.left == 0) {
      if (probability <= 0 || random.uniform() > probability) {
        return false;
      }
      state.left = least + static_cast<std::uint32_t>(random.below(most - least + 1ULL));
    }
    --state.left;
    return true;
  }
  [[nodiscard]] double mean_loss() const {
    const double lost = probability * (least + static_cast<double>(most)) / 2;
    return lost / (lost + 1 - probability);
  }
};

/// Two states that change from frame to frame, each with its own loss: E. N. Gilbert, "Capacity of a burst-noise
/// channel", BSTJ 39 (1960); E. O. Elliott, "Estimates of error rates for codes on burst-noise channels", BSTJ 42
/// (1963). The state moves first, then the frame is lost by the loss of where it is. The share of bad frames is p / (p
/// + r), bad runs have a mean of 1 / r frames. Does nothing when it never turns bad and good loses nothing.
struct GilbertElliottLoss {
  static constexpr std::string_view kName = "gilbert_elliott";

  double to_bad = 0;     // p, per frame, [0, 1]
  double to_good = 1;    // r, per frame, [0, 1]
  double good_loss = 0;  // 1 - k of netem's gemodel, [0, 1]
  double bad_loss = 1;   // 1 - h of netem's gemodel, [0, 1]

  struct State {
    bool bad = false;
  };
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& state, FrameRandom& random) const {
    const double move = random.uniform();
    state.bad = state.bad ? move > to_good : move <= to_bad;
    const double loss = state.bad ? bad_loss : good_loss;
    return loss > 0 && random.uniform() <= loss;
  }
  [[nodiscard]] double mean_loss() const {
    const double moves = to_bad + to_good;
    const double bad = moves > 0 ? to_bad / moves : 0;
    return bad * bad_loss + (1 - bad) * good_loss;
  }
};

/// The channel of GilbertElliottLoss, whose states change in time and not from frame to frame. On a quiet link a burst
/// counted in frames lasts as long as its frames take to come, which exceeds TCP's timeouts: after each loss it waits
/// twice as long. Does nothing when it is never bad and good loses nothing.
struct GilbertElliottTimeLoss {
  static constexpr std::string_view kName = "gilbert_elliott_time";
  struct State : TimedStates::State {};

  TimedStates states;
  double good_loss = 0;  // [0, 1]
  double bad_loss = 1;   // [0, 1]

  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    const double loss = states.bad_at(frame, state) ? bad_loss : good_loss;
    return loss > 0 && random.uniform() <= loss;
  }
  [[nodiscard]] double mean_loss() const {
    return states.share_bad() * bad_loss + (1 - states.share_bad()) * good_loss;
  }
};

/// Losses and receptions in runs: S. Salsano, F. Ludovici, A. Ordine, D. Giannuzzi, "Definition of a general and
/// intuitive loss model for packet networks and its implementation in the Netem module in the Linux kernel" (2012).
/// State 1 receives in a gap, 2 receives within a burst, 3 loses within a burst, 4 is a single loss within a gap and
/// always returns to 1. The state moves, then decides the frame's fate. Does nothing when p13 and p14 are 0.
struct FourStateLoss {
  static constexpr std::string_view kName = "four_state";

  double p13 = 0;  // a burst begins, [0, 1]
  double p31 = 1;  // a burst ends with a loss
  double p32 = 0;  // within a burst, from losing to receiving; p31 + p32 <= 1
  double p23 = 1;  // and back
  double p14 = 0;  // a single loss; p13 + p14 <= 1

  struct State {
    std::uint8_t in = 1;
  };
  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& /*frame*/, State& state, FrameRandom& random) const {
    const double move = random.uniform();
    switch (state.in) {
      case 1:
        state.in = move <= p13 ? 3 : (move <= p13 + p14 ? 4 : 1);
        break;
      case 2:
        state.in = move <= p23 ? 3 : 2;
        break;
      case 3:
        state.in = move <= p31 ? 1 : (move <= p31 + p32 ? 2 : 3);
        break;
      default:
        state.in = 1;
    }
    return state.in >= 3;
  }
  /// Of the stationary distribution, by the balance of each state.
  [[nodiscard]] double mean_loss() const {
    const double three = p31 > 0 ? p13 / p31 : 0;
    const double two = p23 > 0 ? three * p32 / p23 : 0;
    return (three + p14) / (1 + two + three + p14);
  }
};

}  // namespace hilgate

// Loss in the fades of a moving radio: a Gilbert-Elliott channel that runs in time, not from frame to frame, so that a
// frame repeated a millisecond later meets the same fade.

namespace hilgate {

/// Good and bad take turns for exponentially distributed times. Does nothing when the mean time in a fade is 0.
struct FadingLoss {
  static constexpr std::string_view kName = "fading";
  struct State : TimedStates::State {};

  TimedStates fades;    // bad: in a fade
  double bad_loss = 1;  // of a frame that arrives in a fade, [0, 1]

  /// Of Rayleigh fading at a speed: fades below a threshold relative to the rms level, from the level crossing rate and
  /// the mean fade duration (H. S. Wang, N. Moayeri, "Finite-state Markov channel", IEEE Trans. VT 44 (1995)): mean
  /// time in a fade (exp(r^2) - 1) / (r fd sqrt(2 pi)), between fades 1 / (r fd sqrt(2 pi)), r the threshold as a ratio
  /// of amplitudes. `doppler` = v f / c, above 0; `threshold` usually below 0.
  static FadingLoss rayleigh(Hertz doppler, Decibels threshold, double bad_loss = 1);

  void read(YamlReader& loss);
  [[nodiscard]] bool lost(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    return fades.bad_at(frame, state) && bad_loss > 0 && random.uniform() <= bad_loss;
  }
  [[nodiscard]] double mean_loss() const { return fades.share_bad() * bad_loss; }
};

/// The table of loss models; the first is what a plain `loss: 1 %` means. A model is a struct in a file of its own with
///   static constexpr std::string_view kName                           its name in `loss.model`
///   void read(YamlReader&)                                            its keys in addition to `model`
///   struct State                                                      what a link remembers of it
///   bool lost(const ImpairedFrame&, State&, FrameRandom&) const
///   double mean_loss() const                                          share of all frames that it loses
using LossTable = std::variant<  //
    IndependentLoss,             //
    BurstLoss,                   //
    GilbertElliottLoss,          //
    GilbertElliottTimeLoss,      //
    FourStateLoss,               //
    FadingLoss>;

/// What a link remembers of its loss process: of the one model it has.
template <class Table>
struct LossStateOf;
template <class... Models>
struct LossStateOf<std::variant<Models...>> {
  std::tuple<typename Models::State...> states;
};
using LossState = LossStateOf<LossTable>;

/// Loses frames by one of the table's models.
struct LossModel : LossTable {
  static constexpr std::string_view kKey = "loss";
  using State = LossState;
  using LossTable::LossTable;

  static std::optional<LossModel> read(YamlReader& link);
  /// Fades and timed states go by time, other losses by frames.
  [[nodiscard]] bool timed_by_host() const {
    return std::holds_alternative<FadingLoss>(table()) || std::holds_alternative<GilbertElliottTimeLoss>(table());
  }
  /// A loss of 0 %: a link whose only impairment it is is as fast as one without.
  [[nodiscard]] bool idle() const;
  [[nodiscard]] std::optional<DropReason> lose(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    return draws_loss(frame, state, random) ? std::make_optional(DropReason::kConfiguredLoss) : std::nullopt;
  }
  [[nodiscard]] double mean_loss() const {
    return std::visit([](const auto& model) { return model.mean_loss(); }, table());
  }
  /// Whether the model loses the frame.
  [[nodiscard]] bool draws_loss(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
    return std::visit(
        [&]<class Model>(const Model& model) {
          return model.lost(frame, std::get<typename Model::State>(state.states), random);
        },
        table());
  }

 private:
  [[nodiscard]] const LossTable& table() const { return *this; }
};

}  // namespace hilgate
