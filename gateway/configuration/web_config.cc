// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/web_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/ip/address.hpp>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "config/plain_text.h"

namespace hilgate {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

[[noreturn]] void refuse_listen(const std::string& text) {
  throw std::invalid_argument(
      fmt::format("'{}' is no address to listen at; examples: 127.0.0.1:8080, [::1]:8080, unix:/run/hilgate/page.web",
                  shown(text)));
}

}  // namespace

WebListen parse_web_listen(const std::string& text) {
  if (text.starts_with(kUnixPrefix)) {
    WebListen listen{.socket = text.substr(kUnixPrefix.size()), .host = {}};
    if (!listen.socket.starts_with('/')) {
      refuse_listen(text);
    }
    return listen;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    refuse_listen(text);
  }
  WebListen listen{.socket = {}, .host = text.substr(0, colon)};
  const std::string port = text.substr(colon + 1);
  const char* const end = port.data() + port.size();
  const auto [stop, failed] = std::from_chars(port.data(), end, listen.port);
  const bool in_brackets = listen.host.size() > 2 && listen.host.front() == '[' && listen.host.back() == ']';
  if (in_brackets) {
    listen.host = listen.host.substr(1, listen.host.size() - 2);
  }
  asio::error_code error;
  const auto address = asio::ip::make_address(listen.host, error);
  if (error || failed != std::errc() || stop != end || address.is_v6() != in_brackets) {
    refuse_listen(text);
  }
  listen.loopback = address.is_loopback();
  return listen;
}

std::string plain_host(std::string host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  if (host.ends_with('.')) {
    host.pop_back();
  }
  asio::error_code error;
  if (const auto address = asio::ip::make_address(host, error); !error) {
    return address.to_string();
  }
  return in_small_letters(host);
}

std::string parse_web_name(const std::string& text) {
  constexpr std::size_t kLongest = 253;  // RFC 1035, 2.3.4, as text
  std::string name = plain_host(text);
  asio::error_code error;
  asio::ip::make_address(name, error);
  const bool has_zone = text.find('%') != std::string::npos;  // which `name` has lost where no such interface exists
  if (!error && !has_zone) {
    return name;
  }
  const bool is_name = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
  if (has_zone || name.empty() || name.size() > kLongest || !is_name || name.starts_with('.') ||
      name.starts_with('-') || name.find("..") != std::string::npos) {
    throw std::invalid_argument(
        fmt::format("'{}' is no name of a host; write it without scheme, port and path, for example robots.example.org",
                    shown(text)));
  }
  return name;
}

void check_web(const WebConfig& config) {
  if (!config.listen.loopback && !config.token_file) {
    throw std::invalid_argument(
        "other machines reach this address: needs `token_file`, or a loopback address such as 127.0.0.1:8080");
  }
}

}  // namespace hilgate
