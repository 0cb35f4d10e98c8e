// SPDX-License-Identifier: Apache-2.0
// Bits of 802.11a through a channel that differs over the band: what effective SINRs are compared with.
//
//   g++ -std=c++20 -O2 -I. tests/oracles/ofdm_link.cc rf_profiles/errors/effective_sinr.cc rf_profiles/fading/band.cc
//   -o ofdm_link && ./ofdm_link
//
// For each mode: the SNR at which a tenth of the frames of 256 bytes is lost in a flat channel, and in channels of
// TDL-A with 100 ns (TR 38.901, 7.7.2; each drawn anew). Printed are, over these channels, mean and standard deviation
// of the distance of two predictions from the flat channel's SNR: the mean SNR over the band, and the effective SINR.
//
// The link is that of IEEE 802.11-2020, clause 17: code of 7 bits (133, 171), puncturing, interleaver of one symbol on
// 48 carriers, Gray mapping. The receiver knows the channel, demaps with the nearest points and decodes by Viterbi's
// algorithm. The channel is that of the carriers: echoes are within the guard interval.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>
#include <vector>

#include "rf_profiles/errors/effective_sinr.h"
#include "rf_profiles/fading/band.h"

namespace {

using Complex = std::complex<double>;
constexpr int kCarriers = 48;
constexpr int kBits = 8 * 256;

struct Mode {
  const char* name;
  int bits;  // on a carrier
  int numerator, denominator;
};
constexpr Mode kModes[] = {{"ofdm6", 1, 1, 2},  {"ofdm9", 1, 3, 4},  {"ofdm12", 2, 1, 2}, {"ofdm18", 2, 3, 4},
                           {"ofdm24", 4, 1, 2}, {"ofdm36", 4, 3, 4}, {"ofdm48", 6, 2, 3}, {"ofdm54", 6, 3, 4}};

// Both bits of the coder for each of 64 states and each input.
std::array<std::array<int, 2>, 64> coder_outputs() {
  std::array<std::array<int, 2>, 64> table{};
  for (int state = 0; state < 64; ++state) {
    for (int bit = 0; bit < 2; ++bit) {
      const unsigned window = static_cast<unsigned>(bit << 6 | state);  // newest first
      table[state][bit] = (std::popcount(window & 0133U) & 1) << 1 | (std::popcount(window & 0171U) & 1);
    }
  }
  return table;
}
const auto kOutputs = coder_outputs();

// Of the coded bits a1 b1 a2 b2 ...: which are sent.
bool is_sent(const Mode& mode, std::size_t coded) {
  constexpr bool kTwoThirds[] = {true, true, true, false};
  constexpr bool kThreeQuarters[] = {true, true, true, false, false, true};
  return mode.denominator == 2 || (mode.denominator == 3 ? kTwoThirds[coded % 4] : kThreeQuarters[coded % 6]);
}

// Where bit k of a symbol goes (17.3.5.7).
int interleaved(const Mode& mode, int k) {
  const int size = kCarriers * mode.bits;
  const int s = std::max(mode.bits / 2, 1);
  const int i = size / 16 * (k % 16) + k / 16;
  return s * (i / s) + (i + size - 16 * i / size) % s;
}

// Levels of one dimension by their Gray number, of mean power 1 over both dimensions.
std::vector<double> levels_of(int bits) {
  const int count = 1 << bits;
  std::vector<double> levels(count);
  double power = 0;
  for (int i = 0; i < count; ++i) {
    levels[i ^ i >> 1] = 2 * i - count + 1;
    power += (2.0 * i - count + 1) * (2 * i - count + 1) / count;
  }
  for (double& level : levels) {
    level /= std::sqrt(power);
  }
  return levels;
}

class Link {
 public:
  explicit Link(const Mode& mode) : mode_(mode), levels_(levels_of(std::max(mode.bits / 2, 1))) {
    for (int k = 0; k < kCarriers * mode.bits; ++k) {
      places_.push_back(interleaved(mode, k));
    }
  }

