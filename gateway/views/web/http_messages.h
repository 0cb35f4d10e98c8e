// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/views/web/followers.h"
#include "gateway/views/web/run_watch.h"

namespace hilgate {

/// What the page's server goes by; header fields that are missing are empty.
struct HttpRequest {
  std::string method;
  std::string path;  // of the target, without what follows a '?'
  std::string host, origin, fetch_site, authorization, content_type;
  std::string body;
};

/// As a request on the control socket.
inline constexpr std::uint64_t kLongestHttpBody = std::uint64_t{64} << 10;

/// Collects one request (RFC 9112), of at most 8 KiB of header and `longest_body` bytes of body.
class HttpReader {
 public:
  enum class State : unsigned char { kMore, kDone, kHeaderTooLarge, kBodyTooLarge, kMalformed };

  explicit HttpReader(std::uint64_t longest_body = kLongestHttpBody);
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

/// A requested capture.
struct CaptureQuestion {
  asio::io_context& context;
  std::string control_socket;
  std::string request;  // for it
  std::chrono::seconds time;
};

/// The client that sent a request, and the possible replies: one of these, once.
struct HttpVisitor {
  std::function<bool()> is_operator;  // asked only where it matters
  std::function<std::string()> peer;  // a user of this machine or an address; asked only where it matters
  Followers::Leave leave;             // closes the connection
  std::function<void(HttpResponse)> answer;
  std::function<void(RunWatch&, Followers::Place)> follow;  // instead of an answer: gets reports as they come
  std::function<void(const CaptureQuestion&)> capture;      // likewise: a capture
};

/// What is answered to which request.
struct HttpDesk {
  std::function<void(const HttpRequest&, const HttpVisitor&)> take;
  std::uint64_t longest_body = kLongestHttpBody;  // bytes of a request; longer ones are refused
};

}  // namespace hilgate
