// SPDX-License-Identifier: Apache-2.0
// The settings that a gateway passes to hilgate-site, as JSON, its argument.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hilgate {

struct BusSettings {
  std::string run;  // for the log
  std::string site;
  std::string gateway;                // the sender
  std::string address;                // IPv4, of its end of the tunnels
  std::vector<std::string> others{};  // addresses of the other gateways
  int socket = -1;                    // open in the program: SOCK_SEQPACKET, a message each

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(BusSettings, run, site, gateway, address, others, socket)
};

/// A message between a gateway and its hilgate-site: one byte for the kind, then of what came from others the name of
/// the gateway and a line feed, then the text.
enum class BusKind : char {
  kState = 's',   // how a gateway is
  kWord = 'w',    // a message of it
  kAir = 'a',     // what links are like, gateway/site/air_authors.h
  kPlaces = 'p',  // its robots' telemetry, gateway/run/telemetry/site_telemetry.h
  kGone = 'g',    // only to the gateway: that gateway's state is not published any more
};
/// Of a message; a datagram of this length fits a socket's usual buffers.
inline constexpr std::size_t kMostBusBytes = 60'000;

}  // namespace hilgate
