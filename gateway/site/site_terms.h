// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/site/shared_media.h"
#include "gateway/site/site_key.h"

namespace hilgate {

/// A gateway's end of the tunnels.
struct SiteEnd {
  std::string name;
  std::uint32_t ipv4 = 0;  // host byte order
  std::uint16_t port = 0;
};

/// What a gateway of a site goes by.
struct SiteTerms {
  std::string site;
  std::vector<SiteEnd> gateways;
  std::uint32_t own = 0;
  std::uint64_t digest = 0;  // of the files, which is in force until something is set
  std::string version;
  Nanoseconds clock_within{0};
  Nanoseconds silent_after{0};
  Nanoseconds zero_within{0};               // half a window: by so much zeros may differ
  std::vector<std::uint32_t> gateway_of{};  // by robot
  std::vector<bool> here{};                 // by robot: robots_here()
  std::optional<SiteKey> key{};             // nothing: packets have no proofs
  SharedMedia media{};                      // none: each gateway decides what it captures
};

}  // namespace hilgate
