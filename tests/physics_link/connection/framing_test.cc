// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/framing.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tests/hex.h"

namespace hilgate::test {
namespace {

using Status = FrameReader::Status;

void feed(FrameReader& reader, std::string_view bytes) {
  std::memcpy(reader.space(bytes.size()), bytes.data(), bytes.size());
  reader.received(bytes.size());
}

TEST(Framing, TheLengthIsFourBytesBigEndian) {
  std::string out;
  append_frame(std::string(300, 'a'), out);
  EXPECT_EQ(to_hex(out.substr(0, 5)), "0000012c61");
  EXPECT_EQ(out.size(), 304U);
}

TEST(Framing, FramesComeOutWholeHoweverTheyArrive) {
  std::string stream;
  append_frame("one", stream);
  append_frame("", stream);
  append_frame("three", stream);
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameReader reader;
    std::vector<std::string> frames;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      feed(reader, std::string_view(stream).substr(at, piece));
      std::string_view body;
      while (reader.next(body) == Status::kFrame) {
        frames.emplace_back(body);
      }
    }
    EXPECT_EQ(frames, (std::vector<std::string>{"one", "", "three"})) << "in pieces of " << piece;
    EXPECT_EQ(reader.pending(), 0U);
  }
}

TEST(Framing, LengthBeyondTheLimitIsReportedBeforeTheBodyArrives) {
  FrameReader reader(100);
  feed(reader, from_hex("00000064"));
  std::string_view body;
  EXPECT_EQ(reader.next(body), Status::kNeedMore) << "100 bytes are allowed";
  reader.reset();
  feed(reader, from_hex("00000065"));
  EXPECT_EQ(reader.next(body), Status::kTooLong);
  EXPECT_EQ(reader.announced(), 101U);
  reader.reset();
  feed(reader, from_hex("ffffffff"));
  EXPECT_EQ(reader.next(body), Status::kTooLong) << "and no allocation of 4 GiB";
}

}  // namespace
}  // namespace hilgate::test
