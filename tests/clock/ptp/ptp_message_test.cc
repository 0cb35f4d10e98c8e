// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_message.h"

#include <gtest/gtest.h>

#include <vector>

namespace hilgate::test {
namespace {

PtpHeader header() {
  PtpHeader result;
  result.domain = 3;
  result.flags = kPtpTwoStep;
  result.correction = -5 * 65536;
  result.source = {clock_identity(std::array<std::uint8_t, 6>{2, 0x68, 0x67, 0, 0, 1}), 1};
  result.sequence = 0xfffe;
  result.log_interval = -3;
  return result;
}

TEST(PtpMessage, HeaderRoundTrips) {
  const PtpMessage sync = make_sync(header());
  EXPECT_EQ(sync.length, 44U);
  EXPECT_EQ(sync.bytes[32], std::byte{0});
  const auto read = parse_ptp_header(sync.span());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->type, PtpType::kSync);
  EXPECT_EQ(read->domain, 3);
  EXPECT_EQ(read->flags, kPtpTwoStep);
  EXPECT_EQ(read->correction, -5 * 65536);
  EXPECT_EQ(to_string(read->source), "026867.fffe.000001-1");
  EXPECT_EQ(read->sequence, 0xfffe);
  EXPECT_EQ(read->log_interval, -3);
}

TEST(PtpMessage, TimestampKeepsYear2100AndClampsOverflow) {
  const PtpTime in_2100{std::chrono::seconds{4'102'444'800} + Nanoseconds{999'999'999}};
  EXPECT_EQ(parse_ptp_timestamp(make_follow_up(header(), in_2100).span()), in_2100);
  EXPECT_EQ(parse_ptp_timestamp(make_follow_up(header(), PtpTime{Nanoseconds{-1}}).span()), PtpTime{});
}

TEST(PtpMessage, TimestampBeyondASecondOrBeyond292YearsIsNothing) {
  PtpMessage message = make_follow_up(header(), PtpTime{});
  message.bytes[40] = std::byte{0xff};
  EXPECT_FALSE(parse_ptp_timestamp(message.span()));
  message = make_follow_up(header(), PtpTime{});
  message.bytes[34] = std::byte{0xff};
  EXPECT_FALSE(parse_ptp_timestamp(message.span()));
}

TEST(PtpMessage, AnnounceRoundTrips) {
  PtpAnnounce said;
  said.utc_offset_s = 37;
  said.priority1 = 10;
  said.clock_class = 13;
  said.grandmaster = header().source.clock;
  said.steps_removed = 2;
  said.time_source = 0x90;
  const PtpMessage message = make_announce(header(), said);
  EXPECT_EQ(message.length, 64U);
  const auto read = parse_announce(message.span());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->utc_offset_s, 37);
  EXPECT_EQ(read->priority1, 10);
  EXPECT_EQ(read->clock_class, 13);
  EXPECT_EQ(read->accuracy, 0xfe);
  EXPECT_EQ(read->variance, 0xffff);
  EXPECT_EQ(read->grandmaster, said.grandmaster);
  EXPECT_EQ(read->steps_removed, 2);
  EXPECT_EQ(read->time_source, 0x90);
}

TEST(PtpMessage, AnswersNameTheirRequester) {
  const PortIdentity robot{{{1, 2, 3, 4, 5, 6, 7, 8}}, 9};
  for (const PtpMessage& message :
       {make_delay_resp(header(), PtpTime{}, robot), make_pdelay_resp(header(), PtpTime{}, robot),
        make_pdelay_resp_follow_up(header(), PtpTime{}, robot)}) {
    EXPECT_EQ(message.length, 54U);
    EXPECT_EQ(parse_requester(message.span()), robot);
    EXPECT_TRUE(parse_ptp_header(message.span()));
  }
}

TEST(PtpMessage, DamagedMessagesAreNothing) {
  const PtpMessage sync = make_sync(header());
  std::vector<std::byte> bytes(sync.span().begin(), sync.span().end());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(parse_ptp_header(std::span{bytes}.first(length))) << length;
  }
  std::vector<std::byte> other = bytes;
  other[1] = std::byte{1};
  EXPECT_FALSE(parse_ptp_header(other)) << "version 1";
  other = bytes;
  other[0] = std::byte{0x5};
  EXPECT_FALSE(parse_ptp_header(other)) << "no such type";
  other = bytes;
  other[3] = std::byte{43};
  EXPECT_FALSE(parse_ptp_header(other)) << "shorter than a Sync";
}

TEST(PtpMessage, PaddingAfterTheMessageIsIgnored) {
  const PtpMessage sync = make_sync(header());
  std::vector<std::byte> bytes(sync.span().begin(), sync.span().end());
  bytes.resize(60);
  EXPECT_TRUE(parse_ptp_header(bytes));
}

}  // namespace
}  // namespace hilgate::test
