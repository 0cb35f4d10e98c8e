// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/http_messages.h"

#include <fmt/format.h>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>
#include <utility>

namespace hilgate {
namespace {

namespace http = boost::beast::http;

constexpr std::uint32_t kLongestHeader = 8 * 1024;

}  // namespace

struct HttpReader::Parser {
  http::request_parser<http::string_body> parser;
  std::string pending;  // a header that is not yet whole
};

HttpReader::HttpReader(std::uint64_t longest_body) : parser_(std::make_unique<Parser>()) {
  parser_->parser.header_limit(kLongestHeader);
  parser_->parser.body_limit(longest_body);
  parser_->parser.eager(true);
}

HttpReader::~HttpReader() = default;

HttpReader::State HttpReader::read(std::string_view bytes) {
  parser_->pending.append(bytes);
  boost::system::error_code error;
  while (!parser_->parser.is_done() && !parser_->pending.empty()) {
    const std::size_t taken = parser_->parser.put(boost::asio::buffer(parser_->pending), error);
    parser_->pending.erase(0, taken);
    if (error == http::error::need_more) {
      return State::kMore;
    }
    if (error == http::error::header_limit) {
      return State::kHeaderTooLarge;
    }
    if (error == http::error::body_limit) {
      return State::kBodyTooLarge;
    }
    if (error) {
      return State::kMalformed;
    }
  }
  return parser_->parser.is_done() ? State::kDone : State::kMore;
}

HttpRequest HttpReader::request() const {
  const auto& message = parser_->parser.get();
  const auto field = [&message](http::field name) { return std::string(message[name]); };
  const std::string target(message.target());
  return {.method = std::string(message.method_string()),
          .path = target.substr(0, target.find('?')),
          .host = field(http::field::host),
          .origin = field(http::field::origin),
          .fetch_site = std::string(message["Sec-Fetch-Site"]),
          .authorization = field(http::field::authorization),
          .content_type = field(http::field::content_type),
          .body = message.body()};
}

namespace {

// Nothing from other hosts, in no frame of another page, and nothing of a run is kept by anybody on the way.
constexpr std::string_view kHeaderFields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cache-Control: no-store\r\n"
    "X-Accel-Buffering: no\r\n"  // nginx hands on each report of /events, and each piece of a capture, when it comes
    "Connection: close\r\n";

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

}  // namespace

HttpResponse HttpResponse::json(std::string text) {
  return {.status = 200, .type = "application/json", .body = std::make_shared<const std::string>(std::move(text))};
}

HttpResponse HttpResponse::refusal(int status, std::string_view why) {
  return {.status = status, .body = std::make_shared<const std::string>(fmt::format("{}\n", why))};
}

std::string head_of(const HttpResponse& response) {
  const std::string length =
      response.body ? fmt::format("Content-Length: {}\r\n", response.body->size()) : std::string();
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}{}\r\n", response.status, reason_of(response.status),
                     response.type, length, kHeaderFields);
}

}  // namespace hilgate
