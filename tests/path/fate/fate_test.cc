// SPDX-License-Identifier: Apache-2.0
#include "path/fate/fate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "frame/serial_frame.h"
#include "tests/support/gateway_rig.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr LinkSlot kLink{1};
constexpr std::uint64_t kSeed = 77;
constexpr double kSurprising = 1e-3;

// One link with its state, rules and mode, from which fates are drawn as the path does.
struct Air {
  LinkState state{};
  LinkRules rules{};
  PhyMode mode = ht_mcs7();
  Bytes frame = udp_frame(1, 2, 1000);
  LinkNow now{};
  ImpairmentState memory{};
  std::uint64_t seed = kSeed;

  void begin() {
    now = LinkNow{};
    now.meter = first_meter(seed, kLink);
    now.fold(state, rules, 1);
  }
  [[nodiscard]] FateInputs inputs(bool group) {
    return {state, rules, mode, frame, static_cast<std::uint32_t>(frame.size()), group, {}, {}, &memory};
  }
  Fate draw(bool group = false) { return draw_fate(seed, kLink, inputs(group), now); }
  [[nodiscard]] double frame_error(double ber) const {
    const auto bits = static_cast<double>(mode.air_bits(static_cast<std::uint32_t>(frame.size())));
    return -std::expm1(bits * std::log1p(-ber));
  }
};

std::uint64_t count_lost(Air& air, std::uint64_t frames, DropReason reason, bool group = false) {
  std::uint64_t lost = 0;
  for (std::uint64_t i = 0; i < frames; ++i) {
    const Fate fate = air.draw(group);
    if (fate.lost) {
      EXPECT_EQ(*fate.lost, reason);
      ++lost;
    }
  }
  return lost;
}

TEST(Fate, ErrorFreeAirCarriesEverythingUnderEveryPolicy) {
  for (int policy = 0; policy < 5; ++policy) {
    Air air{.rules = {.policy = static_cast<ErrorPolicy>(policy)}};
    air.begin();
    for (int i = 0; i < 1000; ++i) {
      const Fate fate = air.draw();
      ASSERT_FALSE(fate.lost);
      ASSERT_EQ(fate.failing_tries, 0U);
      ASSERT_EQ(fate.errors, 0U);
      ASSERT_FALSE(fate.marked);
    }
  }
}

TEST(Fate, BerOneIsTheEndUnderEveryPolicy) {
  const auto fate_under = [](ErrorPolicy policy, bool group = false) {
    Air air{.state = {.unicast = hazard_of(1), .multicast = hazard_of(1)}, .rules = {.policy = policy, .tries = 4}};
    air.begin();
    return air.draw(group);
  };
  EXPECT_EQ(fate_under(ErrorPolicy::kFcsDrop).lost, DropReason::kLostOnAir);
  EXPECT_EQ(fate_under(ErrorPolicy::kFcsDrop).failing_tries, 1U);
  EXPECT_EQ(fate_under(ErrorPolicy::kArq).lost, DropReason::kRetriesSpent);
  EXPECT_EQ(fate_under(ErrorPolicy::kArq).failing_tries, 4U);
  EXPECT_EQ(fate_under(ErrorPolicy::kArq, true).lost, DropReason::kLostOnAir);  // groups are not repeated
  EXPECT_EQ(fate_under(ErrorPolicy::kArq, true).failing_tries, 1U);
  EXPECT_EQ(fate_under(ErrorPolicy::kCorruptRaw).lost, DropReason::kHeaderHit);
  EXPECT_EQ(fate_under(ErrorPolicy::kCorruptFixsum).lost, DropReason::kHeaderHit);
  EXPECT_FALSE(fate_under(ErrorPolicy::kMarkOnly).lost);
  EXPECT_TRUE(fate_under(ErrorPolicy::kMarkOnly).marked);
}

