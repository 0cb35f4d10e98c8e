// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/wifi_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {
namespace {

struct Fit {
  double s0;
  double w;
};
constexpr Fit kFits[kWifiTableMcsCount] = {{0.161, -0.378},  {3.176, -0.365},  {5.656, -0.368},  {8.766, -0.457},
                                           {11.919, -0.432}, {16.067, -0.475}, {17.362, -0.490}, {18.659, -0.451},
                                           {22.571, -0.558}, {24.111, -0.504}};
constexpr double kCurvature = 0.018;
constexpr double kReferenceBits = 8.0 * 1458;

double hazard_at(const Fit& fit, double snr_db) {
  const double square = fit.w * fit.w + 4 * kCurvature * (fit.s0 - snr_db);
  if (square < 0) {
    return 0;
  }
  const double u = (fit.w + std::sqrt(square)) / (2 * kCurvature);
  return std::exp(u) / kReferenceBits;
}

}  // namespace

HazardCurve wifi_table_hazard(int mcs) {
  if (mcs < 0 || mcs >= kWifiTableMcsCount) {
    throw std::runtime_error("wifi_table: unknown MCS " + std::to_string(mcs) + "; allowed: 0 to 9");
  }
  return [fit = kFits[mcs]](double snr_db) { return hazard_at(fit, snr_db); };
}

namespace {

/// Hazard of a bit error rate, which bounds may put above 1.
double bits_per_symbol(const WifiCoding& coding) {
  return std::log2(coding.points);
}

// --- NIST

/// Uncoded bit error rate over the SNR of the channel.
double nist_uncoded(unsigned points, double g) {
  if (points <= 4) {
    return 0.5 * std::erfc(std::sqrt(points == 2 ? g : g / 2));
  }
  const double m = points;
  const double root = std::sqrt(m);
  return (root - 1) / (root * std::log2(root)) * std::erfc(std::sqrt(3 * g / (2 * (m - 1))));
}

/// Sum over c D^(first + i step) / (2 b).
struct Spectrum {
  unsigned denominator;  // of the code rate
  double b;
  int first;
  int step;
  std::array<double, 10> c;
};
constexpr Spectrum kSpectra[] = {
    {2, 1, 10, 2, {36, 211, 1404, 11633, 77433, 502690, 3322763, 21292910, 134365911, 0}},
    {3, 2, 6, 1, {3, 70, 285, 1276, 6160, 27128, 117019, 498860, 2103891, 8784123}},
    {4, 3, 5, 1, {42, 201, 1492, 10469, 62935, 379644, 2253373, 13073811, 75152755, 428005675}},
    {6, 5, 4, 1, {92, 528, 8694, 79453, 792114, 7375573, 67884974, 610875423, 5427275376, 47664215639}}};

double nist_coded(const Spectrum& spectrum, double p) {
  const double d = std::sqrt(4 * p * (1 - p));
  double sum = 0;
  double power = std::pow(d, spectrum.first);
  for (const double c : spectrum.c) {
    sum += c * power;
    power *= std::pow(d, spectrum.step);
  }
  return std::min(1.0, sum / (2 * spectrum.b));
}

// --- YANS and wmediumd

double binomial(int n, int k) {
  return std::round(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)));
}

/// Probability that a path at distance d wins over the right one; `last` is the last i that is summed.
double pairwise(int d, double p, int last) {
  double sum = 0;
  if (d % 2 == 0) {
    sum += 0.5 * binomial(d, d / 2) * std::pow(p, d / 2) * std::pow(1 - p, d / 2);
  }
  for (int i = d / 2 + 1; i <= last; ++i) {
    sum += binomial(d, i) * std::pow(p, i) * std::pow(1 - p, d - i);
  }
  return sum;
}

double yans_uncoded(const WifiCoding& coding, double e) {
  if (coding.points == 2) {
    return 0.5 * std::erfc(std::sqrt(e));
  }
  const double m = coding.points;
  const double bits = bits_per_symbol(coding);
  const double one = (1 - 1 / std::sqrt(m)) * std::erfc(std::sqrt(1.5 * e * bits / (m - 1)));
  return (1 - (1 - one) * (1 - one)) / bits;
}

struct FirstTerms {
  unsigned denominator;
  int free_distance;
  double here;
  double next;
};
constexpr FirstTerms kFirstTerms[] = {{2, 10, 11, 0}, {3, 6, 1, 16}, {4, 5, 8, 31}, {6, 4, 14, 69}};

template <class Row, std::size_t N>
const Row* of_code(const Row (&rows)[N], const WifiCoding& coding) {
  const auto row = std::find_if(std::begin(rows), std::end(rows),
                                [&](const Row& candidate) { return candidate.denominator == coding.denominator; });
  return row == std::end(rows) ? nullptr : row;
}

struct WmediumdSpectrum {
  unsigned denominator;
  int free_distance;
  std::array<double, 10> a;
};
constexpr WmediumdSpectrum kWmediumd[] = {{2, 10, {11, 0, 38, 0, 193, 0, 1331, 0, 7275, 0}},
                                          {3, 6, {1, 16, 48, 158, 642, 2435, 9174, 34701, 131533, 499312}},
                                          {4, 5, {8, 31, 160, 892, 4512, 23297, 120976, 624304, 3229885, 16721329}}};

