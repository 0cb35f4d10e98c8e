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

}  // namespace hilgate