TEST(Fate, APacketOfALineOnACableHasNoHeaderThatErrorsCouldHit) {
  const auto header = serial_header(PortSlot{3}, kLineStream);
  Air air{.state = {.unicast = hazard_of(0.01)}, .rules = {.policy = ErrorPolicy::kCorruptRaw}, .mode = {}};
  air.frame.assign(header.begin(), header.end());
  air.frame.resize(header.size() + 20, std::byte{0x5A});
  air.begin();
  EXPECT_EQ(count_lost(air, 1000, DropReason::kHeaderHit), 0U);
  air.frame[6] = std::byte{0x06};  // not a header of the gateway's own
  air.begin();
  EXPECT_GT(count_lost(air, 1000, DropReason::kHeaderHit), 500U);
}

TEST(Fate, FcsDropLosesFramesAtTheFrameErrorRate) {
  constexpr double kBer = 2e-5;
  Air air{.state = {.unicast = hazard_of(kBer)}};
  air.begin();
  const std::uint64_t lost = count_lost(air, 100'000, DropReason::kLostOnAir);
  EXPECT_GT(binomial_tails(lost, 100'000, air.frame_error(kBer)), kSurprising) << lost;
}

// Residual loss p^(n+1), mean transmissions (1 - p^(n+1)) / (1 - p), n repeats.
TEST(Fate, ArqLeavesTheResidualLossAndTheMeanOfTries) {
  Air air{.rules = {.policy = ErrorPolicy::kArq, .tries = 4, .retry_delay = 2ms}};
  const double ber = -std::expm1(std::log(0.5) / static_cast<double>(air.mode.air_bits(1042)));
  air.state.unicast = hazard_of(ber);
  air.state.delay = 1ms;
  air.begin();
  constexpr std::uint64_t kFrames = 100'000;
  std::uint64_t lost = 0;
  std::uint64_t transmissions = 0;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const Fate fate = air.draw();
    transmissions += fate.failing_tries + (fate.lost ? 0 : 1);
    if (fate.lost) {
      ASSERT_EQ(*fate.lost, DropReason::kRetriesSpent);
      ASSERT_EQ(fate.failing_tries, 4U);
      ++lost;
    } else {
      ASSERT_EQ(fate.delay, 1ms + 2ms * fate.failing_tries);
    }
  }
  EXPECT_GT(binomial_tails(lost, kFrames, 0.0625), kSurprising) << lost;
  // Mean 1.875, standard deviation 1.05 per frame: 3.3 of the mean's are 0.011.
  EXPECT_NEAR(static_cast<double>(transmissions) / kFrames, 1.875, 0.011);
}

TEST(Fate, GroupsUseTheMulticastHazardAndOneTry) {
  constexpr double kBer = 5e-5;
  Air air{.state = {.unicast = hazard_of(1), .multicast = hazard_of(kBer)}, .rules = {.policy = ErrorPolicy::kArq}};
  air.begin();
  const std::uint64_t lost = count_lost(air, 50'000, DropReason::kLostOnAir, true);
  EXPECT_GT(binomial_tails(lost, 50'000, air.frame_error(kBer)), kSurprising);
}

TEST(Fate, MarkOnlyMarksTheFramesThatFcsDropLoses) {
  constexpr double kBer = 2e-5;
  Air air{.state = {.unicast = hazard_of(kBer)}, .rules = {.policy = ErrorPolicy::kMarkOnly}};
  air.begin();
  std::uint64_t marked = 0;
  for (int i = 0; i < 50'000; ++i) {
    const Fate fate = air.draw();
    ASSERT_FALSE(fate.lost);
    marked += fate.marked ? 1 : 0;
  }
  EXPECT_GT(binomial_tails(marked, 50'000, air.frame_error(kBer)), kSurprising);
}

TEST(Fate, CorruptPoliciesHitHeadersAndPayloadInProportion) {
  constexpr double kBer = 1e-5;
  Air air{.state = {.unicast = hazard_of(kBer)}, .rules = {.policy = ErrorPolicy::kCorruptRaw}};
  air.begin();
  std::uint64_t header = 0;
  std::uint64_t clean = 0;
  constexpr std::uint64_t kFrames = 200'000;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const Fate fate = air.draw();
    header += fate.lost == DropReason::kHeaderHit ? 1 : 0;
    clean += !fate.lost && fate.errors == 0 ? 1 : 0;
  }
  // The IP header, and what the radio has around the packet: all of its frame but 1028 bytes.
  const auto length = static_cast<std::uint32_t>(air.frame.size());
  const auto around = static_cast<double>(air.mode.air_bits(length) - 8ULL * (length - PhyMode::kEthernetHeader));
  EXPECT_GT(binomial_tails(header, kFrames, -std::expm1((8 * 20 + around) * std::log1p(-kBer))), kSurprising);
  EXPECT_GT(binomial_tails(clean, kFrames, 1 - air.frame_error(kBer)), kSurprising);
}

TEST(Fate, UnderCorruptPoliciesLostOrDamagedIsTheFrameErrorRate) {
  constexpr double kBer = 2e-5;
  constexpr std::uint64_t kFrames = 100'000;
  PhyMode short_frames = ht_mcs7();
  short_frames.frame_error_bits = 800;
  PhyMode without_header = ht_mcs7();
  without_header.overhead_bytes = -10;
  for (const PhyMode& mode : {ht_mcs7(), short_frames, without_header}) {
    for (const ErrorPolicy policy : {ErrorPolicy::kCorruptRaw, ErrorPolicy::kCorruptFixsum}) {
      for (const bool protect : {true, false}) {
        Air air{.state = {.unicast = hazard_of(kBer)},
                .rules = {.policy = policy, .protect_headers = protect},
                .mode = mode};
        air.begin();
        std::uint64_t hit = 0;
        for (std::uint64_t i = 0; i < kFrames; ++i) {
          const bool clean = arrives_clean(air.now, air.mode, static_cast<std::uint32_t>(air.frame.size()), 14, false);
          const Fate fate = clean ? Fate{} : air.draw();
          hit += fate.lost || fate.errors > 0 ? 1 : 0;
        }
        const auto length = static_cast<std::uint32_t>(air.frame.size());
        const auto own = static_cast<double>(std::max<std::uint64_t>(mode.air_bits(length), 8 * length));
        const double share = protect ? 1 : 8.0 * length / own;  // else errors around the frame's bytes do nothing
        const double bits = share * static_cast<double>(mode.error_bits(length));
        EXPECT_GT(binomial_tails(hit, kFrames, -std::expm1(bits * std::log1p(-kBer))), kSurprising)
            << hit << ' ' << mode.frame_error_bits << ' ' << mode.overhead_bytes << ' ' << protect;
      }
    }
  }
}

TEST(Fate, ConfiguredLossIsExactAtZeroAndOneAndFairBetween) {
  Air never{.rules = {.impairments = independent_loss(0)}};
  never.begin();
  EXPECT_EQ(count_lost(never, 10'000, DropReason::kConfiguredLoss), 0U);
  Air always{.rules = {.impairments = independent_loss(1)}};
  always.begin();
  EXPECT_EQ(count_lost(always, 10'000, DropReason::kConfiguredLoss), 10'000U);
  Air some{.rules = {.impairments = independent_loss(0.01)}};
  some.begin();
  const std::uint64_t lost = count_lost(some, 100'000, DropReason::kConfiguredLoss);
  EXPECT_GT(binomial_tails(lost, 100'000, 0.01), kSurprising) << lost;
}

TEST(Fate, UnreachableLosesEveryTry) {
  Air air{.state = {.reachable = false}, .rules = {.policy = ErrorPolicy::kArq, .tries = 7}};
  air.begin();
  const Fate unicast = air.draw();
  EXPECT_EQ(unicast.lost, DropReason::kUnreachable);
  EXPECT_EQ(unicast.failing_tries, 7U);
  EXPECT_EQ(air.draw(true).failing_tries, 1U);
}

TEST(Fate, ExtraHazardAddsToTheRadios) {
  Air air{.state = {.unicast = hazard_of(1e-5)}, .rules = {.extra_hazard = hazard_of(2e-5)}};
  air.begin();
  const double both = 1 - (1 - 1e-5) * (1 - 2e-5);
  const std::uint64_t lost = count_lost(air, 50'000, DropReason::kLostOnAir);
  EXPECT_GT(binomial_tails(lost, 50'000, air.frame_error(both)), kSurprising);
}

// What a frame meets depends on its number on the link, not on what became of those before.
TEST(Fate, ConfiguredLossIsKeyedByTheFrameNumber) {
  Air one{.rules = {.impairments = independent_loss(0.5)}};
  Air other{.state = {.unicast = hazard_of(1e-4)},
            .rules = {.policy = ErrorPolicy::kArq, .impairments = independent_loss(0.5)}};
  one.begin();
  other.begin();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(one.draw().lost == DropReason::kConfiguredLoss, other.draw().lost == DropReason::kConfiguredLoss) << i;
  }
}

TEST(Fate, TheNoteWalksTheErrorsThatTheFateCounted) {
  Air air{.state = {.unicast = hazard_of(3e-4)},
          .rules = {.policy = ErrorPolicy::kCorruptFixsum, .impairments = independent_loss(0.2)}};
  air.begin();
  std::uint64_t damaged = 0;
  for (int i = 0; i < 2000; ++i) {
    const Fate fate = air.draw();
    if (fate.lost || fate.errors == 0) {
      continue;
    }
    const DamageNote note = fate.damage;
    Bytes after = air.frame;
    FrameBytes bytes;
    bytes.append(after);
    DamageNote raw = note;
    raw.repair_checksums = false;
    apply_errors(raw, bytes);
    std::uint32_t flips = 0;
    for (std::size_t at = 0; at < after.size(); ++at) {
      flips += static_cast<std::uint32_t>(std::popcount(std::to_integer<unsigned>(after[at] ^ air.frame[at])));
    }
    ASSERT_EQ(flips, fate.errors);
    ++damaged;
  }
  EXPECT_GT(damaged, 500U);
}

// Where the receiver combines tries, each has its own hazard; the last one's holds for all further tries.
TEST(Fate, CombinedTriesAreLostWithTheProbabilityOfEach) {
  Air air{.state = {.unicast = hazard_of(1e-4)},
          .rules = {.policy = ErrorPolicy::kArq, .tries = 5, .repeat_delay = 8ms, .combines = true}};
  const double bers[] = {1e-4, 6e-5, 4e-5, 3e-5, 3e-5};
  for (std::size_t i = 0; i < 3; ++i) {
    air.state.combined[i] = static_cast<float>(hazard_of(bers[i + 1]).per_bit);
  }
  air.begin();
  constexpr std::uint64_t kFrames = 40'000;
  std::uint64_t failing[6] = {};
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const Fate fate = air.draw();
    ++failing[fate.failing_tries];
    EXPECT_EQ(fate.delay, 8ms * fate.failing_tries);
    EXPECT_EQ(fate.lost.has_value(), fate.failing_tries == 5);
  }
  double reach = 1;
  for (std::size_t tries = 0; tries < 5; ++tries) {
    const double loss = air.frame_error(bers[tries]);
    EXPECT_GT(binomial_tails(failing[tries], kFrames, reach * (1 - loss)), kSurprising) << tries;
    reach *= loss;
  }
  EXPECT_GT(binomial_tails(failing[5], kFrames, reach), kSurprising);
}

// A packet in n pieces, each repeated by itself: it is lost when one of them is, 1 - (1 - p^tries)^n.
TEST(Fate, PiecesOfAPacketAreRepeatedOneByOne) {
  Air air{.state = {.unicast = hazard_of(3e-4)}, .rules = {.policy = ErrorPolicy::kArq, .tries = 3}};
  air.mode.fragment_bytes = 100;
  air.begin();
  const std::uint32_t pieces = air.mode.fragments(static_cast<std::uint32_t>(air.frame.size()));
  ASSERT_EQ(pieces, 11U);
  const auto bits = air.mode.air_bits(static_cast<std::uint32_t>(air.frame.size()));
  const double piece = -std::expm1(static_cast<double>((bits + pieces - 1) / pieces) * std::log1p(-3e-4));
  constexpr std::uint64_t kFrames = 40'000;
  std::uint64_t lost = 0;
  std::uint64_t sent = 0;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const Fate fate = air.draw();
    if (!fate.lost) {
      EXPECT_EQ(fate.fragments_sent, fate.failing_tries + pieces);
    }
    lost += fate.lost ? 1 : 0;
    sent += fate.lost ? 0 : fate.fragments_sent;
  }
  const double gone = std::pow(piece, 3);
  EXPECT_GT(binomial_tails(lost, kFrames, 1 - std::pow(1 - gone, pieces)), kSurprising);
  // Of those that arrive, each piece took (1 + 2 p + 3 p^2) (1 - p) / (1 - p^3) transmissions.
  const double mean = (1 + 2 * piece + 3 * piece * piece) * (1 - piece) / (1 - gone);
  EXPECT_NEAR(static_cast<double>(sent) / static_cast<double>(kFrames - lost), pieces * mean, 0.005 * pieces);
}

TEST(Fate, FramesBeyondTheRadioAreNotTried) {
  Air air{.rules = {.mtu_bytes = 1000}};
  air.begin();
  const auto length = static_cast<std::uint32_t>(air.frame.size());  // 14 + 20 + 8 + 1000
  EXPECT_FALSE(arrives_clean(air.now, air.mode, length, 14, false));
  FateInputs in = air.inputs(false);
  in.payload = 14;
  EXPECT_EQ(draw_fate(kSeed, kLink, in, air.now).lost, DropReason::kTooLong);
  in.length = 14 + 1000;
  EXPECT_FALSE(draw_fate(kSeed, kLink, in, air.now).lost);
  EXPECT_TRUE(arrives_clean(air.now, air.mode, 14 + 1000, 14, false));
}

// arrives_clean() is draw_fate() cut short: both must tell the same of every frame and leave the same behind.
TEST(Fate, TheShortWayAgreesWithTheLongOne) {
  for (int policy = 0; policy < 5; ++policy) {
    Air quick{.state = {.unicast = hazard_of(3e-5)}, .rules = {.policy = static_cast<ErrorPolicy>(policy)}};
    Air full = quick;
    quick.begin();
    full.begin();
    for (int i = 0; i < 3000; ++i) {
      const Fate fate = full.draw();
      const bool plain = !fate.lost && fate.failing_tries == 0 && fate.errors == 0 && !fate.marked;
      const bool clean =
          arrives_clean(quick.now, quick.mode, static_cast<std::uint32_t>(quick.frame.size()), 14, false);
      ASSERT_EQ(clean, plain) << "policy " << policy << ", frame " << i;
      if (!clean) {
        const Fate same = quick.draw();
        ASSERT_EQ(same.lost, fate.lost);
        ASSERT_EQ(same.failing_tries, fate.failing_tries);
        ASSERT_EQ(same.errors, fate.errors);
      }
      ASSERT_EQ(quick.now.frames, full.now.frames);
    }
  }
}

// Frames of changing lengths, some too long for the radio, all in one and each by itself.
TEST(Fate, ManyInOneAgreeWithEachAlone) {
  for (const double ber : {0.0, 3e-5, 1e-3}) {
    Air one{.state = {.unicast = hazard_of(ber)}, .rules = {.mtu_bytes = 1200}};
    one.begin();
    Air many = one;
    std::mt19937_64 random(5);
    for (int run = 0; run < 300; ++run) {
      int clean = 0;
      {
        CleanFrames frames(many.now, many.mode, 14, false);
        bool goes_on = true;
        while (goes_on && clean < 40) {
          const std::uint32_t length = random() % 3 == 0 ? 60 : 60 + static_cast<std::uint32_t>(random() % 1200);
          goes_on = arrives_clean(one.now, one.mode, length, 14, false);
          ASSERT_EQ(frames.take(length), goes_on) << "run " << run << ", length " << length;
          clean += goes_on ? 1 : 0;
        }
      }
      ASSERT_EQ(many.now.frames, one.now.frames);
      one.draw();
      many.draw();
    }
  }
}

}  // namespace
}  // namespace hilgate::test
