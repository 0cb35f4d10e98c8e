// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "config/units.h"
#include "rf_profiles/fading/fading_waves.h"

namespace hilgate {

struct NoFading {
  static constexpr std::string_view kName = "none";

  [[nodiscard]] FadingWaves waves() const { return {.steady = 1, .taps = {0}}; }
};

/// Diffuse waves alone.
struct RayleighFading {
  static constexpr std::string_view kName = "rayleigh";

  [[nodiscard]] FadingWaves waves() const { return {}; }
};

class YamlReader;

/// A steady wave among diffuse ones.
struct RiceFading {
  static constexpr std::string_view kName = "rice";

  double k = 0;  // power of the steady wave over the diffuse ones, linear

  void read(YamlReader& law);
  [[nodiscard]] FadingWaves waves() const { return {.steady = k / (1 + k), .taps = {1 / (1 + k)}}; }
};

/// The power has a Gamma distribution.
struct NakagamiFading {
  static constexpr std::string_view kName = "nakagami";

  double m = 1;  // shape, >= 0.5; 1 is Rayleigh

  void read(YamlReader& law);
  [[nodiscard]] FadingWaves waves() const;
};

// Tapped delay lines of 3GPP TR 38.901, 7.7.2: TDL-A to TDL-E.

struct TdlTap {
  double delay = 0;  // in units of the required rms delay spread
  Decibels power{};
};

struct TdlProfile {
  std::string_view name;
  std::span<const TdlTap> taps;
  /// The first tap is the line of sight, of constant amplitude, and the second its Rayleigh part.
  bool line_of_sight = false;

  /// Linear powers, sum 1.
  [[nodiscard]] std::vector<double> powers() const;
  [[nodiscard]] double mean_delay() const;
  [[nodiscard]] double rms_delay_spread() const;
  /// Power of the line of sight over that of its Rayleigh part. Requires line_of_sight.
  [[nodiscard]] Decibels first_k() const;
};

/// "TDL-A" to "TDL-E". Throws std::runtime_error for another name.
const TdlProfile& tdl_profile(std::string_view name);
std::span<const TdlProfile> tdl_profiles();

/// A tapped delay line: the power of all taps, or with a delay spread their sum at each frequency of the band.
struct TdlFading {
  static constexpr std::string_view kName = "tdl";

  std::string line = "TDL-A";
  std::optional<Nanoseconds> delay_spread{};  // rms, that the taps' delays are in units of

  void read(YamlReader& law);
  /// Throws std::runtime_error for an unknown delay line.
  [[nodiscard]] FadingWaves waves() const;
};

/// Where the scene has traced paths, these are the echoes, with the phases of their lengths; other pairs do not fade.
struct TracedFading {
  static constexpr std::string_view kName = "traced";

  [[nodiscard]] FadingWaves waves() const { return NoFading{}.waves(); }
};

// Small-scale fading: distributions of power with mean 1, and how fast the level changes.

/// Regularised lower incomplete gamma function P(a, x), a > 0, x >= 0.
double lower_gamma(double a, double x);

/// Probability that the power, relative to its mean, is below `power`.
double rayleigh_cdf(double power);
/// `k` linear: power of the steady wave over that of the diffuse ones; 0 is Rayleigh.
double rice_cdf(double k, double power);
/// Shape `m` >= 0.5; 1 is Rayleigh. The variance of the power is 1 / m.
double nakagami_cdf(double m, double power);

Hertz doppler_of_speed(double speed_mps, Hertz carrier);
/// Correlation of the complex gain over a lag, isotropic scattering: J0(2 pi fd lag).
double doppler_autocorrelation(Hertz doppler, double lag_s);
/// 0.423 / fd.
double coherence_time_s(Hertz doppler);
/// Where the autocorrelation first is 0. Windows longer than this see fading that looks white.
double first_zero_lag_s(Hertz doppler);

/// Rayleigh: crossings per second of a level relative to the rms amplitude, and the mean time below it.
double level_crossing_rate(Hertz doppler, double level);
double average_fade_s(Hertz doppler, double level);

}  // namespace hilgate
