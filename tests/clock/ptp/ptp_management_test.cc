// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_management.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hex.h"

namespace hilgate::test {
namespace {

// Recorded between pmc's way of asking and linuxptp 3.1.1 over a veth pair.
constexpr std::string_view kTimeStatus =
    "0d02006800000000000000000000000000000000926401fffee2d34100000000047f000000000000000000010000020000010034c000"
    "000000000000042118e9eafb4cd949870000000000000000000000000000000000000000000000000001e667adfffe3451a3";
constexpr std::string_view kCurrent =
    "0d02004800000000000000000000000000000000926401fffee2d34100000000047f0000000000000000000100000200000100142001"
    "000100000000042100000000000009750000";
constexpr std::string_view kPortEvent =
    "0d02005000000000000000000000000000000000926401fffee2d34100010000047f00000000000000000002010102000001001c2004"
    "926401fffee2d341000108fd00000000000000000003fd010002";

TEST(PtpManagement, AsksAsPmcDoes) {
  ManagementRequest request;
  request.sender.port = 1;
  EXPECT_EQ(make_get(request), bytes_from_hex("0d020036000000000000000000000000000000000000000000000000000100"
                                              "00047fffffffffffffffffffff0000000000010002c000"));
}

TEST(PtpManagement, ReadsTimeStatus) {
  const auto bytes = bytes_from_hex(kTimeStatus);
  const auto reply = parse_management(bytes);
  ASSERT_TRUE(reply);
  EXPECT_EQ(to_string(reply->source), "926401.fffe.e2d341-0");
  const auto status = parse_time_status(reply->data);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->master_offset, Nanoseconds{1057});
  EXPECT_EQ(status->ingress_ns, 1795224291530852743);
  EXPECT_TRUE(status->grandmaster_is_other);
  EXPECT_EQ(to_string(status->grandmaster), "e667ad.fffe.3451a3");
}

TEST(PtpManagement, ReadsCurrentDataSet) {
  const auto bytes = bytes_from_hex(kCurrent);
  const auto current = parse_current_data_set(parse_management(bytes)->data);
  ASSERT_TRUE(current);
  EXPECT_EQ(current->steps_removed, 1);
  EXPECT_EQ(current->mean_path_delay, Nanoseconds{2421});
}

TEST(PtpManagement, ReadsPortNotification) {
  const auto bytes = bytes_from_hex(kPortEvent);
  const auto port = parse_port_data_set(parse_management(bytes)->data);
  ASSERT_TRUE(port);
  EXPECT_EQ(port->state, PtpPortState::kUncalibrated);
  EXPECT_EQ(port->port.port, 1);
  EXPECT_EQ(port->log_sync_interval, -3);
  EXPECT_EQ(port->delay_mechanism, 1);
}

TEST(PtpManagement, SubscriptionIs120BytesWithThePortStateBit) {
  const auto message = make_subscription({}, 60);
  ASSERT_EQ(message.size(), 120U);
  EXPECT_EQ(message[2], std::byte{0});
  EXPECT_EQ(message[3], std::byte{0x78});
  EXPECT_EQ(message[46], std::byte{1});
  EXPECT_EQ(message[51], std::byte{0x44});
  EXPECT_EQ(message[55], std::byte{60});
  EXPECT_EQ(message[56], std::byte{1});
}

TEST(PtpManagement, TakesErrorStatus) {
  auto bytes = bytes_from_hex(kTimeStatus);
  bytes.resize(60);
  bytes[3] = std::byte{60};
  bytes[49] = std::byte{2};
  bytes[51] = std::byte{8};
  bytes[52] = std::byte{0};
  bytes[53] = std::byte{2};
  bytes[54] = std::byte{0xc0};
  bytes[55] = std::byte{0};
  const auto reply = parse_management(bytes);
  ASSERT_TRUE(reply && reply->error);
  EXPECT_EQ(*reply->error, 2);
  EXPECT_EQ(reply->id, 0xc000);
  EXPECT_TRUE(reply->data.empty());
}

TEST(PtpManagement, IgnoresEveryTruncation) {
  const auto bytes = bytes_from_hex(kTimeStatus);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(parse_management(std::span{bytes}.first(length))) << length;
  }
}

TEST(PtpManagement, IgnoresRequestsOtherVersionsAndTlvsThatOverrun) {
  auto request = bytes_from_hex(kTimeStatus);
  request[46] = std::byte{0};
  EXPECT_FALSE(parse_management(request));
  auto version_1 = bytes_from_hex(kTimeStatus);
  version_1[1] = std::byte{1};
  EXPECT_FALSE(parse_management(version_1));
  auto overrun = bytes_from_hex(kTimeStatus);
  overrun[51] = std::byte{0x35};
  EXPECT_FALSE(parse_management(overrun));
  auto no_id = bytes_from_hex(kTimeStatus);
  no_id[51] = std::byte{1};
  EXPECT_FALSE(parse_management(no_id));
}

TEST(PtpManagement, DataSetsThatAreTooShortAreNothing) {
  const std::vector<std::byte> empty(3);
  EXPECT_FALSE(parse_time_status(empty));
  EXPECT_FALSE(parse_current_data_set(empty));
  EXPECT_FALSE(parse_time_properties(empty));
  EXPECT_FALSE(parse_port_data_set(empty));
}

}  // namespace
}  // namespace hilgate::test
