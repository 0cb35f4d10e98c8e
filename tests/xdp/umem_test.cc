// SPDX-License-Identifier: Apache-2.0
#include "xdp/umem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/large_pages.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint32_t kChunks = 64;

// A frame over as many chunks as there are lengths, its bytes counting through them.
Frame make_frame(Umem& umem, const std::vector<std::uint32_t>& lengths) {
  Frame frame;
  std::uint64_t last = 0;
  std::uint8_t value = 0;
  for (const std::uint32_t length : lengths) {
    std::uint64_t address = 0;
    EXPECT_EQ(umem.allocate({&address, 1}), 1U);
    address += Umem::kHeadroom;
    for (std::uint32_t i = 0; i < length; ++i) {
      umem.data(address)[i] = std::byte{value++};
    }
    umem.set_segment(address, length);
    if (frame.data == nullptr) {
      frame = {.buffer = umem.buffer(address), .data = umem.data(address), .length = 0, .head_length = length};
    } else {
      umem.link_segments(last, address);
    }
    frame.length += length;
    last = address;
  }
  return frame;
}

std::vector<std::byte> bytes_of(Umem& umem, const Frame& frame) {
  std::vector<std::byte> bytes;
  umem.for_each_segment(frame, [&](std::span<std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  return bytes;
}

TEST(Umem, MakesFramesOfBytes) {
  Umem umem({.chunks = kChunks, .chunk_size = 2048});
  const std::uint32_t before = umem.available();
  const std::vector<std::byte> bytes(1514, std::byte{7});
  const auto frame = umem.make(bytes);
  ASSERT_TRUE(frame);
  EXPECT_EQ(bytes_of(umem, *frame), bytes);
  EXPECT_EQ(frame->length, 1514U);
  EXPECT_FALSE(umem.is_shared(*frame));
  umem.free(*frame);
  EXPECT_EQ(umem.available(), before);
  EXPECT_FALSE(umem.make(std::vector<std::byte>(1793))) << "more than one chunk holds";
  std::vector<Frame> all;
  while (const auto one = umem.make(bytes)) {
    all.push_back(*one);
  }
  EXPECT_EQ(all.size(), kChunks);
  for (const Frame& one : all) {
    umem.free(one);
  }
}

TEST(Umem, MovesTheStartOfAFrameAndCopiesItFromThere) {
  Umem umem({.chunks = kChunks});
  Frame frame = make_frame(umem, {100, 50});
  ASSERT_TRUE(umem.move_start(frame, 4));
  EXPECT_EQ(frame.length, 146U);
  EXPECT_EQ(frame.head_length, 96U);
  EXPECT_EQ(frame.data[0], std::byte{4});
  const auto copy = umem.copy(frame);
  ASSERT_TRUE(copy);
  EXPECT_EQ(bytes_of(umem, *copy), bytes_of(umem, frame));
  ASSERT_TRUE(umem.move_start(frame, static_cast<int>(Umem::kLeastOffset) - 4 - static_cast<int>(Umem::kHeadroom)));
  EXPECT_EQ(frame.data, umem.data(frame.buffer) + Umem::kLeastOffset);
  EXPECT_FALSE(umem.move_start(frame, -1)) << "room for transmit metadata stays in front of it";
  EXPECT_FALSE(umem.move_start(frame, static_cast<int>(frame.head_length)));
  umem.free(frame);
  umem.free(*copy);
  EXPECT_EQ(umem.available(), kChunks);
}

TEST(Umem, RefusesSizesTheKernelDoesNotTake) {
  EXPECT_THAT([] { Umem({.chunks = 64, .chunk_size = 1024}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("chunk of 1024 bytes; the kernel supports 2048 or 4096")));
  EXPECT_THAT([] { Umem({.chunks = 8}); }, ThrowsMessage<std::runtime_error>(HasSubstr("8 chunks; the minimum is 64")));
}

TEST(Umem, HasItsPagesOncePopulated) {
  if (madvise(nullptr, 0, MADV_POPULATE_WRITE) != 0) {
    GTEST_SKIP() << "needs Linux 5.14";
  }
  Umem umem({.chunks = 8192});
  const std::span<std::byte> area = umem.area();
  populate(area.data(), area.size());
  std::vector<unsigned char> resident(area.size() / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  ASSERT_EQ(mincore(area.data(), area.size(), resident.data()), 0);
  EXPECT_THAT(resident, testing::Each(testing::Truly([](unsigned char one) { return (one & 1) != 0; })));
}

TEST(Umem, ReportsItsSizeInBytes) {
  const Umem umem({.chunks = 1024, .chunk_size = 4096});
  EXPECT_GE(umem.memory_bytes(), std::size_t{1024} * 4096);
  EXPECT_LE(umem.memory_bytes(), std::size_t{1024} * (4096 + 32));
}

TEST(Umem, GivesEveryChunkOnceAndThenNoMore) {
  Umem umem({.chunks = kChunks});
  std::vector<std::uint64_t> all(kChunks + 1);
  ASSERT_EQ(umem.allocate(all), kChunks);
  EXPECT_EQ(umem.available(), 0U);
  all.resize(kChunks);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  for (const std::uint64_t address : all) {
    umem.free_chunk(address + 300);  // any byte of it names a chunk
  }
  EXPECT_EQ(umem.available(), kChunks);
}

TEST(Umem, TheChunkFreedLastIsTakenFirst) {
  Umem umem({.chunks = kChunks});
  std::vector<std::uint64_t> two(2);
  umem.allocate(two);
  umem.free_chunk(two[0]);
  std::uint64_t again = 0;
  umem.allocate({&again, 1});
  EXPECT_EQ(again, two[0]);
}

TEST(Umem, IsFreeWhenTheLastOwnerGivesUp) {
  Umem umem({.chunks = kChunks});
  const Frame frame = make_frame(umem, {100, 200});
  EXPECT_FALSE(umem.is_shared(frame));
  umem.share(frame, 2);
  EXPECT_TRUE(umem.is_shared(frame));
  umem.free(frame);
  umem.free(frame);
  EXPECT_FALSE(umem.is_shared(frame));
  EXPECT_EQ(umem.available(), kChunks - 2);
  umem.free(frame);
  EXPECT_EQ(umem.available(), kChunks);
}

TEST(Umem, ACopyIsPrivateAndTheSame) {
  Umem umem({.chunks = kChunks});
  const Frame frame = make_frame(umem, {1792, 1792, 40});
  const std::optional<Frame> copied = umem.copy(frame);
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->length, 1792U + 1792U + 40U);
  EXPECT_EQ(copied->head_length, 1792U);
  EXPECT_EQ(bytes_of(umem, *copied), bytes_of(umem, frame));
  const std::byte before = frame.data[0];
  copied->data[0] ^= std::byte{1};
  EXPECT_EQ(frame.data[0], before);
  umem.free(*copied);
  umem.free(frame);
  EXPECT_EQ(umem.available(), kChunks);
}

TEST(Umem, ACopyThatDoesNotFitTakesNothing) {
  Umem umem({.chunks = kChunks});
  const Frame frame = make_frame(umem, {100, 100, 100});
  std::vector<std::uint64_t> rest(kChunks - 3 - 2);
  umem.allocate(rest);
  EXPECT_EQ(umem.available(), 2U);
  EXPECT_FALSE(umem.copy(frame));
  EXPECT_EQ(umem.available(), 2U);
}

TEST(Umem, ReclaimsTheFramesOfAClosedPort) {
  Umem umem({.chunks = kChunks});
  const std::uint16_t one = umem.add_port();
  const std::uint16_t other = umem.add_port();
  std::vector<std::uint64_t> lent(10);
  umem.allocate(lent);
  for (std::size_t i = 0; i < lent.size(); ++i) {
    umem.lend(lent[i], i < 4 ? one : other);
  }
  umem.set_segment(lent[9], 60);  // came back with a frame
  EXPECT_EQ(umem.take_back(other, 0, 3), 3U) << "in slices";
  EXPECT_EQ(umem.take_back(other, 3, kChunks), kChunks);
  EXPECT_EQ(umem.available(), kChunks - 5);
  umem.take_back(one, 0, kChunks);
  EXPECT_EQ(umem.available(), kChunks - 1);
}

}  // namespace
}  // namespace hilgate::test
