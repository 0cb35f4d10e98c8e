// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hilgate {

/// Where a stream socket is: "unix:/run/x.sock" or "tcp:HOST:PORT".
struct Endpoint {
  bool is_unix = true;
  std::string path{};  // unix: the socket's file
  std::string host{};  // tcp: a name or an address
  std::uint16_t port = 0;

  /// Throws std::runtime_error with the accepted forms.
  static Endpoint parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  /// Other machines do not reach it: a socket's file, or an address of this machine alone.
  [[nodiscard]] bool is_local() const;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

}  // namespace hilgate
