// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hilgate {

/// Where a web page is served.
struct WebListen {
  std::string socket;      // path of a Unix socket; empty: TCP
  std::string host;        // an IP address
  std::uint16_t port = 0;  // 0: any
  bool loopback = true;    // reachable from this machine alone
};

/// Of "127.0.0.1:8080", "[::1]:8080" or "unix:/run/hilgate/page.web". Throws std::invalid_argument.
WebListen parse_web_listen(const std::string& text);

inline constexpr const char* kDefaultWebListen = "127.0.0.1:8080";

/// A picture of a floor plan on the map. Its south-west corner, before it is turned, is at x_m, y_m of the scene.
struct WebPlan {
  std::filesystem::path image;  // PNG, JPEG or WebP
  double x_m = 0, y_m = 0;
  double width_m = 0;       // of the whole picture; the height follows from its pixels
  double rotation_rad = 0;  // about that corner, from x to y
};

/// The page of a run, served as long as the gateway runs.
struct WebConfig {
  WebListen listen;
  std::optional<std::filesystem::path> token_file;  // what a browser must know; present where others reach the address
  std::optional<std::filesystem::path> tiles{};     // archive of the ground below the map
  std::optional<WebPlan> plan{};
  std::vector<std::string> names{};  // plain hosts under which a proxy serves the page
};

/// A host without port as it is compared: names in small letters and without the dot that ends a complete one,
/// addresses as one text of each, IPv6 without brackets.
std::string plain_host(std::string host);

/// The plain host under which a proxy serves the page, of "robots.example.org", "192.0.2.7" or "[2001:db8::7]", with or
/// without the brackets. Throws std::invalid_argument.
std::string parse_web_name(const std::string& text);

/// Throws std::invalid_argument when others reach the address and there is no token.
void check_web(const WebConfig& config);

}  // namespace hilgate
