// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/effective_sinr.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/elementary.h"

namespace hilgate {
namespace {

struct BetaPoint {
  double code_rate = 0;
  double beta = 0;
};
constexpr double kPer1024 = 1.0 / 1024;
constexpr BetaPoint kQpsk[] = {{120 * kPer1024, 1.60}, {157 * kPer1024, 1.61}, {193 * kPer1024, 1.63},
                               {251 * kPer1024, 1.65}, {308 * kPer1024, 1.67}, {379 * kPer1024, 1.70},
                               {449 * kPer1024, 1.73}, {526 * kPer1024, 1.76}, {602 * kPer1024, 1.79},
                               {679 * kPer1024, 1.82}};
constexpr BetaPoint k16Qam[] = {{340 * kPer1024, 3.97}, {378 * kPer1024, 4.27}, {434 * kPer1024, 4.71},
                                {490 * kPer1024, 5.16}, {553 * kPer1024, 5.66}, {616 * kPer1024, 6.16},
                                {658 * kPer1024, 6.50}};
constexpr BetaPoint k64Qam[] = {{438 * kPer1024, 9.95},  {466 * kPer1024, 10.97}, {517 * kPer1024, 12.92},
                                {567 * kPer1024, 14.96}, {616 * kPer1024, 17.06}, {666 * kPer1024, 19.33},
                                {719 * kPer1024, 21.85}, {772 * kPer1024, 24.51}, {822 * kPer1024, 27.14},
                                {873 * kPer1024, 29.94}, {910 * kPer1024, 32.05}, {948 * kPer1024, 34.28}};
constexpr BetaPoint k256Qam[] = {{682.5 * kPer1024, 56.48},  {711 * kPer1024, 65.0},   {754 * kPer1024, 78.58},
                                 {797 * kPer1024, 92.48},    {841 * kPer1024, 106.27}, {885 * kPer1024, 118.74},
                                 {916.5 * kPer1024, 126.36}, {948 * kPer1024, 132.54}};
constexpr double kLeastBeta = 0.5;  // where a line continues far below its points

double beta_on(std::span<const BetaPoint> points, double code_rate) {
  const auto above =
      std::ranges::upper_bound(points.subspan(1, points.size() - 2), code_rate, {}, &BetaPoint::code_rate);
  const BetaPoint& next = *above;
  const BetaPoint& before = *std::prev(above);
  const double part = (code_rate - before.code_rate) / (next.code_rate - before.code_rate);
  return std::max(std::lerp(before.beta, next.beta, part), kLeastBeta);
}

}  // namespace

double eesm_beta(unsigned points, double code_rate) {
  switch (points) {
    case 2:
      return beta_on(kQpsk, code_rate) / 2;
    case 4:
      return beta_on(kQpsk, code_rate);
    case 16:
      return beta_on(k16Qam, code_rate);
    case 64:
      return beta_on(k64Qam, code_rate);
    case 256:
      return beta_on(k256Qam, code_rate);
    default: {
      const double below = beta_on(k256Qam, code_rate);
      return below * below / beta_on(k64Qam, code_rate);
    }
  }
}

// The weakest part of the band is taken out of the sum, so that its exponential is 1 and the sum never 0.
Decibels effective_sinr(std::span<const float> gains, Decibels sinr, double beta) {
  const double per_beta = ratio(sinr) / beta;
  const auto least = static_cast<double>(*std::ranges::min_element(gains));
  const double octaves_per_gain = per_beta * std::numbers::log2e;
  double sum = 0;
  for (const float gain : gains) {
    sum += power_of_two(-octaves_per_gain * (static_cast<double>(gain) - least));
  }
  const double above_least = -natural_log(sum / static_cast<double>(gains.size()));
  return decibels(beta * (per_beta * least + above_least));
}

}  // namespace hilgate
