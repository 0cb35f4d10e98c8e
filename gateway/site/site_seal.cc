// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_seal.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

namespace hilgate {
namespace {

constexpr std::uint32_t kAll = 0xffffffff;  // whom it is for
constexpr std::size_t kProofText = 2 * SiteKey::kProof;
constexpr std::size_t kTimeText = 16;  // hexadecimal

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

// Proof, time, text. Parts have lengths of their own, or ends that are in no part before.
std::string SiteSeal::proof(std::uint32_t gateway, char kind, std::string_view text_with_time) const {
  const std::string who = fmt::format("{}\n{}\n{}\n", site_, gateway, kind);
  const std::array<std::span<const std::byte>, 2> parts = {bytes_of(who), bytes_of(text_with_time)};
  std::string text;
  for (const std::byte each : key_->proof(kAll, parts)) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(each));
  }
  return text;
}

std::string SiteSeal::seal(std::uint32_t gateway, char kind, std::string_view text, WallTime now) const {
  if (!key_) {
    return std::string(text);
  }
  const std::string timed = fmt::format("{:016x}{}", static_cast<std::uint64_t>(now.time_since_epoch().count()), text);
  return proof(gateway, kind, timed) + timed;
}

std::optional<std::string> SiteSeal::open(std::uint32_t gateway, char kind, std::string_view sealed, WallTime now) {
  if (!key_) {
    return std::string(sealed);
  }
  if (sealed.size() < kProofText + kTimeText) {
    return std::nullopt;
  }
  const std::string_view timed = sealed.substr(kProofText);
  const std::string right = proof(gateway, kind, timed);
  std::array<std::byte, SiteKey::kProof> one;
  std::array<std::byte, SiteKey::kProof> other;
  bool same = true;  // in halves, as proofs in text are twice as long
  for (std::size_t half = 0; half < 2; ++half) {
    std::memcpy(one.data(), right.data() + half * one.size(), one.size());
    std::memcpy(other.data(), sealed.data() + half * other.size(), other.size());
    same = SiteKey::same(one, other) && same;
  }
  std::uint64_t said = 0;
  if (!same || std::from_chars(timed.data(), timed.data() + kTimeText, said, 16).ptr != timed.data() + kTimeText) {
    return std::nullopt;
  }
  const auto at = static_cast<std::int64_t>(said);
  const std::int64_t apart = now.time_since_epoch().count() - at;
  std::int64_t& last = last_[{gateway, kind}];
  if (apart > kOldest.count() || apart < -kOldest.count() || at <= last) {
    return std::nullopt;
  }
  last = at;
  return std::string(timed.substr(kTimeText));
}

}  // namespace hilgate
