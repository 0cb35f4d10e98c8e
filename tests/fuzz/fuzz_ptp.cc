// SPDX-License-Identifier: Apache-2.0
// libFuzzer: PTP messages from the network into everything that reads them.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "clock/ptp/grandmaster.h"
#include "clock/ptp/ptp_passage.h"
#include "tests/fuzz/wire_mutator.h"

namespace hilgate::test {
namespace {

void feed_grandmaster(std::span<const std::byte> message, const GrandmasterOptions& options) {
  ClockEvents events;
  HostTime now{std::chrono::seconds{1}};
  Grandmaster master{
      options,
      ClockIdentity{{1, 2, 3, 0xff, 0xfe, 4, 5, 6}},
      now,
      [](const PtpMessage& sent) { return parse_ptp_header(sent.span()).has_value() || (std::abort(), false); },
      [](HostTime host) { return PtpTime{host.time_since_epoch() * 10}; },
      events};
  for (int i = 0; i < 4; ++i) {
    now += std::chrono::seconds{2};
    master.tick(now);
    master.received(message, now, now);
    master.sent(message, now);
  }
}

void pass_through(std::span<const std::byte> bytes) {
  std::vector<std::byte> frame(bytes.begin(), bytes.end());
  const auto place = find_ptp(frame);
  if (!place) {
    return;
  }
  add_residence(frame, *place, std::chrono::microseconds{5});
  const auto again = find_ptp(frame);
  if (!again || again->message != place->message) {
    std::abort();  // a residence time must not change what a frame is
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  return hilgate::test::mutate_ptp(data, size, room, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  const auto bytes = std::as_bytes(std::span{data, size});
  parse_announce(bytes);
  parse_ptp_timestamp(bytes);
  parse_requester(bytes);
  feed_grandmaster(bytes, {});
  feed_grandmaster(bytes, {.mechanism = DelayMechanism::kPeerToPeer, .rule = MasterRule::kYield});
  pass_through(bytes);
  return 0;
}
