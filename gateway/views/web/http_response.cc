// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/http_response.h"

#include <fmt/format.h>

#include <utility>

namespace hilgate {
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
    "Connection: close\r\n";

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
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
