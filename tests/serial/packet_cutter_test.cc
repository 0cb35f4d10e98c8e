// SPDX-License-Identifier: Apache-2.0
#include "serial/packet_cutter.h"

#include <gtest/gtest.h>

#include "serial/message_boundary.h"
#include "serial/serial_line.h"
#include "tests/serial/serial_bytes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kByte = byte_time(57'600);

class CutterTest : public testing::Test {
 protected:
  void arrive(const Bytes& bytes) {
    ASSERT_EQ(fifo_.push(bytes), bytes.size());
    last_byte_ = now_;
  }
  Bytes cut(PacketCutter& cutter, std::size_t room = 250) {
    Bytes packet(room);
    packet.resize(cutter.cut(fifo_, now_, last_byte_, packet));
    return packet;
  }
  ByteFifo fifo_{2048};
  HostTime now_{1s};
  HostTime last_byte_{};
  PacketCutter mavlink_{SerialFraming::kMavlink, kByte};
  PacketCutter raw_{SerialFraming::kRaw, kByte};
};

TEST_F(CutterTest, APacketHasAsManyWholeMessagesAsFit) {
  const Bytes a = mavlink2_like(88, 1);        // 100
  const Bytes b = mavlink1_like(92, 2);        // 100
  const Bytes c = mavlink2_like(20, 3, true);  // 45
  const Bytes d = mavlink2_like(4, 4);         // 16
  arrive(joined({a, b, c, d}));
  EXPECT_EQ(cut(mavlink_), joined({a, b, c}));
  EXPECT_EQ(cut(mavlink_), d);
  EXPECT_EQ(cut(mavlink_), Bytes{});
  EXPECT_EQ(mavlink_.patient_until(), HostTime::max());
}

TEST_F(CutterTest, TheRestOfAMessageIsWaitedFor) {
  const Bytes whole = mavlink2_like(30, 1);
  const Bytes begun = mavlink2_like(80, 2);
  arrive(joined({whole, {begun.begin(), begun.begin() + 2}}));
  EXPECT_EQ(cut(mavlink_), whole);
  EXPECT_EQ(cut(mavlink_), Bytes{});
  arrive({begun.begin() + 2, begun.begin() + 50});
  now_ = mavlink_.patient_until() - 1ns;
  EXPECT_EQ(cut(mavlink_), Bytes{});
  arrive({begun.begin() + 50, begun.end()});
  EXPECT_EQ(cut(mavlink_), begun);
}

TEST_F(CutterTest, LateInputIsNotAwaited) {
  const Bytes begun = mavlink2_like(200, 1);
  arrive({begun.begin(), begun.begin() + 60});
  EXPECT_EQ(cut(mavlink_), Bytes{});
  EXPECT_GE(mavlink_.patient_until() - now_, 212 * kByte);
  now_ = mavlink_.patient_until();
  EXPECT_EQ(cut(mavlink_), Bytes(begun.begin(), begun.begin() + 60));
  const Bytes next = mavlink2_like(9, 2);
  arrive(next);
  EXPECT_EQ(cut(mavlink_), next);
}

TEST_F(CutterTest, NoiseIsSentAsItIsUpToTheNextMessage) {
  const Bytes noise(37, std::byte{0x55});
  const Bytes message = mavlink2_like(9, 1);
  arrive(joined({noise, message, noise}));
  EXPECT_EQ(cut(mavlink_), noise);
  EXPECT_EQ(cut(mavlink_), message);
  EXPECT_EQ(cut(mavlink_), noise);
  arrive(Bytes(600, std::byte{0xAA}));
  EXPECT_EQ(cut(mavlink_).size(), 250U);
  EXPECT_EQ(cut(mavlink_).size(), 250U);
  EXPECT_EQ(cut(mavlink_).size(), 100U);
}

TEST_F(CutterTest, LongMessageIsSplitAndTheNextBeginsAPacket) {
  const Bytes longest = mavlink2_like(255, 1, true);  // 280
  const Bytes next = mavlink2_like(9, 2);
  arrive(joined({longest, next}));
  EXPECT_EQ(cut(mavlink_), Bytes(longest.begin(), longest.begin() + 250));
  EXPECT_EQ(cut(mavlink_), Bytes(longest.begin() + 250, longest.end()));
  EXPECT_EQ(cut(mavlink_), next);
  arrive(longest);  // LoRa's packets are shorter
  for (const std::size_t piece : {51U, 51U, 51U, 51U, 51U, 25U}) {
    EXPECT_EQ(cut(mavlink_, 51).size(), piece);
  }
}

TEST_F(CutterTest, RawPacketsAreFullOrEndWhereTheLineIsSilent) {
  arrive(Bytes(260, std::byte{0xFD}));
  EXPECT_EQ(cut(raw_).size(), 250U);
  EXPECT_EQ(cut(raw_).size(), 0U);
  now_ = raw_.patient_until();
  EXPECT_EQ(cut(raw_).size(), 10U);
  EXPECT_EQ(cut(raw_).size(), 0U);
  EXPECT_EQ(raw_.patient_until(), HostTime::max());
}

TEST(ByteFifo, KeepsOrderAroundItsEndAndTakesNoMoreThanItHasRoomFor) {
  ByteFifo fifo(5);
  EXPECT_EQ(fifo.push(Bytes{std::byte{1}, std::byte{2}, std::byte{3}}), 3U);
  fifo.drop(2);
  EXPECT_EQ(fifo.push(Bytes{std::byte{4}, std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}}), 4U);
  EXPECT_EQ(fifo.room(), 0U);
  Bytes seen(9);
  EXPECT_EQ(fifo.peek(1, seen), 4U);
  EXPECT_EQ(seen[0], std::byte{4});
  EXPECT_EQ(seen[3], std::byte{7});
  EXPECT_EQ(fifo.peek(5, seen), 0U);
  fifo.clear();
  EXPECT_TRUE(fifo.empty());
}

TEST(LineClock, GivesEachByteItsTenBits) {
  LineClock clock(byte_time(57'600));
  const HostTime start{10s};
  clock.begin(start);
  EXPECT_EQ(clock.passed(start), 0U);
  EXPECT_EQ(clock.passed(start + 10ms), 57U);
  clock.take(50);
  EXPECT_EQ(clock.passed(start + 10ms), 7U);
  EXPECT_EQ(clock.passed(start + 20ms), 65U);
  EXPECT_LE(clock.passed(start + 1h), static_cast<std::size_t>(LineClock::kMostBehind / byte_time(57'600)));
}

TEST(MessageBoundary, IsBetweenMessagesAlone) {
  MessageBoundary boundary;
  EXPECT_TRUE(boundary.between());
  const Bytes message = mavlink2_like(30, 1, true);
  for (std::size_t i = 0; i + 1 < message.size(); ++i) {
    boundary.pass({&message[i], 1});
    EXPECT_FALSE(boundary.between()) << i;
  }
  boundary.pass({&message.back(), 1});
  EXPECT_TRUE(boundary.between());
  boundary.pass(Bytes(5, std::byte{0x33}));
  EXPECT_TRUE(boundary.between()) << "noise";
  boundary.pass(mavlink1_like(0, 0));
  EXPECT_TRUE(boundary.between());
  boundary.pass({message.data(), 20});
  boundary.give_up();
  EXPECT_TRUE(boundary.between());
}

}  // namespace
}  // namespace hilgate::test