  // Whether a frame of random bits is lost where carriers have these power gains.
  bool loses(const std::vector<float>& gains, double snr) {
    std::vector<int> data(kBits + 6, 0);
    std::generate_n(data.begin(), kBits, [&] { return static_cast<int>(random_() & 1U); });
    std::vector<int> sent;
    int state = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const int both = kOutputs[state][data[i]];
      state = data[i] << 5 | state >> 1;
      for (int j = 0; j < 2; ++j) {
        if (is_sent(mode_, 2 * i + j)) {
          sent.push_back(both >> (1 - j) & 1);
        }
      }
    }
    const std::size_t whole = sent.size();
    const std::size_t of_symbol = kCarriers * mode_.bits;
    sent.resize((whole + of_symbol - 1) / of_symbol * of_symbol, 0);
    std::vector<double> soft(sent.size());
    for (std::size_t begin = 0; begin < sent.size(); begin += of_symbol) {
      pass_symbol(&sent[begin], &soft[begin], gains, snr);
    }
    std::vector<double> metric(2 * data.size(), 0);
    std::size_t next = 0;
    for (std::size_t coded = 0; coded < metric.size(); ++coded) {
      metric[coded] = is_sent(mode_, coded) ? soft[next++] : 0;
    }
    return decode(metric) != data;
  }

 private:
  // Soft values: positive where the bit is 1.
  void pass_symbol(const int* sent, double* soft, const std::vector<float>& gains, double snr) {
    std::vector<int> on_air(places_.size());
    std::vector<double> received(places_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) {
      on_air[places_[k]] = sent[k];
    }
    const int dimensions = mode_.bits == 1 ? 1 : 2;
    const int each = mode_.bits / dimensions;
    for (int carrier = 0; carrier < kCarriers; ++carrier) {
      const double power = snr * static_cast<double>(gains[carrier]);  // over noise of 1
      for (int d = 0; d < dimensions; ++d) {
        const std::size_t first = carrier * mode_.bits + d * each;
        pass(&on_air[first], &received[first], each, std::sqrt(power / dimensions));
      }
    }
    for (std::size_t k = 0; k < places_.size(); ++k) {
      soft[k] = received[places_[k]];
    }
  }

  // One dimension; noise of 1/2 in each.
  void pass(const int* bits, double* soft, int count, double amplitude) {
    int number = 0;
    for (int i = 0; i < count; ++i) {
      number = number << 1 | bits[i];
    }
    const double got = amplitude * levels_[number] + normal_(random_) * std::sqrt(0.5);
    for (int i = 0; i < count; ++i) {
      double nearest[2] = {1e30, 1e30};
      for (int other = 0; other < 1 << count; ++other) {
        const double away = got - amplitude * levels_[other];
        double& least = nearest[other >> (count - 1 - i) & 1];
        least = std::min(least, away * away);
      }
      soft[i] = nearest[0] - nearest[1];
    }
  }

  static std::vector<int> decode(const std::vector<double>& metric) {
    const std::size_t steps = metric.size() / 2;
    std::array<double, 64> best;
    best.fill(-1e30);
    best[0] = 0;
    std::vector<std::array<std::uint8_t, 64>> from(steps);
    for (std::size_t step = 0; step < steps; ++step) {
      std::array<double, 64> next;
      next.fill(-1e30);
      const double of[4] = {-metric[2 * step] - metric[2 * step + 1], -metric[2 * step] + metric[2 * step + 1],
                            metric[2 * step] - metric[2 * step + 1], metric[2 * step] + metric[2 * step + 1]};
      for (int state = 0; state < 64; ++state) {
        for (int bit = 0; bit < 2; ++bit) {
          const int to = bit << 5 | state >> 1;
          const double value = best[state] + of[kOutputs[state][bit]];
          if (value > next[to]) {
            next[to] = value;
            from[step][to] = static_cast<std::uint8_t>(state);
          }
        }
      }
      best = next;
    }
    std::vector<int> data(steps);
    int state = 0;  // the tail
    for (std::size_t step = steps; step-- > 0;) {
      data[step] = state >> 5;
      state = from[step][state];
    }
    return data;
  }

