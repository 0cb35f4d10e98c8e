// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
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

/// The settings of a gateway of a site.
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

/// A number for what a site's gateways must have alike: FNV-1a, 64 bits. It detects mistakes, and keeps out no
/// attacker.
class SiteDigest {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char c : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    value_ = (value_ ^ 0x100) * 0x100000001B3;  // so that two texts are not as one
  }
  /// What is in a file; nothing where it cannot be read.
  void add_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    add(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325;
};

/// The site's simulation, which others have begun.
struct SiteBegun {
  WallTime zero{};  // when its simulation time was 0
  WallTime then{};  // what the site's clock showed at the host's instant `at`
  HostTime at{};
  [[nodiscard]] WallTime now(HostTime host) const { return then + (host - at); }
};

}  // namespace hilgate
