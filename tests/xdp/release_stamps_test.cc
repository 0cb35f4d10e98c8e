// SPDX-License-Identifier: Apache-2.0
// Requests of transmit timestamps and what becomes of them, over rings without a kernel.
#include "xdp/release_stamps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "xdp/abi.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::SizeIs;

constexpr std::uint32_t kRing = 64;
constexpr std::uint32_t kStampChunks = 256;
constexpr std::int64_t kTaiAtZero = 1'700'000'037'000'000'000;
constexpr HostTime kStart{5s};
constexpr Nanoseconds kMargin{200};

// A transmit ring with its memory, and a kernel that takes what it is given and writes the timestamps that are
// requested.
class ReleaseStampsTest : public testing::Test {
 protected:
  ReleaseStampsTest() {
    tx_.mask = kRing - 1;
    tx_.size = kRing;
    tx_.ring = descriptors_.data();
    show_line({.line = {.from = DeviceLine::DeviceTime{Nanoseconds{kTaiAtZero}}, .to = HostTime{}},
               .margin = kMargin,
               .valid = true});
  }

  void show_line(const StampLine& line) { port_.line.store(line); }

  /// A frame of the gateway as it lies in its chunk after it has arrived.
  std::uint64_t make_frame() {
    std::uint64_t address = 0;
    EXPECT_EQ(umem_.allocate({&address, 1}), 1U);
    address += Umem::kHeadroom;
    umem_.set_segment(address, 60);
    return address;
  }

  /// A frame of the chunk at `address`, and of further ones.
  void release(std::uint64_t address, HostTime due, const std::vector<std::uint64_t>& further = {}) {
    const auto segments = static_cast<std::uint32_t>(1 + further.size());
    stamps_.note_due(tx_.cached_prod, segments, due);
    for (std::uint32_t i = 0; i < segments; ++i) {
      *xsk_ring_prod__tx_desc(&tx_, tx_.cached_prod++) = {
          .addr = i == 0 ? address : further[i - 1], .len = 60, .options = i + 1 < segments ? kXdpPacketContinued : 0};
    }
    pending_ += segments;
  }

  /// Gives the burst to the kernel at `now`; returns the addresses of the frames whose timestamp is requested.
  std::vector<std::uint64_t> give(HostTime now) {
    stamps_.request(tx_, pending_, now);
    std::vector<std::uint64_t> asked;
    for (std::uint32_t i = tx_.cached_prod - pending_; i != tx_.cached_prod; ++i) {
      const xdp_desc& descriptor = *xsk_ring_prod__tx_desc(&tx_, i);
      if ((descriptor.options & kXdpTxMetadata) != 0) {
        asked.push_back(descriptor.addr);
      }
    }
    pending_ = 0;
    return asked;
  }

  XskTxMetadata metadata(std::uint64_t address) {
    XskTxMetadata metadata;
    std::memcpy(&metadata, umem_.data(address) - Umem::kTransmitNote, sizeof metadata);
    return metadata;
  }

  void leaves(std::uint64_t address, HostTime at) {
    XskTxMetadata written = metadata(address);
    written.tx_timestamp = static_cast<std::uint64_t>(at.time_since_epoch().count() + kTaiAtZero);
    std::memcpy(umem_.data(address) - Umem::kTransmitNote, &written, sizeof written);
  }

  void complete(std::uint64_t address, HostTime now) {
    struct {
      HostTime instant;
      [[nodiscard]] HostTime now() const { return instant; }
    } clock{now};
    stamps_.completed(address, clock);
    umem_.free_chunk(address);
  }

  StampTotals totals() {
    stamps_.publish();
    return port_.totals.load();
  }

  /// One frame, due at kStart, that is given to the kernel at once.
  StampTotals one_frame(std::optional<HostTime> leaves_at, HostTime completed) {
    const std::uint64_t address = make_frame();
    release(address, kStart);
    EXPECT_THAT(give(kStart), SizeIs(1));
    if (leaves_at) {
      leaves(address, *leaves_at);
    }
    complete(address, completed);
    return totals();
  }

