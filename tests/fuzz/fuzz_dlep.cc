// SPDX-License-Identifier: Apache-2.0
// What a router may send to its modem: the bytes of a TCP stream in pieces, between which time passes and links change.
#include "gateway/dlep/protocol/dlep_session.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  const auto all = std::as_bytes(std::span(data, size));
  static_cast<void>(is_dlep_discovery(all));
  HostTime now{Nanoseconds{3'600'000'000'000}};
  DlepSession session("hilgate", Nanoseconds{1'000'000'000}, now);
  std::uint8_t step = 0;
  for (std::span<const std::byte> rest = all; !rest.empty(); ++step) {
    // The first byte of each piece says how long it is and what happens before it.
    const auto control = std::to_integer<unsigned>(rest[0]);
    rest = rest.subspan(1);
    const bool up = (control & 0x40) != 0;
    session.update({{MacAddress{0x0268'6700'0002}, {.up = up, .metrics = {.receive_bps = step}}},
                    {MacAddress{0x0268'6700'0003}, {.up = !up}}},
                   {}, now);
    now += Nanoseconds{(control & 0x80) != 0 ? 300'000'000 : 1'000'000};
    session.tick(now);
    const std::size_t piece = std::min<std::size_t>(rest.size(), control & 0x3F);
    session.receive(rest.first(piece), now);
    rest = rest.subspan(piece);
    const bool was_over = session.state() == DlepSession::State::kOver;
    const std::string output = session.take_output();
    for (auto sent = std::as_bytes(std::span(output)); !sent.empty();) {
      const auto length = dlep_message_bytes(sent);
      test::require(length && *length <= sent.size(), "what is sent is whole messages");
      sent = sent.subspan(*length);
    }
    if (was_over) {
      session.receive(rest, now);
      session.tick(now);
      test::require(session.take_output().empty(), "nothing is sent after the session is over");
      break;
    }
  }
  test::require(session.up() <= 2, "no more destinations are up than there are");
  return 0;
}
