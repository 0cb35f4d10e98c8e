// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/http_request.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>

namespace hilgate {
namespace {

namespace http = boost::beast::http;

constexpr std::uint32_t kLongestHeader = 8 * 1024;
constexpr std::uint64_t kLongestBody = 64 * 1024;  // as a request on the control socket

}  // namespace

struct HttpReader::Parser {
  http::request_parser<http::string_body> parser;
  std::string pending;  // a header that is not yet whole
};

HttpReader::HttpReader() : parser_(std::make_unique<Parser>()) {
  parser_->parser.header_limit(kLongestHeader);
  parser_->parser.body_limit(kLongestBody);
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

}  // namespace hilgate
