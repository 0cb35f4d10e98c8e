// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/web_server.h"

#include <fmt/format.h>

#include <asio/io_context.hpp>
#include <asio/ip/host_name.hpp>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "gateway/views/web/http_server.h"
#include "gateway/views/web/web_desk.h"
#include "host/confinement.h"
#include "host/log/log.h"
#include "host/unix_socket.h"

namespace hilgate {

TileArchive open_tiles(const std::filesystem::path& file) try {
  return TileArchive::open(file);
} catch (const std::runtime_error& error) {
  throw std::runtime_error(fmt::format("web.tiles: {}: {}", file.string(), error.what()));
}

WebEntrance open_entrance(const WebConfig& config) {
  WebEntrance entrance;
  if (config.tiles) {
    entrance.tiles.emplace(open_tiles(*config.tiles));
  }
  if (config.plan) {
    entrance.plan.emplace(open_plan(*config.plan));
  }
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
  WebDesk desk(context, page, WebGuard(page.config.listen, entrance.token, asio::ip::host_name(), page.config.names),
               {std::move(entrance.tiles), std::move(entrance.plan)});
  serve_http(
      context, page.config.listen, entrance.socket,
      {.take = [&desk](const HttpRequest& request, const HttpVisitor& visitor) { desk.take(request, visitor); }});
}

void confine_page(const std::set<unsigned>& cpus) {
  stand_back(cpus);
  confine({});
}

WebProcess::WebProcess(const WebPage& page, const std::set<unsigned>& cpus) : socket_(page.config.listen.socket) {
  WebEntrance entrance = open_entrance(page.config);
  process_.emplace(CompanionProcess::Work{.name = "web",
                                          .what = "the process of the page",
                                          .body =
                                              [&] {
                                                confine({});
                                                serve_page(page, std::move(entrance));
                                              }},
                   cpus);
  log_readiness(fmt::format("web page at {}{}", entrance.address,
                            entrance.token.empty() ? "" : "#token=..., with the token of `token_file`"));
}

WebProcess::~WebProcess() {
  process_.reset();
  if (!socket_.empty()) {
    remove_socket_path(socket_);
  }
}

}  // namespace hilgate