  Umem umem_{{.chunks = kStampChunks, .chunk_size = 2048}};
  PortStamps port_;
  ReleaseStamps stamps_{umem_, port_, kRing, {.stamps = true, .launches = true}};
  std::array<xdp_desc, kRing> descriptors_{};
  xsk_ring_prod tx_{};
  std::uint32_t pending_ = 0;
};

TEST_F(ReleaseStampsTest, RequestDirectlyPrecedesTheFrame) {
  const std::uint64_t address = make_frame();
  std::memset(umem_.data(umem_.buffer(address)), 0xee, Umem::kHeadroom + 60);
  release(address, kStart);
  EXPECT_THAT(give(kStart), testing::ElementsAre(address));
  EXPECT_EQ(metadata(address).flags, kXdpTxmdFlagsTimestamp);
  EXPECT_EQ(metadata(address).tx_timestamp, 0U);
  const std::span<const std::byte> chunk(umem_.data(umem_.buffer(address)), Umem::kHeadroom + 60);
  EXPECT_THAT(chunk.first(Umem::kHeadroom - Umem::kTransmitNote), Each(std::byte{0xee})) << "with the pool's note";
  EXPECT_THAT(chunk.subspan(Umem::kHeadroom), Each(std::byte{0xee}));
}

TEST_F(ReleaseStampsTest, ErrorIsTheTimestampInHostTimeMinusTheDueTime) {
  const StampTotals totals = one_frame(kStart + 3us, kStart + 9us);
  EXPECT_EQ(totals.requested, 1U);
  EXPECT_EQ(totals.count(), 1U);
  EXPECT_EQ(totals.latest, 3us);
  EXPECT_EQ(totals.errors.quantile(1), Nanoseconds{4096});
  EXPECT_EQ(totals.early + totals.missing + totals.unusable, 0U);
}

TEST_F(ReleaseStampsTest, LineMayHaveARateOfItsOwn) {
  show_line(
      {.line = {.from = DeviceLine::DeviceTime{Nanoseconds{kTaiAtZero}}, .to = kStart, .rate = ClockRate::from(1.5)},
       .margin = kMargin,
       .valid = true});
  EXPECT_EQ(one_frame(HostTime{2us}, kStart + 9us).latest, 3us);
}

TEST_F(ReleaseStampsTest, EarlyMeansBeforeTheDueTimeByMoreThanTheMargin) {
  EXPECT_EQ(one_frame(kStart - kMargin, kStart + 9us).early, 0U);
  const StampTotals totals = one_frame(kStart - kMargin - 1ns, kStart + 9us);
  EXPECT_EQ(totals.early, 1U);
  EXPECT_EQ(totals.count(), 2U);
  EXPECT_EQ(totals.latest, 0us);
}

TEST_F(ReleaseStampsTest, TimestampsThatAreNotWrittenAreMissing) {
  const StampTotals totals = one_frame(std::nullopt, kStart + 9us);
  EXPECT_EQ(totals.missing, 1U);
  EXPECT_EQ(totals.count(), 0U);
}

TEST_F(ReleaseStampsTest, TimestampsOutsideTheTimeWithTheKernelAreUnusable) {
  one_frame(kStart - StampBook::kTolerance - 1ns, kStart + 9us);
  one_frame(kStart + 9us + StampBook::kTolerance + 1ns, kStart + 9us);
  show_line({});
  const StampTotals totals = one_frame(kStart + 3us, kStart + 9us);
  EXPECT_EQ(totals.unusable, 3U);
  EXPECT_EQ(totals.count() + totals.early + totals.missing, 0U);
}

