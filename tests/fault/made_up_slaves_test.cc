// SPDX-License-Identifier: Apache-2.0
// Delay requests from hundreds of names.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "clock/ptp/grandmaster.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

PtpMessage request_of(std::uint32_t name) {
  PtpHeader header;
  for (std::size_t i = 0; i < 4; ++i) {
    header.source.clock.bytes[i + 4] = static_cast<std::uint8_t>(name >> (8 * i));
  }
  header.source.port = 1;
  return make_pdelay_req(header);
}

TEST(Fault, ForgedSlavesDoNotHideRealOnes) {
  ClockEvents events;
  HostTime now{100s};
  GrandmasterOptions options;
  options.mechanism = DelayMechanism::kPeerToPeer;
  Grandmaster master(
      options, ClockIdentity{{1, 1, 1, 0xff, 0xfe, 1, 1, 1}}, now, [](const PtpMessage&) { return true; },
      [](HostTime host) { return PtpTime{host.time_since_epoch()}; }, events);
  for (std::uint32_t name = 1; name <= 1000; ++name) {
    master.received(request_of(name).span(), now, now);
  }
  EXPECT_EQ(master.slaves(now), 256U);
  now += 20s;
  EXPECT_EQ(master.slaves(now), 0U);
  master.received(request_of(5000).span(), now, now);
  EXPECT_EQ(master.slaves(now), 1U) << "one that is there is counted";
  record({"1000 forged PTP slaves", "The list is limited to 256 and contains those received last",
          "a slave that appears later is counted"});
}

TEST(Fault, RivalMastersAreRateLimitedInTheLog) {
  ClockEvents events;
  HostTime now{100s};
  GrandmasterOptions options;
  options.rule = MasterRule::kInsist;
  Grandmaster master(
      options, ClockIdentity{{1, 1, 1, 0xff, 0xfe, 1, 1, 1}}, now, [](const PtpMessage&) { return true; },
      [](HostTime host) { return PtpTime{host.time_since_epoch()}; }, events);
  const auto before = events.total();
  for (std::uint32_t name = 1; name <= 2000; ++name) {
    PtpHeader header;
    PtpAnnounce announce;
    announce.priority1 = 1;
    for (std::size_t i = 0; i < 4; ++i) {
      header.source.clock.bytes[i + 4] = static_cast<std::uint8_t>(~name >> (8 * i));
    }
    header.source.port = 1;
    announce.grandmaster = header.source.clock;
    for (int twice = 0; twice < 2; ++twice) {
      now += 2ms;
      master.received(make_announce(header, announce).span(), now, now);
    }
  }
  EXPECT_LE(events.total() - before, 3U);
  record({"2000 rival PTP masters in 8 s", "One event in 10 s", fmt::format("{} events", events.total() - before)});
}

}  // namespace
}  // namespace hilgate::test
