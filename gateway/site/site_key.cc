// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_key.h"

#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hilgate {

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

}  // namespace hilgate
