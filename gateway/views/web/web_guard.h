// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/http_messages.h"

namespace hilgate {

/// Decides which requests are answered. Pages of other sites can make a browser send requests (cross-site requests),
/// also to this address under a foreign name (DNS rebinding); both are refused.
class WebGuard {
 public:
  /// An empty token: none is asked for. `own_host_name`: of this machine. `names`: under which a proxy serves the page.
  WebGuard(WebListen listen, std::string token, const std::string& own_host_name, std::vector<std::string> names = {});

  /// The refusal; empty when the request may proceed.
  [[nodiscard]] std::optional<HttpResponse> refuse(const HttpRequest& request) const;
  /// For what is not the page's own files: the same, and the token.
  [[nodiscard]] std::optional<HttpResponse> refuse_data(const HttpRequest& request) const;
  [[nodiscard]] bool has_token() const { return !token_.empty(); }
  /// Whether connections may be a proxy's: then the peer's address does not identify the client.
  [[nodiscard]] bool has_names() const { return !names_.empty(); }

 private:
  [[nodiscard]] bool is_own_name(const std::string& host) const;
  [[nodiscard]] bool is_own_origin(const HttpRequest& request) const;

  WebListen listen_;
  std::string token_;
  std::string own_host_name_;
  std::vector<std::string> names_;
};

/// The first line of the file. Throws std::runtime_error when it cannot be read, has less than 16 or more than 256
/// characters, or every user of this machine may read it.
std::string read_token(const std::filesystem::path& file);

}  // namespace hilgate
