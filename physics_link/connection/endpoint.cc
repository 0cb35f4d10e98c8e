// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/endpoint.h"

#include <sys/un.h>

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "config/plain_text.h"

namespace hilgate {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kTcp = "tcp:";
constexpr std::size_t kPathLimit = sizeof(sockaddr_un::sun_path) - 1;

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw std::runtime_error(
      fmt::format("socket '{}' {}; write unix:/path/to/socket or tcp:host:port", shown(text), why));
}

}  // namespace

Endpoint Endpoint::parse(std::string_view text) {
  if (text.starts_with(kUnix)) {
    const std::string_view path = text.substr(kUnix.size());
    if (path.empty() || path.size() > kPathLimit) {
      refuse(text, fmt::format("has a path of {} bytes, not of 1..{}", path.size(), kPathLimit));
    }
    return {.is_unix = true, .path = std::string(path)};
  }
  if (!text.starts_with(kTcp)) {
    refuse(text, "must begin with unix: or tcp:");
  }
  const std::string_view rest = text.substr(kTcp.size());
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    refuse(text, "misses host and port");
  }
  Endpoint endpoint{.is_unix = false, .path = {}, .host = std::string(rest.substr(0, colon))};
  const std::string_view digits = rest.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    refuse(text, fmt::format("has port '{}'; allowed: 0 to 65535", digits));
  }
  return endpoint;
}

bool Endpoint::is_local() const {
  return is_unix || host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

std::string Endpoint::text() const {
  return is_unix ? fmt::format("unix:{}", path) : fmt::format("tcp:{}:{}", host, port);
}

}  // namespace hilgate
