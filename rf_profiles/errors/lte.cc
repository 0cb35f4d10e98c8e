// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/lte.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

struct Point {
  int mcs;
  double sinr_db;
};
constexpr Point kHalfLoss[] = {{0, -7.423}, {4, -3.595}, {9, 1.389},   {10, 3.566},  {14, 6.328},
                               {16, 8.243}, {17, 9.868}, {20, 12.098}, {24, 15.851}, {28, 19.498}};
constexpr double kTenthAboveHalf = 0.17;  // dB, from half to a tenth of the blocks lost
constexpr double kTenthOfNormal = 1.2816;
constexpr double kSpread = kTenthAboveHalf / kTenthOfNormal;

constexpr std::array<std::uint32_t, 27> kBits50{1384,  1800,  2216,  2856,  3624,  4392,  5160,  6200,  6968,
                                                7992,  8760,  9912,  11448, 12960, 14112, 15264, 16416, 18336,
                                                19848, 21384, 22920, 25456, 27376, 28336, 30576, 31704, 36696};
constexpr std::array<std::uint32_t, 27> kBits100{2792,  3624,  4584,  5736,  7224,  8760,  10296, 12216, 14112,
                                                 15840, 17568, 19848, 22920, 25456, 28336, 30576, 32856, 36696,
                                                 39232, 43816, 46888, 51024, 55056, 57336, 61664, 63776, 75376};

constexpr int kCqiBits[] = {2, 2, 2, 2, 2, 2, 4, 4, 4, 6, 6, 6, 6, 6, 6};
constexpr int kCqiRate[] = {78, 120, 193, 308, 449, 602, 378, 490, 616, 466, 567, 666, 772, 873, 948};

void check(const char* what, int value, int low, int high) {
  if (value < low || value > high) {
    throw std::runtime_error("LTE has no " + std::string(what) + " " + std::to_string(value) + "; " +
                             std::to_string(low) + " to " + std::to_string(high));
  }
}

}  // namespace

Decibels lte_half_loss_sinr(int mcs) {
  check("MCS", mcs, 0, kLteMcsCount - 1);
  const auto* const next = std::lower_bound(std::begin(kHalfLoss), std::end(kHalfLoss), mcs,
                                            [](const Point& p, int m) { return p.mcs < m; });
  if (next->mcs == mcs) {
    return {next->sinr_db};
  }
  const Point& before = *(next - 1);
  return {std::lerp(before.sinr_db, next->sinr_db, static_cast<double>(mcs - before.mcs) / (next->mcs - before.mcs))};
}

double lte_block_error_rate(int mcs, Decibels sinr) {
  return 0.5 * std::erfc((sinr - lte_half_loss_sinr(mcs)).value / (std::sqrt(2.0) * kSpread));
}

Decibels lte_sinr_at(int mcs, double block_error_rate) {
  double low = -40;
  double high = 60;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (lte_block_error_rate(mcs, {middle}) > block_error_rate ? low : high) = middle;
  }
  return {high};
}

Decibels lte_adapted_sinr(int mcs) {
  constexpr double kReported = 0.1;
  return lte_sinr_at(std::min(mcs + 1, kLteMcsCount - 1), kReported);
}

std::uint32_t lte_block_bits(int mcs, int resource_blocks) {
  check("MCS", mcs, 0, kLteMcsCount - 1);
  const auto index = static_cast<std::size_t>(mcs <= 9 ? mcs : mcs <= 16 ? mcs - 1 : mcs - 2);
  if (resource_blocks != 50 && resource_blocks != 100) {
    throw std::runtime_error("LTE transport block sizes exist for 50 and 100 resource blocks, not for " +
                             std::to_string(resource_blocks));
  }
  return resource_blocks == 50 ? kBits50[index] : kBits100[index];
}

HazardCurve lte_hazard(int mcs, int resource_blocks) {
  return [mcs, bits = static_cast<double>(lte_block_bits(mcs, resource_blocks))](double sinr_db) {
    return -std::log1p(-lte_block_error_rate(mcs, {sinr_db})) / bits;
  };
}

double lte_cqi_efficiency(int cqi) {
  check("CQI", cqi, 1, 15);
  return kCqiBits[cqi - 1] * kCqiRate[cqi - 1] / 1024.0;
}

int lte_cqi_mcs(int cqi) {
  check("CQI", cqi, 1, 15);
  return 2 * (cqi - 1);
}

unsigned lte_points(int mcs) {
  constexpr int kLastQpsk = 9;
  constexpr int kLast16Qam = 16;
  check("MCS", mcs, 0, kLteMcsCount - 1);
  return mcs <= kLastQpsk ? 4 : mcs <= kLast16Qam ? 16 : 64;
}

double lte_mcs_efficiency(int mcs) {
  check("MCS", mcs, 0, kLteMcsCount - 1);
  const int below = mcs / 2 + 1;
  return mcs % 2 == 0 ? lte_cqi_efficiency(below) : (lte_cqi_efficiency(below) + lte_cqi_efficiency(below + 1)) / 2;
}

double attenuated_shannon(Decibels sinr) {
  return std::min(4.4, 0.6 * std::log2(1 + ratio(sinr)));
}

}  // namespace hilgate
