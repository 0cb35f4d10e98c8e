// SPDX-License-Identifier: Apache-2.0
// Small-scale fading per pair, in space: the level depends on how far the ends have moved and so changes with their
// speed as Doppler demands, whatever the window.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "config/units.h"
#include "rf_profiles/fading/band.h"
#include "rf_profiles/fading/fading_laws.h"
#include "rf_profiles/fading/fading_waves.h"
#include "rf_profiles/fading/impulse_response.h"
#include "rf_profiles/propagation/pair_batch.h"

namespace hilgate {

/// The table of the laws of fading; the first is the default. A law is a struct in a file of its own with
///   static constexpr std::string_view kName    its name in radio profiles
///   void read(YamlReader&)                     its keys next to `type` in a radio profile, if any
///   FadingWaves waves() const                  what it is made of
using FadingLaw = std::variant<  //
    NoFading,                    //
    RayleighFading,              //
    RiceFading,                  //
    NakagamiFading,              //
    TdlFading,                   //
    ImpulseResponseFading,       //
    TracedFading>;

struct Fading {
  FadingLaw los;
  FadingLaw nlos;
  /// Doppler that surroundings in motion add to the robots' own.
  Hertz doppler{};
  [[nodiscard]] bool any() const {
    return !std::holds_alternative<NoFading>(los) || !std::holds_alternative<NoFading>(nlos);
  }
};

/// Parts of the band fade apart: the law has echoes of different delays. Throws std::runtime_error for an unknown delay
/// line.
[[nodiscard]] bool is_selective(const FadingLaw& law);
[[nodiscard]] inline bool is_selective(const Fading& fading) {
  return is_selective(fading.los) || is_selective(fading.nlos);
}
/// The frequencies that show it, of a radio with this bandwidth.
[[nodiscard]] Band band_of(const Fading& fading, Hertz width);

/// The fading of every pair. Both directions share it.
class FadingField {
 public:
  /// Throws std::runtime_error for an unknown delay line.
  FadingField(const Fading& fading, Hertz frequency, std::size_t pairs, std::uint64_t seed);

  [[nodiscard]] bool any() const { return !ways_.empty(); }

  /// The pair will soon be asked for: what is kept of it is fetched from memory.
  void expect(std::uint32_t pair) const {
    if (any()) {
      __builtin_prefetch(&ways_[pair], 1);
    }
  }
  /// No pair ever has more; 0 without fading.
  [[nodiscard]] Decibels greatest_gain() const;

  /// Gains in dB (mean power 0 dB) of pairs by how far their ends have moved and whether they see one another,
  /// `passed_s` after the last update. Never below -100 dB.
  void update(const PairBatch& pairs, double passed_s, std::span<double> gain_db);
  /// The echoes of a pair as of its last update, written over `echoes`; none where its law has no delays.
  void echoes(std::size_t pair, bool line_of_sight, std::vector<Echo>& echoes) const;

  // ---- what lies ahead, for pairs that need not be asked for until then ----

  /// Before stays_below_m().
  void keep_ahead();
  /// Up to where on its way from `begin_m` to `end_m` behind its last update, the gain of a pair stays below `gain_db`;
  /// may be less. Gains of several taps, and those that surroundings in motion change, are not known ahead.
  [[nodiscard]] double stays_below_m(std::size_t pair, bool line_of_sight, double gain_db, double begin_m,
                                     double end_m) const;
  /// Whether the gains of pairs in or out of sight are known ahead.
  [[nodiscard]] bool is_known_ahead(bool line_of_sight) const {
    return !(line_of_sight ? los_ahead_ : nlos_ahead_).empty();
  }
  /// A pair's way ahead, in stretches that are so long, m.
  [[nodiscard]] double stretch_m() const { return wavelength_m_ / static_cast<double>(ClarkeWave::kStretches); }
  /// Where the stretch that a pair is on `at_m` after its last update begins, m after it.
  [[nodiscard]] double stretch_begin_m(std::size_t pair, double at_m) const;
  /// Of the 64 stretches from the one at `first_m` on, a bit each, those that reach into the way from `begin_m` to
  /// `end_m` and on which the gain may be `gain_db` or more. Requires that the gains are known ahead.
  [[nodiscard]] std::uint64_t loud_stretches(std::size_t pair, bool line_of_sight, double gain_db, double first_m,
                                             double begin_m, double end_m) const;
  /// Of one pair.
  double update(std::size_t pair, double moved_m, double passed_s, bool line_of_sight);

 private:
  struct Steps;  // the transformation of one law, prepared
  struct Way {
    double start = 0;  // on the wave, wavelengths
    double moved = 0;  // wavelengths
  };
  struct Waves;
  [[nodiscard]] std::vector<float> greatest_gains(const Steps& law) const;
  /// Where a pair is `at_m` after its last update, in stretches.
  [[nodiscard]] double stretches_at(std::size_t pair, double at_m) const {
    return (ways_[pair].start + ways_[pair].moved + at_m / wavelength_m_) * static_cast<double>(ClarkeWave::kStretches);
  }
  static void add_up(const Steps& nlos, const Steps& los, const PairBatch& pairs, Waves& waves, double* power);
  [[nodiscard]] double power_of_others(const Steps& law, double place) const;

  Fading fading_;
  double wavelength_m_;
  std::shared_ptr<const ClarkeWave> wave_;
  std::shared_ptr<const Steps> los_;
  std::shared_ptr<const Steps> nlos_;
  std::vector<Way> ways_;
  std::vector<double> directions_;             // cosine of the steady wave's to the way; empty where it is absent
  std::vector<float> los_ahead_, nlos_ahead_;  // dB, the most on each stretch of the wave; empty: not known
};

}  // namespace hilgate
