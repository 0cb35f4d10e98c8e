// SPDX-License-Identifier: Apache-2.0
#include "path/fate/error_meter.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

constexpr std::uint64_t kSeed = 20240601;
constexpr double kSurprising = 1e-3;  // outside the 99.9 % interval

BitHazard hazard_of(double ber) {
  return {-std::log1p(-ber)};
}

// Walks frames of `bits` and calls back with (frame, bit) for every error. One random stream per frame, as the path.
template <class OnError>
void walk(std::uint64_t frames, std::uint64_t bits, BitHazard hazard, OnError on_error) {
  ErrorMeter meter(FrameRandom(kSeed, 1, 1ULL << 40));
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    FrameRandom random(kSeed, 1, frame);
    for (std::uint64_t at = 0; at < bits; ++at) {
      at += meter.next_error(bits - at, hazard, random);
      if (at < bits) {
        on_error(frame, at);
      }
    }
  }
}

struct Case {
  double ber;
  std::uint64_t frames;
};
class AtBer : public testing::TestWithParam<Case> {};

// 12000 bits, a frame of 1500 bytes.
TEST_P(AtBer, ErrorsAreBinomial) {
  constexpr std::uint64_t kBits = 12000;
  const auto [ber, frames] = GetParam();
  std::uint64_t errors = 0;
  std::uint64_t hit_frames = 0;
  std::uint64_t last_frame = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> where(60);
  walk(frames, kBits, hazard_of(ber), [&](std::uint64_t frame, std::uint64_t bit) {
    ++errors;
    hit_frames += frame != last_frame ? 1 : 0;
    last_frame = frame;
    ++where[bit * where.size() / kBits];
  });
  EXPECT_GT(binomial_tails(errors, frames * kBits, ber), kSurprising) << errors << " errors";
  const double frame_error = -std::expm1(static_cast<double>(kBits) * std::log1p(-ber));
  EXPECT_GT(binomial_tails(hit_frames, frames, frame_error), kSurprising) << hit_frames << " frames hit";
  EXPECT_GT(uniform_tail(where), kSurprising) << "positions are not uniform";
}
INSTANTIATE_TEST_SUITE_P(ErrorMeter, AtBer,
                         testing::Values(Case{1e-3, 20'000}, Case{1e-5, 200'000}, Case{1e-7, 2'000'000}));

TEST(ErrorMeter, ErrorsPerFrameFollowTheBinomialDistribution) {
  constexpr std::uint64_t kBits = 12000;
  constexpr std::uint64_t kFrames = 20'000;
  constexpr double kBer = 1e-3;
  std::vector<std::uint64_t> per_frame(kFrames);
  walk(kFrames, kBits, hazard_of(kBer), [&](std::uint64_t frame, std::uint64_t) { ++per_frame[frame]; });
  constexpr std::uint64_t kLow = 4;  // both ends are gathered so that every bin expects some
  constexpr std::uint64_t kHigh = 22;
  std::vector<std::uint64_t> counts(kHigh - kLow + 1);
  for (const std::uint64_t errors : per_frame) {
    ++counts[std::clamp(errors, kLow, kHigh) - kLow];
  }
  std::vector<double> expected(counts.size());
  for (std::uint64_t k = 0; k < 200; ++k) {
    expected[std::clamp(k, kLow, kHigh) - kLow] += kFrames * binomial_probability(k, kBits, kBer);
  }
  EXPECT_GT(chi_square_tail(counts, expected), kSurprising);
}

// Errors that follow at a distance of exactly one bit must be as frequent as the BER says: none are merged.
TEST(ErrorMeter, GapsAreGeometric) {
  constexpr double kBer = 0.2;
  std::vector<std::uint64_t> gaps(30);
  std::uint64_t last = 0;
  std::uint64_t total = 0;
  walk(1, 1'000'000, hazard_of(kBer), [&](std::uint64_t, std::uint64_t bit) {
    if (total++ > 0) {
      ++gaps[std::min<std::uint64_t>(bit - last - 1, gaps.size() - 1)];
    }
    last = bit;
  });
  std::vector<double> expected;
  for (std::size_t k = 0; k + 1 < gaps.size(); ++k) {
    expected.push_back(static_cast<double>(total - 1) * kBer * std::pow(1 - kBer, static_cast<double>(k)));
  }
  expected.push_back(static_cast<double>(total - 1) * std::pow(1 - kBer, static_cast<double>(gaps.size() - 1)));
  EXPECT_GT(chi_square_tail(gaps, expected), kSurprising);
}

