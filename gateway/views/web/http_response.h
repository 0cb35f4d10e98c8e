// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace hilgate {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body{};

  static HttpResponse json(std::string text);
  /// One line for people.
  static HttpResponse refusal(int status, std::string_view why);
};

/// Status line and header fields; the connection ends with the answer. A length when there is a body.
std::string head_of(const HttpResponse& response);

}  // namespace hilgate
