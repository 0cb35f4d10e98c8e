// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe_packet.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Probe kProbe{.plan = {.start = HostTime{seconds{5}}, .interval = milliseconds{10}, .count = 2000},
                   .sequence = 1999,
                   .sent = HostTime{seconds{25}}};

using Payload = std::array<std::byte, kProbeBytes>;

Payload written(const Probe& probe) {
  Payload payload{};
  write_probe(probe, payload);
  return payload;
}

TEST(ProbePacket, CarriesTheWrittenFields) {
  const auto read = read_probe(written(kProbe));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->plan, kProbe.plan);
  EXPECT_EQ(read->sequence, 1999u);
  EXPECT_EQ(read->sent, kProbe.sent);
}

TEST(ProbePacket, TrailingPaddingIsIgnored) {
  std::array<std::byte, 1000> payload{};
  payload.fill(std::byte{0xff});
  write_probe(kProbe, payload);
  EXPECT_TRUE(read_probe(payload));
}

TEST(ProbePacket, EveryShorterPayloadIsNoProbe) {
  const Payload payload = written(kProbe);
  for (std::size_t length = 0; length < kProbeBytes; ++length) {
    EXPECT_FALSE(read_probe(std::span(payload).first(length))) << length;
  }
}

TEST(ProbePacket, ForeignBytesAreNoProbe) {
  EXPECT_FALSE(read_probe(Payload{}));
  Payload payload = written(kProbe);
  payload[0] ^= std::byte{1};
  EXPECT_FALSE(read_probe(payload));
}

TEST(ProbePacket, ValuesOutOfRangeAreNoProbe) {
  const auto with = [](auto change) {
    Probe probe = kProbe;
    change(probe);
    return read_probe(written(probe)).has_value();
  };
  EXPECT_FALSE(with([](Probe& probe) { probe.sequence = 2000; }));
  EXPECT_FALSE(with([](Probe& probe) { probe.plan.count = 0; }));
  EXPECT_FALSE(with([](Probe& probe) { probe.plan.interval = Nanoseconds{0}; }));
  EXPECT_FALSE(with([](Probe& probe) { probe.plan.interval = kShortestProbeInterval - Nanoseconds{1}; }));
  EXPECT_TRUE(with([](Probe& probe) { probe.plan.interval = kShortestProbeInterval; }));
  EXPECT_FALSE(with([](Probe& probe) { probe.plan.start = HostTime{Nanoseconds{-1}}; }));
  EXPECT_FALSE(with([](Probe& probe) { probe.plan.count = std::uint64_t{1} << 63; }));
}

TEST(ProbePlan, ProbesAreDueAtEqualSteps) {
  EXPECT_EQ(kProbe.plan.due(0), HostTime{seconds{5}});
  EXPECT_EQ(kProbe.plan.due(100), HostTime{seconds{6}});
}

}  // namespace
}  // namespace hilgate::test
