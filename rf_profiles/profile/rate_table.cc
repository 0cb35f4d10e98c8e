// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/rate_table.h"

#include <algorithm>
#include <cmath>

#include "clock/time.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kShortFrame = 64;
constexpr double kHopeless = 0.999;
constexpr double kSurelyLost = 1e6;  // hazard per bit; finite, so that it can be interpolated

std::vector<double> losses_of_tries(const RadioMode& mode, const RadioProfile& profile, double snr_db) {
  return losses_of_tries(mode, profile, snr_db, profile.mac.rate_control.frame_bytes);
}

/// Of the mode at a place of the rate control's, at an SNR. By reports the last mode whose SNR is met is the best.
double merit_of(const RadioProfile& profile, std::size_t place, double snr_db) {
  const RateControl& control = profile.mac.rate_control;
  const RadioMode& mode = profile.phy.modes[control.modes[place]];
  if (control.type == RateControl::Type::kReports) {
    return snr_db >= mode.adapted_snr->value ? static_cast<double>(place + 1) : 0;
  }
  return expected_goodput_bps(mode.phy, profile.mac, control.frame_bytes, losses_of_tries(mode, profile, snr_db));
}

}  // namespace

std::vector<double> losses_of_tries(const RadioMode& mode, const RadioProfile& profile, double snr_db,
                                    std::uint32_t frame_bytes) {
  const auto bits = static_cast<double>(mode.phy.error_bits(frame_bytes));
  std::vector<double> losses;
  for (unsigned before = 0; before < (profile.mac.combining ? kCombinedTries : 1); ++before) {
    losses.push_back(frame_error_rate(mode.hazard(snr_db + db_of(before + 1)), bits));
  }
  return losses;
}

double try_time_s(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes, double window) {
  return seconds_of(mac.aifs() + mode.air_time(frame_bytes) + mode.ack) + window / 2 * seconds_of(mac.slot);
}

double expected_goodput_bps(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes,
                            std::span<const double> losses) {
  double time = 0;
  double reach = 1;  // probability that this try is made
  double window = mac.cw_min;
  for (std::uint32_t i = 0; i < mac.tries; ++i) {
    time += reach * try_time_s(mode, mac, frame_bytes, window);
    window = std::min(2 * window + 1, static_cast<double>(mac.cw_max));
    reach *= losses[std::min<std::size_t>(i, losses.size() - 1)];
  }
  return 8.0 * frame_bytes * (1 - reach) / time;
}

double expected_goodput_bps(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes, double hazard) {
  const double loss = frame_error_rate(hazard, static_cast<double>(mode.error_bits(frame_bytes)));
  return expected_goodput_bps(mode, mac, frame_bytes, std::span(&loss, 1));
}

double aggregated_goodput_bps(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes, double hazard) {
  const FrameAggregation& limit = mac.aggregation;
  const std::uint64_t each = mode.subframe_bits(frame_bytes);
  std::uint64_t frames = std::min(limit.frames, std::max(mac.queue_frames, 1U));
  frames = std::min(frames, 8 * std::uint64_t{limit.bytes} / each);
  while (frames > 1 && mode.joint_air_time(frames * each) > limit.time) {
    --frames;
  }
  if (frames <= 1) {
    return expected_goodput_bps(mode, mac, frame_bytes, hazard);
  }
  const double loss = frame_error_rate(hazard, static_cast<double>(mode.error_bits(frame_bytes)));
  const double time = seconds_of(mac.aifs() + mode.joint_air_time(frames * each) + mode.block_ack) +
                      mac.cw_min / 2.0 * seconds_of(mac.slot);
  return 8.0 * frame_bytes * static_cast<double>(frames) * (1 - loss) / time;
}

