// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>

#include "tests/hex.h"

namespace hilgate::test {
namespace {

TEST(Gzip, ReturnsPackedDataAtEveryLevel) {
  for (int level = 0; level <= 9; ++level) {
    Gzip gzip(level);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1500}, std::size_t{300'000}}) {
      std::string plain(size, 'x');
      for (std::size_t i = 0; i < size; ++i) {
        plain[i] = static_cast<char>(i * i % 251);
      }
      std::string packed;
      gzip.pack(plain, packed);
      std::string back;
      EXPECT_FALSE(gzip.unpack(packed, back)) << "level " << level << ", " << size << " bytes";
      EXPECT_EQ(back, plain);
    }
  }
}

TEST(Gzip, WritesAGzipMemberAndNotRawZlib) {
  Gzip gzip;
  std::string packed;
  gzip.pack("", packed);
  EXPECT_EQ(packed.substr(0, 3), from_hex("1f8b08"));
  EXPECT_EQ(packed.size(), 20U);  // as Python writes an empty message
}

TEST(Gzip, ReadsTheEmptyMemberOfTheReferenceWriter) {
  Gzip gzip;
  std::string plain = "before";
  EXPECT_FALSE(gzip.unpack(from_hex("1f8b080000000000020303000000000000000000"), plain));
  EXPECT_EQ(plain, "");
}

// As zlib reads it, which everybody has who speaks to us.
std::string inflated(std::string_view packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string in(packed), out(Gzip::kStored + 100, '?');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Gzip, StoresOneBlockAsZlibReadsIt) {
  Gzip gzip(9);
  for (const std::size_t size : {std::size_t{1}, std::size_t{115}, Gzip::kStored, Gzip::kStored + 1}) {
    const std::string plain(size, 'a');
    std::string packed = "before";
    gzip.pack(plain, packed);
    EXPECT_EQ(inflated(packed.substr(6)), plain);
    EXPECT_EQ(packed.size() > size, size <= Gzip::kStored) << size;  // what is longer is packed
  }
}

TEST(Gzip, EveryWrongBitIsDetected) {
  Gzip gzip;
  const std::string plain = "positions of two robots";
  std::string packed;
  gzip.pack(plain, packed);
  constexpr std::size_t kOptions = 10;  // time, system: they may be anything
  for (std::size_t bit = 8 * kOptions; bit < 8 * packed.size(); ++bit) {
    std::string wrong = packed;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ (1 << bit % 8));
    std::string back;
    const bool unused = bit >= 8 * kOptions + 3 && bit < 8 * kOptions + 8;  // up to the block's next byte
    EXPECT_EQ(gzip.unpack(wrong, back).has_value(), !unused) << "bit " << bit;
  }
}

TEST(Gzip, RefusesABombAtTheLimitAndNotBelow) {
  Gzip gzip(9, 100'000);
  std::string packed;
  gzip.pack(std::string(100'000, '\0'), packed);
  std::string plain;
  EXPECT_FALSE(gzip.unpack(packed, plain));
  packed.clear();
  gzip.pack(std::string(100'001, '\0'), packed);
  const MaybeFault fault = gzip.unpack(packed, plain);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kBomb);
  EXPECT_NE(fault->detail.find("limit of 100000 bytes"), std::string::npos) << fault->detail;
  EXPECT_LE(plain.size(), 100'001U);
}

TEST(Gzip, RefusesABombBeforeItIsUnpacked) {
  Gzip gzip(9, 1'000'000);
  std::string packed;
  gzip.pack(std::string(20'000'000, '\0'), packed);
  std::string plain;
  const MaybeFault fault = gzip.unpack(packed, plain);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kBomb);
  EXPECT_LT(plain.capacity(), 1000U);
}

TEST(Gzip, UnpacksAtMostTheLengthOfTheMember) {
  Gzip gzip(9);
  std::string packed;
  gzip.pack(std::string(20'000'000, '\0'), packed);
  for (const std::size_t said : {std::size_t{0}, std::size_t{100}, std::size_t{19'999'999}}) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      packed[packed.size() - 4 + byte] = static_cast<char>(said >> 8 * byte);
    }
    std::string plain;
    const MaybeFault fault = gzip.unpack(packed, plain);
    ASSERT_TRUE(fault) << said;
    EXPECT_EQ(fault->error, ProtocolError::kBadGzip);
    EXPECT_LE(plain.capacity(), 2 * (said + 100));
  }
}

TEST(Gzip, EveryTruncationIsAFault) {
  Gzip gzip;
  std::string packed;
  gzip.pack("a message that is long enough to have a body", packed);
  std::string plain;
  for (std::size_t keep = 0; keep < packed.size(); ++keep) {
    const MaybeFault fault = gzip.unpack(std::string_view(packed).substr(0, keep), plain);
    ASSERT_TRUE(fault) << keep;
    EXPECT_EQ(fault->error, ProtocolError::kBadGzip);
  }
}

TEST(Gzip, RefusesGarbageRawZlibAndTrailingBytes) {
  Gzip gzip;
  std::string packed;
  gzip.pack("x", packed);
  std::string plain;
  for (const std::string& bad : {std::string("garbage"), from_hex("789c030000000001"), packed + "y"}) {
    const MaybeFault fault = gzip.unpack(bad, plain);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->error, ProtocolError::kBadGzip);
  }
  EXPECT_FALSE(gzip.unpack(packed, plain)) << "and works again afterwards";
}

TEST(Gzip, RefusesALevelThatZlibDoesNotHave) {
  EXPECT_THROW(Gzip(10), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
