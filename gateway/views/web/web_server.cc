// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/web_server.h"

#include <fmt/format.h>

#include <asio/io_context.hpp>
#include <asio/ip/host_name.hpp>
#include <stdexcept>
#include <system_error>

#include "gateway/views/web/http_server.h"
#include "gateway/views/web/web_desk.h"

namespace hilgate {

WebEntrance open_entrance(const WebConfig& config) {
  WebEntrance entrance;
  entrance.token = config.token_file ? read_token(*config.token_file) : "";
  try {
    entrance.socket = listen_for_http(config.listen);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("web: cannot listen at {}; choose another `listen`", error.what()));
  }
  entrance.address = http_address(config.listen, entrance.socket);
  return entrance;
}

void serve_page(const WebPage& page, WebEntrance entrance) {
  asio::io_context context;
  WebDesk desk(context, page, WebGuard(page.config.listen, entrance.token, asio::ip::host_name(), page.config.names));
  serve_http(context, page.config.listen, entrance.socket,
             [&desk](const HttpRequest& request, const HttpVisitor& visitor) { desk.take(request, visitor); });
}

}  // namespace hilgate
