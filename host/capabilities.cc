// SPDX-License-Identifier: Apache-2.0
#include "host/capabilities.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace hilgate {
namespace {

std::uint64_t effective_capabilities() {
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  std::array<__user_cap_data_struct, 2> words{};
  syscall(SYS_capget, &header, words.data());
  return words[0].effective | (std::uint64_t{words[1].effective} << 32);
}

}  // namespace

std::string missing_capabilities(std::span<const Capability> needed) {
  const std::uint64_t have = effective_capabilities();
  std::string missing;
  for (const Capability& capability : needed) {
    if ((have >> capability.number & 1U) == 0) {
      missing += (missing.empty() ? "" : " and ") + std::string(capability.name);
    }
  }
  return missing;
}

void require_capabilities(std::string_view what, std::span<const Capability> needed) {
  const std::string missing = missing_capabilities(needed);
  if (!missing.empty()) {
    throw std::runtime_error(fmt::format("{} needs {}; run it as root", what, missing));
  }
}

}  // namespace hilgate
