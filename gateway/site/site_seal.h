// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "clock/time.h"
#include "gateway/site/site_key.h"

namespace hilgate {

/// Proofs of what gateways say to one another beside the tunnels: who said it, and that it was now. Without a key,
/// texts stay as they are.
class SiteSeal {
 public:
  static constexpr Nanoseconds kOldest{5'000'000'000};

  SiteSeal(std::string site, std::optional<SiteKey> key) : site_(std::move(site)), key_(std::move(key)) {}

  /// A text of a gateway; `kind` tells streams of texts apart, in each of which they come in order.
  [[nodiscard]] std::string seal(std::uint32_t gateway, char kind, std::string_view text, WallTime now) const;
  /// The text; nothing when it is not that gateway's, is old, or was there before.
  std::optional<std::string> open(std::uint32_t gateway, char kind, std::string_view sealed, WallTime now);

 private:
  [[nodiscard]] std::string proof(std::uint32_t gateway, char kind, std::string_view text_with_time) const;

  std::string site_;
  std::optional<SiteKey> key_;
  std::map<std::pair<std::uint32_t, char>, std::int64_t> last_;  // said at, by gateway and kind
};

}  // namespace hilgate
