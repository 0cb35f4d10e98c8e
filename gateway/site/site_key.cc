// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_key.h"

#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace hilgate {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte each : bytes) {
    text += kDigits[std::to_integer<unsigned>(each) >> 4];
    text += kDigits[std::to_integer<unsigned>(each) & 15];
  }
  return text;
}

std::optional<std::vector<std::byte>> bytes_of_hexadecimal(std::string_view text) {
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return text.size() % 2 == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

SiteKey SiteKey::load(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(
        fmt::format("{} {}; `(umask 077; openssl rand -hex 32 >FILE)` makes a key, and all gateways need the same",
                    file.string(), what));
  };
  struct stat state {};
  std::ifstream in(file, std::ios::binary);
  if (!in || ::stat(file.c_str(), &state) != 0) {
    fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if ((state.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    fail("may be read by everybody: chmod o-rw");
  }
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::array<unsigned char, kBytes> secret{};
  std::size_t length = 0;
  const char* end = nullptr;
  if (sodium_hex2bin(secret.data(), secret.size(), text.data(), text.size(), nullptr, &length, &end) != 0 ||
      length != kBytes ||
      text.find_first_not_of("\r\n", static_cast<std::size_t>(end - text.data())) != std::string::npos) {
    fail(fmt::format("is no key: it has not {} hexadecimal digits", 2 * kBytes));
  }
  return SiteKey(secret);
}

SiteKey::Proof SiteKey::proof(std::uint32_t receiver,
                              std::span<const std::span<const std::byte>> parts) const noexcept {
  crypto_generichash_state state;
  crypto_generichash_init(&state, secret_.data(), secret_.size(), kProof);
  const std::array<unsigned char, 4> to = {
      static_cast<unsigned char>(receiver >> 24), static_cast<unsigned char>(receiver >> 16),
      static_cast<unsigned char>(receiver >> 8), static_cast<unsigned char>(receiver)};
  crypto_generichash_update(&state, to.data(), to.size());
  for (const std::span<const std::byte> part : parts) {
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(part.data()), part.size());
  }
  Proof proof;
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(proof.data()), proof.size());
  return proof;
}

bool SiteKey::same(std::span<const std::byte, kProof> one, std::span<const std::byte, kProof> other) noexcept {
  return sodium_memcmp(one.data(), other.data(), kProof) == 0;
}

namespace {

constexpr std::uint32_t kAll = 0xffffffff;  // receiver: all gateways
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
