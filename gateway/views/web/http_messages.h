// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace hilgate {

/// What the page's server goes by; header fields that are missing are empty.
struct HttpRequest {
  std::string method;
  std::string path;  // of the target, without what follows a '?'
  std::string host, origin, fetch_site, authorization, content_type;
  std::string body;
};

/// Collects one request (RFC 9112), of at most 8 KiB of header and 64 KiB of body.
class HttpReader {
 public:
  enum class State : unsigned char { kMore, kDone, kHeaderTooLarge, kBodyTooLarge, kMalformed };

  HttpReader();
  ~HttpReader();
  HttpReader(const HttpReader&) = delete;
  HttpReader& operator=(const HttpReader&) = delete;

  /// Takes what came. Nothing more after another state than kMore.
  State read(std::string_view bytes);
  /// Once it is done.
  [[nodiscard]] HttpRequest request() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

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