TEST_F(ReleaseStampsTest, OfABurstOneFrameOf16IsStampedInRotation) {
  std::set<std::uint32_t> places;
  for (int burst = 0; burst < 100; ++burst) {
    std::vector<std::uint64_t> frames;
    for (std::uint32_t i = 0; i < 40; ++i) {
      frames.push_back(make_frame());
      release(frames.back(), kStart);
    }
    const std::vector<std::uint64_t> asked = give(kStart);
    EXPECT_THAT(asked, SizeIs(3)) << "40 / 16, rounded up";
    for (const std::uint64_t address : frames) {
      if (std::ranges::count(asked, address) > 0) {
        places.insert(static_cast<std::uint32_t>(std::ranges::find(frames, address) - frames.begin()));
        leaves(address, kStart + 1us);
      }
      complete(address, kStart + 2us);
    }
  }
  EXPECT_THAT(places, SizeIs(40)) << "none is left out for good";
  EXPECT_EQ(totals().requested, 300U);
  EXPECT_EQ(totals().count(), 300U);
  EXPECT_EQ(umem_.available(), kStampChunks);
}

TEST_F(ReleaseStampsTest, OfAFrameInSeveralChunksTheFirstHasTheRequestAndOnlyOne) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint64_t> chunks;
    for (int i = 0; i < 17; ++i) {
      chunks.push_back(make_frame());
    }
    release(chunks[0], kStart, {chunks.begin() + 1, chunks.end()});
    EXPECT_THAT(give(kStart), testing::ElementsAre(chunks[0]));
    leaves(chunks[0], kStart + 1us);
    for (const std::uint64_t chunk : chunks) {
      complete(chunk, kStart + 2us);
    }
  }
  EXPECT_EQ(totals().requested, 20U);
  EXPECT_EQ(totals().count(), 20U);
}

TEST_F(ReleaseStampsTest, CompletionsMayComeInAnyOrderAndLater) {
  std::vector<std::uint64_t> frames;
  for (int i = 0; i < 8; ++i) {
    frames.push_back(make_frame());
    release(frames.back(), kStart);
    give(kStart);
    leaves(frames.back(), kStart + std::chrono::microseconds{i + 1});
  }
  EXPECT_EQ(totals().count(), 0U);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    complete(*frame, kStart + 20us);
  }
  EXPECT_EQ(totals().count(), 8U);
  EXPECT_EQ(totals().latest, 8us);
}

TEST_F(ReleaseStampsTest, FramesWithOtherOwnersAndWithoutADueTimeHaveNone) {
  const std::uint64_t shared = make_frame();
  umem_.share({.buffer = umem_.buffer(shared)}, 1);
  release(shared, kStart);
  EXPECT_THAT(give(kStart), SizeIs(0)) << "another port may be sending the same memory";
  umem_.free_chunk(shared);
  release(shared, kStart);
  EXPECT_THAT(give(kStart), SizeIs(1)) << "the last owner is alone";
  const std::uint64_t without = make_frame();
  release(without, kNoDue);
  EXPECT_THAT(give(kStart), SizeIs(0));
  EXPECT_EQ(totals().requested, 1U);
}

// The kernel's notes about an arrival and about a departure use the same bytes, one after the other.
TEST_F(ReleaseStampsTest, NothingIsLeftThatCouldBeTakenForAnArrival) {
  static_assert(sizeof(hg_frame_meta) <= Umem::kTransmitNote);
  const std::uint64_t address = make_frame();
  release(address, kStart);
  give(kStart);
  leaves(address, kStart + 1us);
  complete(address, kStart + 2us);
  const std::span<const std::byte> place(umem_.data(address) - Umem::kTransmitNote, Umem::kTransmitNote);
  EXPECT_THAT(place, Each(std::byte{0}));
}

