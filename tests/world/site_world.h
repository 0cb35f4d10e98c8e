// SPDX-License-Identifier: Apache-2.0
// A site of three gateways from a seed: three whole daemons on clocks of their own, over a simulated network that
// loses, repeats, delays and reorders datagrams, with gateways that are cut off, killed, or have their clocks stepped,
// and that are set and reloaded.
// Two worlds of one seed are the same, byte by byte.
#pragma once

#include <cstdint>
#include <string>

namespace hilgate::test {

struct SiteWorldResult {
  std::string fault{};  // empty: all properties held
  std::uint64_t frames = 0;
  std::uint64_t released = 0;
  std::uint64_t crossed = 0;  // frames and requests from gateway to gateway
  std::uint64_t lost = 0;     // of these, in the network
  std::uint64_t windows = 0;  // of all gateways
  std::uint64_t partitions = 0;
  std::uint64_t kills = 0;
  std::uint64_t clock_steps = 0;
  std::uint64_t changes = 0;     // that were asked for
  std::uint64_t reloads = 0;     // of these
  std::uint64_t refused = 0;     // of these, as the file is none
  std::uint64_t safe = 0;        // frames that nothing might lose
  std::uint64_t began_anew = 0;  // gateways, as the others
  std::uint64_t compared = 0;    // link states of two gateways in one window
  std::uint64_t digest = 0;      // of frames, instants and link states
};

/// The world of this seed, twice: the second run must have the digest of the first.
SiteWorldResult check_site_world(std::uint64_t seed);
/// Once.
SiteWorldResult run_site_world(std::uint64_t seed);

/// What the world's configuration and network are, for a fault's report.
std::string site_world_text(std::uint64_t seed);

}  // namespace hilgate::test
