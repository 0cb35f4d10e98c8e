// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as frames through a whole path: the first byte chooses policy, medium and how the frame is cut into
// segments; the rest is the frame. Whatever they are, every delivery must be accounted for and every buffer come back.
#include <cstdlib>

#include "tests/support/gateway_rig.h"

namespace {

using namespace hilgate;
using namespace hilgate::test;
using namespace std::chrono_literals;

PathSettings settings_of(std::uint8_t choice) {
  PathSettings settings = plain_settings(3);
  settings.hold_frames = 16;
  settings.frame_limit = 1518;
  settings.air.domains = {AirDomain{}};
  if ((choice & 8) != 0) {
    settings.air.stations[0] = Station{0, 4};
  }
  if ((choice & 16) != 0) {
    settings.robots[0].macs.clear();
  }
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = static_cast<ErrorPolicy>((choice & 7) % 5);
  }
  return settings;
}

bool stays_balanced(std::uint8_t choice, std::span<const std::byte> bytes) {
  GatewayRig rig(settings_of(choice), 8, 4096, 16);
  rig.publish({.unicast = hazard_of(1e-3), .multicast = hazard_of(1e-3), .delay = 100us});
  const std::size_t half = bytes.size() / 2;
  const auto cut = (choice & 32) != 0 ? std::vector<std::size_t>{half, 3} : std::vector<std::size_t>{};
  for (std::uint32_t port = 0; port < 2; ++port) {
    rig.ports[port]->arrive(*rig.pool.make(bytes, rig.clock.now(), cut));
  }
  rig.iterate();
  const bool balanced = rig.path->totals().balanced();
  rig.run(5ms, 500us);
  return balanced && rig.path->totals().balanced();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 3000) {
    return 0;
  }
  const bool balanced = stays_balanced(data[0], std::as_bytes(std::span(data, size)).subspan(1));
  if (!balanced || testing::Test::HasFailure()) {  // the rig says so when a buffer is lost
    std::abort();
  }
  return 0;
}
