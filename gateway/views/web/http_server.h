// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <string>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/http_messages.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// Throws std::system_error, with the address, when it cannot listen there.
FileDescriptor listen_for_http(const WebListen& listen);

/// For people: http://127.0.0.1:8080/, of a socket that listens there.
std::string http_address(const WebListen& listen, const FileDescriptor& socket);

/// Has requests at the socket answered until SIGINT or SIGTERM: a connection each, at most 96 at a time. Who does not
/// say its request within 5 s, or takes nothing for 10 s, is sent away, and earlier when others come.
void serve_http(asio::io_context& context, const WebListen& listen, const FileDescriptor& socket, const HttpDesk& desk);

}  // namespace hilgate
