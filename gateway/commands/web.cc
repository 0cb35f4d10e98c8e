// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/web.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "gateway/commands/running.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/web/web_process.h"
#include "gateway/web/web_server.h"
#include "host/log/journal.h"
#include "host/socket_path.h"

namespace hilgate {

int web_command(const WebOptions& options) {
  WebPage page{
      .config = {}, .control_socket = running_gateway(options.run).string(), .profile_folders = profile_folders({})};
  try {
    page.config.listen = parse_web_listen(options.listen);
    if (!options.token_file.empty()) {
      page.config.token_file = options.token_file;
    }
    check_web(page.config);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(fmt::format("--listen {}: {}", options.listen, error.what()));
  }
  WebEntrance entrance = open_entrance(page.config);
  log_readiness(fmt::format("web page at {}", entrance.address));
  confine_page({});
  serve_page(page, std::move(entrance));
  if (!page.config.listen.socket.empty()) {
    remove_socket_path(page.config.listen.socket);
  }
  return 0;
}

}  // namespace hilgate