  const Mode& mode_;
  std::vector<double> levels_;
  std::vector<int> places_;
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

// dB at which a tenth of the frames is lost: a walk that goes up 9 steps for each loss and down 1 otherwise.
double tenth_lost_db(Link& link, const std::vector<float>& gains, double start_db, int frames) {
  double at = start_db;
  double sum = 0;
  int counted = 0;
  for (int i = 0; i < frames; ++i) {
    const double step = i < frames / 3 ? 0.1 : 0.02;
    at += link.loses(gains, std::pow(10, at / 10)) ? 9 * step : -step;
    if (i >= frames / 2) {
      sum += at;
      ++counted;
    }
  }
  return sum / counted;
}

std::vector<float> drawn_gains(std::mt19937& random) {
  constexpr double kDelays[] = {0,      .3819,  .4025,  .5868,  .4610,  .5375,  .6708,  .5750,
                                .7618,  1.5375, 1.8978, 2.2242, 2.1718, 2.4942, 2.5119, 3.0582,
                                4.0810, 4.4579, 4.5695, 4.7966, 5.0066, 5.3043, 9.6586};
  constexpr double kPowers[] = {-13.4, 0,     -2.2,  -4.0,  -6.0,  -8.2,  -9.9,  -10.5, -7.5,  -15.9, -6.6, -16.7,
                                -12.4, -15.2, -10.8, -11.3, -12.7, -16.2, -18.3, -18.9, -16.6, -19.9, -29.7};
  std::normal_distribution<double> normal;
  std::vector<hilgate::Echo> echoes;
  for (std::size_t tap = 0; tap < std::size(kDelays); ++tap) {
    const Complex gain(normal(random), normal(random));
    echoes.push_back({std::pow(10, kPowers[tap] / 20) * gain, kDelays[tap] * 100e-9});
  }
  constexpr hilgate::Hertz kWidth{kCarriers * 312.5e3};
  const hilgate::Band band(kWidth, (kCarriers - 0.5) / 4 / kWidth.value);  // a frequency for each carrier
  std::vector<float> gains(band.frequencies());
  band.gains_of(echoes, gains);
  return gains;
}

}  // namespace

int main() {
  constexpr int kChannels = 25;
  constexpr int kFrames = 500;
  std::printf("mode     flat dB   mean SNR: off, sd   effective: off, sd   beta\n");
  for (const Mode& mode : kModes) {
    Link link(mode);
    const std::vector<float> flat(kCarriers, 1.0F);
    const double flat_db = tenth_lost_db(link, flat, 4 + 3 * mode.bits, 3 * kFrames);
    const double beta = hilgate::eesm_beta(1U << mode.bits, static_cast<double>(mode.numerator) / mode.denominator);
    std::mt19937 random(11);
    double sums[2] = {};
    double squares[2] = {};
    for (int channel = 0; channel < kChannels; ++channel) {
      const std::vector<float> gains = drawn_gains(random);
      const double db = tenth_lost_db(link, gains, flat_db + 4, kFrames);
      const double off[] = {db - flat_db, hilgate::effective_sinr(gains, {db}, beta).value - flat_db};
      for (int i = 0; i < 2; ++i) {
        sums[i] += off[i] / kChannels;
        squares[i] += off[i] * off[i] / kChannels;
      }
    }
    std::printf("%-8s %7.2f   %8.2f %6.2f   %10.2f %6.2f   %8.2f\n", mode.name, flat_db, sums[0],
                std::sqrt(squares[0] - sums[0] * sums[0]), sums[1], std::sqrt(squares[1] - sums[1] * sums[1]), beta);
    std::fflush(stdout);
  }
}
