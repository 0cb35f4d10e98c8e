// SPDX-License-Identifier: Apache-2.0
// How levels vary about the mean loss: shadowing, which is correlated over the distance moved, and fading.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rf_profiles/fit/measured_row.h"

namespace hilgate {

/// Shadowing with the autocorrelation exp(-moved / correlation) (M. Gudmundson, "Correlation model for shadow fading in
/// mobile radio systems", 1991), and what differs from row to row: fading and errors of measurement.
struct ShadowingFit {
  double sigma_db = 0;                                     // of the shadowing
  double row_sigma_db = 0;                                 // from row to row, without memory
  double correlation_m = 0;                                // > 0
  double least_correlation_m = 0, most_correlation_m = 0;  // 95 % by the likelihood ratio
  bool has_correlation = false;  // false: the path does not determine it, and sigma_db is that of both parts
  std::string why{};             // then
};

/// By maximum likelihood of a Gaussian process on the path, which a Kalman filter of one state evaluates row by row; 0
/// is its mean. `residuals_db` belong to `rows`, at least two.
ShadowingFit fit_shadowing(std::span<const MeasuredRow> rows, std::span<const double> residuals_db);

/// Rice's K in dB by the moments of the power (L. J. Greenstein, D. G. Michelson, V. Erceg, "Moment-method estimation
/// of the Ricean K-factor", 1999) in stretches of up to ten wavelengths with at least ten rows each; -40 for Rayleigh's
/// law or worse. Nothing, and the reason, where fewer than ten stretches have so many rows.
struct FadingFit {
  std::optional<double> k_db{};
  std::size_t stretches = 0;
  std::string why{};
};
FadingFit fit_fading(std::span<const MeasuredRow> rows, double wavelength_m);

}  // namespace hilgate
