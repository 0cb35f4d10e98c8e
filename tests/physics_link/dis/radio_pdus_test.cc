// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dis/radio_pdus.h"

#include <gtest/gtest.h>

#include <vector>

#include "host/byte_cursor.h"
#include "tests/physics_link/dis/pdu_files.h"

namespace hilgate::dis::test {
namespace {

using namespace std::chrono_literals;

constexpr RadioId kSender{.entity = {1, 2, 7}, .radio = 2};

template <class Pdu>
std::vector<std::byte> bytes_of(const Pdu& pdu) {
  return {pdu.begin(), pdu.end()};
}

TEST(RadioPdus, ATransmitterIsAsOpenDisWritesIt) {
  const auto pdu = transmitter_pdu({.exercise = 3, .utc = 8h + 30min, .radio = kSender},
                                   {.state = TransmitState::kTransmitting,
                                    .antenna = {4277911.5, 831554.25, 4642251.75},
                                    .antenna_on_body = {0.25, -0.5, -1.5},
                                    .emission = {.frequency_hz = 2'437'000'000,
                                                 .bandwidth_hz = 20e6F,
                                                 .power_dbm = 17.5F,
                                                 .modulation = MajorModulation::kAngle,
                                                 .spread_spectrum = true}});
  EXPECT_EQ(bytes_of(pdu), pdu_file("transmitter"));
}

TEST(RadioPdus, AReceiverIsAsOpenDisWritesIt) {
  const auto pdu = receiver_pdu({.exercise = 3, .utc = 30min, .radio = {.entity = {1, 2, 8}, .radio = 1}},
                                {.state = ReceiveState::kReceiving, .power_dbm = -61.5F, .transmitter = kSender});
  EXPECT_EQ(bytes_of(pdu), pdu_file("receiver"));
}

TEST(RadioPdus, TimestampsBeginAnewEachHour) {
  const auto stamp = [](Nanoseconds utc) { return load_be<std::uint32_t>(receiver_pdu({.utc = utc}, {}).data() + 4); };
  EXPECT_EQ(stamp(0ns), 1U) << "absolute";
  EXPECT_EQ(stamp(1h), 1U);
  EXPECT_EQ(stamp(1h - 1ns), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace hilgate::dis::test
