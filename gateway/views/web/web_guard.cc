// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/web_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/ip/address.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace hilgate {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestToken = 256;
constexpr std::string_view kBearer = "Bearer ";

// In constant time, so that the duration does not reveal how much of it was right.
bool is_same(std::string_view one, std::string_view other) {
  unsigned difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  }
  return difference == 0;
}

// Without the port.
std::string name_of_host(const std::string& host) {
  return plain_host(host.substr(0, host.find(':', host.starts_with('[') ? host.find(']') : 0)));
}

}  // namespace

WebGuard::WebGuard(WebListen listen, std::string token, const std::string& own_host_name,
                   std::vector<std::string> names)
    : listen_(std::move(listen)),
      token_(std::move(token)),
      own_host_name_(name_of_host(own_host_name)),
      names_(std::move(names)) {}

// The name of a foreign site is never an address and none of these.
bool WebGuard::is_own_name(const std::string& host) const {
  const std::string name = name_of_host(host);
  if (std::ranges::find(names_, name) != names_.end()) {
    return true;
  }
  asio::error_code error;
  const auto address = asio::ip::make_address(name, error);
  if (!error) {
    return !listen_.loopback || address.is_loopback();
  }
  return name == "localhost" || (!listen_.loopback && !name.empty() && name == own_host_name_);
}

// A proxy may ask for the page under another name than browsers ask the proxy.
bool WebGuard::is_own_origin(const HttpRequest& request) const {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (request.origin.starts_with(scheme)) {
      const std::string host = request.origin.substr(scheme.size());
      return host == request.host || std::ranges::find(names_, name_of_host(host)) != names_.end();
    }
  }
  return false;
}

std::optional<HttpResponse> WebGuard::refuse(const HttpRequest& request) const {
  if (listen_.socket.empty() && !is_own_name(request.host)) {
    return HttpResponse::refusal(
        421,
        "This page is reached by the address it listens at, as localhost, or by a name of `web.names`; not by this "
        "name.");
  }
  const bool from_elsewhere = !request.fetch_site.empty() && request.fetch_site != "same-origin" &&
                              !(request.fetch_site == "none" && request.method == "GET");
  if (from_elsewhere) {
    return HttpResponse::refusal(403, "Requests by other pages are refused.");
  }
  if (!request.origin.empty() && !is_own_origin(request)) {
    return HttpResponse::refusal(403, "Requests by other pages are refused.");
  }
  return std::nullopt;
}

std::optional<HttpResponse> WebGuard::refuse_data(const HttpRequest& request) const {
  if (auto refusal = refuse(request)) {
    return refusal;
  }
  if (!token_.empty() && !(request.authorization.starts_with(kBearer) &&
                           is_same(std::string_view(request.authorization).substr(kBearer.size()), token_))) {
    return HttpResponse::refusal(401, "This page asks for a token: open it as http://ADDRESS/#token=TOKEN");
  }
  return std::nullopt;
}

std::string read_token(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string token;
  if (!in || !std::getline(in, token)) {
    throw std::runtime_error(fmt::format("{}: cannot read a token there; its first line is the token", file.string()));
  }
  token.erase(token.find_last_not_of(" \t\r") + 1);
  if (token.size() < kShortestToken || token.size() > kLongestToken) {
    throw std::runtime_error(fmt::format("{}: the token has {} characters; allowed: {} to {}", file.string(),
                                         token.size(), kShortestToken, kLongestToken));
  }
  if ((std::filesystem::status(file).permissions() & std::filesystem::perms::others_read) !=
      std::filesystem::perms::none) {
    throw std::runtime_error(
        fmt::format("{}: every user of this machine can read the token; chmod o-r it", file.string()));
  }
  return token;
}

}  // namespace hilgate