RateTable::RateTable(const RadioProfile& profile)
    : bins_(static_cast<std::size_t>((kHighestSnr - kLowestSnr) * kBinsPerDb) + 1),
      multicast_mode_(static_cast<std::uint8_t>(profile.mac.multicast_mode)),
      least_usable_snr_{kHighestSnr} {
  const auto snr_of = [](std::size_t bin) { return kLowestSnr + static_cast<double>(bin) / kBinsPerDb; };
  hazards_.reserve(bins_ * profile.phy.modes.size());
  for (const RadioMode& mode : profile.phy.modes) {
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      hazards_.push_back(static_cast<float>(std::min(mode.hazard(snr_of(bin)), kSurelyLost)));
    }
  }
  const auto& modes = profile.phy.modes;
  if (std::any_of(modes.begin(), modes.end(), [](const RadioMode& mode) { return mode.ack_hazard != nullptr; })) {
    for (const RadioMode& mode : modes) {
      for (std::size_t bin = 0; bin < bins_; ++bin) {
        const double hazard = mode.ack_hazard ? mode.ack_hazard(snr_of(bin)) : 0;
        ack_losses_.push_back(static_cast<float>(frame_error_rate(hazard, mode.phy.ack_bits)));
      }
    }
  }
  const RateControl& control = profile.mac.rate_control;
  const std::size_t choices = control.type == RateControl::Type::kFixed ? 1 : control.modes.size();
  for (std::size_t place = 0; place < choices; ++place) {
    choices_.push_back(static_cast<std::uint8_t>(control.modes[place]));
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      merits_.push_back(static_cast<float>(merit_of(profile, place, snr_of(bin))));
    }
  }
  for (std::size_t bin = 0; bin < bins_; ++bin) {
    const std::uint8_t choice = best([bin](std::size_t) { return bin; });
    if (bin + 1 < bins_) {
      const float* const unicast = &hazards_[choice * bins_ + bin];
      const float* const multicast = &hazards_[multicast_mode_ * bins_ + bin];
      answers_.push_back({{unicast[0], unicast[1]}, {multicast[0], multicast[1]}, choice});
    }
    const auto usable = [&](std::size_t mode) {
      const auto bits = static_cast<double>(profile.phy.modes[mode].phy.error_bits(kShortFrame));
      const double combined_db = profile.mac.combining ? db_of(std::min(profile.mac.tries, kCombinedTries)) : 0;
      return frame_error_rate(profile.phy.modes[mode].hazard(snr_of(bin) + combined_db), bits) <= kHopeless;
    };
    if (least_usable_snr_.value == kHighestSnr && (usable(choice) || usable(multicast_mode_))) {
      least_usable_snr_ = {snr_of(bin)};
    }
  }
  least_usable_snr_ = std::max(least_usable_snr_, profile.phy.out_of_sync.value_or(least_usable_snr_));
}

// `bin_of` has the bin of a mode's SNR.
std::uint8_t RateTable::best(const auto& bin_of) const {
  std::uint8_t best = choices_.front();
  float most = 0;
  for (std::size_t place = 0; place < choices_.size(); ++place) {
    const float merit = merits_[place * bins_ + bin_of(choices_[place])];
    if (merit > most) {
      most = merit;
      best = choices_[place];
    }
  }
  return best;
}

RateTable::Answer RateTable::among(const ModeSnrs& snrs) const {
  const std::uint8_t mode = best([&](std::size_t candidate) { return place_of(snrs.of(candidate)).bin; });
  return {{mode, hazard_in(mode, snrs.of(mode)), 0}, hazard_in(multicast_mode_, snrs.of(multicast_mode_))};
}

std::optional<Decibels> RateTable::least_snr_of(std::size_t mode) const {
  const auto first = std::ranges::find(answers_, mode, [](const Bin& bin) { return std::size_t{bin.mode}; });
  if (first == answers_.end()) {
    return std::nullopt;
  }
  constexpr double kMiddle = 0.5;  // what rounding leaves of a step's edge may be the step below
  return Decibels{kLowestSnr + (static_cast<double>(first - answers_.begin()) + kMiddle) / kBinsPerDb};
}

double RateTable::combined_hazard(std::size_t mode, Decibels snr, unsigned tries_before) const {
  return hazard(mode, place_of(snr + decibels(tries_before + 1)));
}

}  // namespace hilgate
