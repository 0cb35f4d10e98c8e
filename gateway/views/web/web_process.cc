// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/web_process.h"

#include <fmt/format.h>

#include <utility>

#include "host/confinement.h"
#include "host/log/journal.h"
#include "host/socket_path.h"

namespace hilgate {

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
