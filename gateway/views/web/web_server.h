// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/web_page.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// A listening socket of the page, with the token that visitors must know; empty: none.
struct WebEntrance {
  FileDescriptor socket;
  std::string token;
  std::string address;  // for people: http://127.0.0.1:8080/
};

/// Throws std::runtime_error when it cannot listen there, or the token cannot be read.
WebEntrance open_entrance(const WebConfig& config);

/// Serves the page until SIGINT or SIGTERM.
void serve_page(const WebPage& page, WebEntrance entrance);

}  // namespace hilgate