double wmediumd_uncoded(const WifiCoding& coding, double g) {
  if (coding.points == 2) {
    return 0.5 * std::erfc(std::sqrt(g));
  }
  const double m = coding.points;
  const double e = std::erfc(std::sqrt(1.5 * g / (m - 1)));
  return (2 * (1 - 1 / std::sqrt(m)) * e - (1 - 2 / std::sqrt(m) + 1 / m) * e * e) / bits_per_symbol(coding);
}

// --- DSSS

double gauss(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
}
double gauss_integral(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// Symbol error rate of 16-ary bi-orthogonal keying at a symbol's energy, by Simpson's rule over the normal density.
double biorthogonal_error(double energy) {
  const double beta = std::sqrt(2 * energy);
  constexpr int kSteps = 2000;
  const double low = std::max(-beta, -9.0);
  const double step = (9.0 - low) / kSteps;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = low + i * step;
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    // 1 - (..)^7 rather than (..)^7, so that small error rates keep their digits
    const double inside = std::pow(std::max(0.0, 2 * gauss_integral(x + beta) - 1), 7);
    sum += weight * (1 - inside) * gauss(x);
  }
  return std::min(1.0, gauss_integral(low) + sum * step / 3);
}

double dqpsk_error(double g) {
  const double x = 11 * g;
  const double root2 = std::sqrt(2.0);
  const double rate =
      (root2 + 1) / std::sqrt(8 * 3.14159265358979323846 * root2) / std::sqrt(x) * std::exp(-(2 - root2) * x);
  return std::min(1.0, rate);
}

}  // namespace

double wifi_decoded_ber(const WifiCoding& coding, double channel_ber) {
  const Spectrum* spectrum = of_code(kSpectra, coding);
  if (spectrum == nullptr) {
    throw std::invalid_argument("unknown code rate; allowed: 1/2, 2/3, 3/4, 5/6");
  }
  return std::min(0.5, nist_coded(*spectrum, channel_ber));
}

HazardCurve wifi_nist_hazard(const WifiCoding& coding) {
  const Spectrum* const spectrum = of_code(kSpectra, coding);
  if (spectrum == nullptr) {
    throw std::runtime_error("wifi_nist: unknown code rate; allowed: 1/2, 2/3, 3/4, 5/6");
  }
  return [points = coding.points, spectrum](double snr_db) {
    return hazard_of_ber(nist_coded(*spectrum, nist_uncoded(points, ratio_of_db(snr_db))));
  };
}

HazardCurve wifi_yans_hazard(const WifiCoding& coding, double signal_per_bit) {
  const FirstTerms* const terms = of_code(kFirstTerms, coding);
  if (terms == nullptr) {
    throw std::runtime_error("wifi_yans: unknown code rate; allowed: 1/2, 2/3, 3/4, 5/6");
  }
  return [coding, terms, signal_per_bit](double snr_db) {
    const double p = yans_uncoded(coding, ratio_of_db(snr_db) * signal_per_bit);
    const int d = terms->free_distance;
    double rate = terms->here * pairwise(d, p, d - 1);
    if (coding.points != 2) {
      rate += terms->next * pairwise(d + 1, p, d);
    }
    return hazard_of_ber(rate);
  };
}

HazardCurve wmediumd_hazard(const WifiCoding& coding) {
  const WmediumdSpectrum* const spectrum = of_code(kWmediumd, coding);
  if (spectrum == nullptr) {
    throw std::runtime_error("wmediumd: unknown code rate; allowed: 1/2, 2/3, 3/4");
  }
  return [coding, spectrum](double snr_db) {
    if (snr_db <= 0) {
      return std::numeric_limits<double>::infinity();
    }
    const double p = wmediumd_uncoded(coding, ratio_of_db(snr_db));
    double rate = 0;
    for (int i = 0; i < 10; ++i) {
      const int d = spectrum->free_distance + i;
      rate += spectrum->a[static_cast<std::size_t>(i)] * pairwise(d, p, d);
    }
    return hazard_of_ber(rate);
  };
}

HazardCurve dsss_hazard(double rate_bps) {
  if (rate_bps == 1e6) {
    return [](double snr_db) { return hazard_of_ber(0.5 * std::exp(-22 * ratio_of_db(snr_db))); };
  }
  if (rate_bps == 2e6) {
    return [](double snr_db) { return hazard_of_ber(dqpsk_error(ratio_of_db(snr_db))); };
  }
  if (rate_bps == 5.5e6) {  // a symbol carries 4 bits
    return [](double snr_db) { return hazard_of_ber(biorthogonal_error(8 * ratio_of_db(snr_db))) / 4; };
  }
  if (rate_bps == 11e6) {  // two 16-ary halves carry 8 bits
    return [](double snr_db) { return 2 * hazard_of_ber(biorthogonal_error(4 * ratio_of_db(snr_db))) / 8; };
  }
  throw std::runtime_error("unknown DSSS rate: " + std::to_string(rate_bps) + " bit/s; 1, 2, 5.5, 11 Mbit/s");
}

}  // namespace hilgate