TEST(ErrorMeter, BerZeroNeverErrs) {
  ErrorMeter meter(FrameRandom(kSeed, 1, 0));
  FrameRandom random(kSeed, 1, 1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(meter.clean(1ULL << 50, BitHazard{0}));
    EXPECT_EQ(meter.next_error(1ULL << 50, BitHazard{0}, random), 1ULL << 50);
  }
}

TEST(ErrorMeter, BerOneHitsEveryBit) {
  std::uint64_t expected = 0;
  walk(3, 500, hazard_of(1.0),
       [&](std::uint64_t frame, std::uint64_t bit) { EXPECT_EQ(frame * 500 + bit, expected++); });
  EXPECT_EQ(expected, 1500U);
}

// Powers of two as hazard make the arithmetic exact, so the same errors must be found to the bit.
TEST(ErrorMeter, SplittingAFrameDoesNotMoveItsErrors) {
  constexpr BitHazard kHazard{0x1p-9};
  constexpr std::uint64_t kBits = 1'000'000;
  const auto errors_in_pieces = [&](std::uint64_t piece) {
    ErrorMeter meter(FrameRandom(kSeed, 2, 0));
    FrameRandom random(kSeed, 2, 1);
    std::vector<std::uint64_t> errors;
    for (std::uint64_t start = 0; start < kBits; start += piece) {
      for (std::uint64_t at = 0; at < piece; ++at) {
        at += meter.next_error(piece - at, kHazard, random);
        if (at < piece) {
          errors.push_back(start + at);
        }
      }
    }
    return errors;
  };
  const auto whole = errors_in_pieces(kBits);
  EXPECT_GT(whole.size(), 1000U);
  EXPECT_EQ(errors_in_pieces(1), whole);
  EXPECT_EQ(errors_in_pieces(8), whole);
  EXPECT_EQ(errors_in_pieces(10'000), whole);
}

// The BER changes after every 100 bits; each part must show its own, whatever came before.
TEST(ErrorMeter, ABerThatChangesHasNoMemory) {
  constexpr double kBers[] = {1e-2, 1e-4, 0.5, 1e-3};
  constexpr std::uint64_t kBits = 100;
  constexpr std::uint64_t kRounds = 200'000;
  std::uint64_t errors[4] = {};
  ErrorMeter meter(FrameRandom(kSeed, 3, 0));
  FrameRandom random(kSeed, 3, 1);
  for (std::uint64_t i = 0; i < 4 * kRounds; ++i) {
    for (std::uint64_t at = 0; at < kBits; ++at) {
      at += meter.next_error(kBits - at, hazard_of(kBers[i % 4]), random);
      errors[i % 4] += at < kBits ? 1 : 0;
    }
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(binomial_tails(errors[i], kRounds * kBits, kBers[i]), kSurprising) << kBers[i];
  }
}

TEST(ErrorMeter, RestartGivesEachTryItsOwnChance) {
  constexpr double kBer = 1e-4;
  constexpr std::uint64_t kBits = 10'000;
  constexpr std::uint64_t kTries = 100'000;
  ErrorMeter meter(FrameRandom(kSeed, 4, 0));
  FrameRandom random(kSeed, 4, 1);
  std::uint64_t failed = 0;
  for (std::uint64_t i = 0; i < kTries; ++i) {
    if (!meter.clean(kBits, hazard_of(kBer))) {
      ++failed;
      meter.restart(random);
    }
  }
  EXPECT_GT(binomial_tails(failed, kTries, -std::expm1(kBits * std::log1p(-kBer))), kSurprising);
}

}  // namespace
}  // namespace hilgate::test
