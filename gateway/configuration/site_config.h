// SPDX-License-Identifier: Apache-2.0
// Settings of a site: several gateways that are one air and read the same file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"

namespace hilgate {

/// The port that is assigned to GENEVE (RFC 8926, 3.3).
inline constexpr std::uint16_t kGenevePort = 6081;

struct GatewayConfig {
  std::string name;
  int line = 0;                      // in Configuration::file, for messages
  IpAddress address;                 // IPv4, of its end of the tunnels
  std::uint16_t port = kGenevePort;  // UDP
};

/// What happens to radios of one medium that are at different gateways.
enum class SiteMedia : std::uint8_t {
  kShared,  // one gateway decides for all of them
  kApart,   // stations contend with those of their own gateway alone
};

struct SiteConfig {
  static constexpr std::size_t kMostGateways = 256;

  std::string name;                     // `name` of the file: the run's name is this and the gateway's
  std::vector<GatewayConfig> gateways;  // at least two; their order is that in which they may begin the site's time
  std::optional<std::uint32_t> own;     // index of this process's gateway; none: it only reads the file
  std::uint64_t digest = 0;             // of all files that the run is made of, by the command line
  std::string version;                  // of this program, likewise
  SiteMedia media = SiteMedia::kShared;
  Nanoseconds air_lag{20'000'000};        // from the answer of an external simulator until it counts, [1us, 10s]
  std::filesystem::path key_file;         // empty: no key, by `key: none`, or all addresses are loopback
  Nanoseconds clock_within{1'000'000};    // a gateway whose clock is farther away is excluded from the air, [1us, 1s]
  Nanoseconds silent_after{500'000'000};  // one that is silent so long is missing, [200ms, 1min]
};

}  // namespace hilgate
