// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/protocol/dlep_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace hilgate::test {
namespace {

using testing::HasSubstr;
using testing::Optional;

std::vector<std::byte> dlep_bytes(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) {
    bytes.push_back(std::byte(value));
  }
  return bytes;
}
std::string dlep_text_of(std::initializer_list<unsigned> values) {
  const auto bytes = dlep_bytes(values);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Session Initialization with Heartbeat Interval 60000 ms, Peer Type "r" and no extension.
const std::vector<std::byte> kInitialization =
    dlep_bytes({0, 1, 0, 18, 0, 5, 0, 4, 0, 0, 0xEA, 0x60, 0, 4, 0, 2, 0, 'r', 0, 6, 0, 0});

DlepRouterMessage good_message(const std::vector<std::byte>& message) {
  const auto read = read_dlep_message(message);
  const auto* const fault = std::get_if<DlepFault>(&read);
  EXPECT_EQ(fault, nullptr) << fault->text;
  return fault == nullptr ? std::get<DlepRouterMessage>(read) : DlepRouterMessage{};
}
DlepFault dlep_fault_of(const std::vector<std::byte>& message) {
  const auto read = read_dlep_message(message);
  EXPECT_TRUE(std::holds_alternative<DlepFault>(read));
  return std::holds_alternative<DlepFault>(read) ? std::get<DlepFault>(read) : DlepFault{DlepStatusCode::kSuccess, ""};
}

TEST(DlepMessage, SessionInitializationIsRead) {
  const DlepRouterMessage message = good_message(kInitialization);
  EXPECT_EQ(message.type, DlepMessageType::kSessionInitialization);
  EXPECT_EQ(message.heartbeat, std::chrono::seconds(60));
  EXPECT_EQ(message.peer_type, "r");
}

TEST(DlepMessage, ResponsesAndRequestsAreRead) {
  const DlepRouterMessage response =
      good_message(dlep_bytes({0, 8, 0, 16, 0, 7, 0, 6, 2, 0x68, 0x67, 0, 0, 2, 0, 1, 0, 2, 1, 'n'}));
  EXPECT_EQ(response.type, DlepMessageType::kDestinationUpResponse);
  EXPECT_THAT(response.mac.eui48(), Optional(MacAddress{0x0268'6700'0002}));
  EXPECT_EQ(response.status, DlepStatusCode::kNotInterested);
  EXPECT_EQ(response.status_text, "n");
  const DlepRouterMessage request =
      good_message(dlep_bytes({0, 14, 0, 22, 0, 7, 0, 6, 2, 0x68, 0x67, 0, 0, 2, 0, 16, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9}));
  EXPECT_EQ(request.type, DlepMessageType::kLinkCharacteristicsRequest);
  const DlepRouterMessage long_mac = good_message(dlep_bytes({0, 11, 0, 12, 0, 7, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(long_mac.mac.size, 8);
  EXPECT_FALSE(long_mac.mac.eui48());
  EXPECT_EQ(good_message(dlep_bytes({0, 16, 0, 0})).type, DlepMessageType::kHeartbeat);
}

TEST(DlepMessage, LengthIsThatOfTheHeader) {
  EXPECT_EQ(dlep_message_bytes(std::span(kInitialization).first(3)), std::nullopt);
  EXPECT_THAT(dlep_message_bytes(std::span(kInitialization).first(4)), Optional(kInitialization.size()));
  EXPECT_THAT(dlep_message_bytes(dlep_bytes({0, 16, 0xFF, 0xFF})), Optional(65'539U));
}

TEST(DlepMessage, FaultsHaveTheirStatus) {
  EXPECT_EQ(dlep_fault_of(dlep_bytes({0, 0, 0, 0})).code, DlepStatusCode::kUnknownMessage);
  EXPECT_EQ(dlep_fault_of(dlep_bytes({0, 17, 0, 0})).code, DlepStatusCode::kUnknownMessage);
  EXPECT_EQ(dlep_fault_of(dlep_bytes({0, 7, 0, 0})).code, DlepStatusCode::kUnexpectedMessage) << "a modem's";
  struct Case {
    std::vector<std::byte> message;
    const char* text;
  };
  for (const auto& [message, text] : {
           Case{dlep_bytes({0, 16, 0, 3, 0, 7, 0}), "ends within the header"},
           Case{dlep_bytes({0, 11, 0, 5, 0, 7, 0, 6, 2}), "longer than its message"},
           Case{dlep_bytes({0, 16, 0, 5, 0, 1, 0, 1, 0}), "data item 1 does not belong"},
           Case{dlep_bytes({0, 16, 0, 4, 0xFF, 0xFF, 0, 0}), "data item 65535 does not belong"},
           Case{dlep_bytes({0, 11, 0, 0}), "data item 7 is missing"},
           Case{dlep_bytes({0, 11, 0, 9, 0, 7, 0, 5, 1, 2, 3, 4, 5}), "data item 7 has 5 bytes"},
           Case{dlep_bytes({0, 5, 0, 10, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0}), "data item 1 is there more than once"},
           Case{dlep_bytes({0, 5, 0, 4, 0, 1, 0, 0}), "data item 1 has 0 bytes"},
           Case{dlep_bytes({0, 1, 0, 13, 0, 5, 0, 4, 0, 0, 0, 0, 0, 4, 0, 1, 0}), "heartbeat interval is 0"},
           Case{dlep_bytes({0, 3, 0, 10, 0, 10, 0, 6, 1, 10, 0, 0, 0, 33}), "longer than 32"},
       }) {
    const DlepFault fault = dlep_fault_of(message);
    EXPECT_EQ(fault.code, DlepStatusCode::kInvalidData);
    EXPECT_THAT(fault.text, HasSubstr(text));
  }
}

TEST(DlepMessage, TextOfOthersHasNoControlCharacters) {
  const DlepRouterMessage message =
      good_message(dlep_bytes({0, 1, 0, 16, 0, 5, 0, 4, 0, 0, 0, 1, 0, 4, 0, 4, 0, 0x1B, '[', 0xC3}));
  EXPECT_EQ(message.peer_type, "?[?");
}

TEST(DlepMessage, DiscoveryIsASignal) {
  EXPECT_TRUE(is_dlep_discovery(dlep_bytes({'D', 'L', 'E', 'P', 0, 1, 0, 0})));
  EXPECT_TRUE(is_dlep_discovery(dlep_bytes({'D', 'L', 'E', 'P', 0, 1, 0, 6, 0, 4, 0, 2, 0, 'r'})));
  EXPECT_FALSE(is_dlep_discovery(dlep_bytes({'D', 'L', 'E', 'P', 0, 2, 0, 0}))) << "an offer";
  EXPECT_FALSE(is_dlep_discovery(dlep_bytes({'D', 'L', 'E', 'P', 0, 1, 0, 1}))) << "too short";
  EXPECT_FALSE(is_dlep_discovery(dlep_bytes({'D', 'L', 'E', 'P', 0, 1, 0, 0, 0}))) << "too long";
  EXPECT_FALSE(is_dlep_discovery(dlep_bytes({'D', 'L', 'E', 'X', 0, 1, 0, 0})));
  EXPECT_FALSE(is_dlep_discovery({}));
}

TEST(DlepMessage, OfferHasTheConnectionPoint) {
  EXPECT_EQ(std::move(DlepWriter::offer().peer_type("m").connection_point(*IpAddress::parse("10.9.0.1"), 854)).bytes(),
            dlep_text_of({'D', 'L', 'E', 'P', 0, 2, 0, 17, 0, 4, 0, 2, 0, 'm', 0, 2, 0, 7, 0, 10, 9, 0, 1, 3, 0x56}));
  EXPECT_EQ(std::move(DlepWriter::offer().connection_point(*IpAddress::parse("fe80::102"), 854)).bytes(),
            dlep_text_of({'D', 'L', 'E', 'P', 0, 2, 0, 23, 0, 3, 0, 19, 0, 0xFE, 0x80, 0,
                          0,   0,   0,   0,   0, 0, 0, 0,  0, 0, 0, 1,  2, 3,    0x56}));
}

TEST(DlepMessage, MetricsAreWrittenInTheirItems) {
  const DlepMetrics metrics{.max_receive_bps = 1,
                            .max_transmit_bps = 2,
                            .receive_bps = 3,
                            .transmit_bps = 4,
                            .latency_us = 5,
                            .receive_quality = 6,
                            .transmit_quality = 7,
                            .mtu = 1500};
  EXPECT_EQ(std::move(DlepWriter(DlepMessageType::kDestinationUpdate)
                          .mac(DlepMac::of(MacAddress{0x0268'6700'0002}))
                          .metrics(metrics))
                .bytes(),
            dlep_text_of({0, 13, 0, 86, 0, 7,   0,  6, 2, 0x68, 0x67, 0, 0, 2,  //
                          0, 12, 0, 8,  0, 0,   0,  0, 0, 0,    0,    1,        //
                          0, 13, 0, 8,  0, 0,   0,  0, 0, 0,    0,    2,        //
                          0, 14, 0, 8,  0, 0,   0,  0, 0, 0,    0,    3,        //
                          0, 15, 0, 8,  0, 0,   0,  0, 0, 0,    0,    4,        //
                          0, 16, 0, 8,  0, 0,   0,  0, 0, 0,    0,    5,        //
                          0, 18, 0, 1,  6, 0,   19, 0, 1, 7,                    //
                          0, 20, 0, 2,  5, 0xDC}));
}

TEST(DlepMessage, StatusAndAddressesAreWritten) {
  EXPECT_EQ(std::move(DlepWriter(DlepMessageType::kSessionTermination).status(DlepStatusCode::kTimedOut, "x")).bytes(),
            dlep_text_of({0, 5, 0, 6, 0, 1, 0, 2, 132, 'x'}));
  EXPECT_EQ(std::move(DlepWriter(DlepMessageType::kDestinationUp).address(*IpAddress::parse("10.0.0.2"))).bytes(),
            dlep_text_of({0, 7, 0, 9, 0, 8, 0, 5, 1, 10, 0, 0, 2}));
}

}  // namespace
}  // namespace hilgate::test