// As long as the device does not keep launch times, frames have none; those of the trial get one when they are due.
TEST_F(ReleaseStampsTest, ALaunchTimeSharesThePlaceWithTheTimestamp) {
  HostTime now = kStart;
  const auto show_lines = [&](std::uint32_t lines) {
    for (std::uint32_t i = 0; i < lines; ++i) {
      now += 100ms;
      show_line({.line = {.from = DeviceLine::DeviceTime{Nanoseconds{kTaiAtZero}}, .to = HostTime{}},
                 .margin = kMargin,
                 .valid = true});
      stamps_.look(now);
    }
  };
  const auto release_to_launch = [&](HostTime due) {
    const std::uint64_t address = make_frame();
    release(address, due);
    stamps_.launch(*xsk_ring_prod__tx_desc(&tx_, tx_.cached_prod - 1), due, now);
    return address;
  };
  show_lines(LaunchTimes::kSteadyLines - 1);
  EXPECT_FALSE(stamps_.launches());
  show_lines(1);
  for (std::uint32_t trial = 0; trial < LaunchTimes::kTrials; ++trial) {
    EXPECT_TRUE(stamps_.launches());
    EXPECT_EQ(stamps_.launch_lead(), 0ns) << "it gets frames when they are due";
    const HostTime launch = now + LaunchTimes::kTrialAhead + kMargin;
    const std::uint64_t address = release_to_launch(now);
    EXPECT_THAT(give(now), SizeIs(1));
    EXPECT_EQ(metadata(address).flags, kXdpTxmdFlagsTimestamp | kXdpTxmdFlagsLaunchTime);
    EXPECT_EQ(static_cast<std::int64_t>(metadata(address).launch_time), kTaiAtZero + launch.time_since_epoch().count());
    leaves(address, launch);
    now = launch + 1us;
    complete(address, now);
  }
  EXPECT_EQ(stamps_.launch_lead(), LaunchTimes::kFirstLead);
  stamps_.look(now);
  EXPECT_TRUE(port_.launch_report.load().used);

  const HostTime due = now + LaunchTimes::kFirstLead;
  std::vector<std::uint64_t> frames;
  for (std::uint32_t i = 0; i < 2 * ReleaseStamps::kFramesPerStamp; ++i) {
    frames.push_back(release_to_launch(due));
  }
  EXPECT_THAT(give(now), SizeIs(frames.size())) << "all have metadata, and two of them a request";
  std::uint64_t asked = 0;
  for (const std::uint64_t address : frames) {
    EXPECT_EQ(static_cast<std::int64_t>(metadata(address).launch_time),
              kTaiAtZero + (due + kMargin).time_since_epoch().count());
    asked += metadata(address).flags & kXdpTxmdFlagsTimestamp;
    EXPECT_NE(metadata(address).flags & kXdpTxmdFlagsLaunchTime, 0U);
    if ((metadata(address).flags & kXdpTxmdFlagsTimestamp) != 0) {
      leaves(address, due + kMargin);
    }
    complete(address, due + 2us);
    const std::span<const std::byte> place(umem_.data(address) - Umem::kTransmitNote, Umem::kTransmitNote);
    EXPECT_THAT(place, Each(std::byte{0})) << "also of those without a timestamp";
  }
  EXPECT_EQ(asked, 2U);
  EXPECT_EQ(totals().requested, LaunchTimes::kTrials + 2);
  EXPECT_EQ(totals().count(), LaunchTimes::kTrials + 2);
  EXPECT_EQ(totals().missing + totals().unusable + totals().early, 0U);
  EXPECT_EQ(umem_.available(), kStampChunks);

  release_to_launch(now + 1ms);
  give(now);
  stamps_.abandon();
  EXPECT_FALSE(stamps_.launches()) << "other sockets begin with a trial";
}

TEST_F(ReleaseStampsTest, IncompleteStampsAtSocketCloseAreMissing) {
  release(make_frame(), kStart);
  release(make_frame(), kStart);
  EXPECT_THAT(give(kStart), SizeIs(1));
  stamps_.abandon();
  stamps_.abandon();
  EXPECT_EQ(port_.totals.load().missing, 1U);
  EXPECT_EQ(port_.totals.load().requested, 1U);
}

}  // namespace
}  // namespace hilgate::test
