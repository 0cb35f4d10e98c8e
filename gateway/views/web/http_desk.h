// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "gateway/views/web/followers.h"
#include "gateway/views/web/http_messages.h"
#include "gateway/views/web/run_watch.h"

namespace hilgate {

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
using HttpDesk = std::function<void(const HttpRequest&, const HttpVisitor&)>;

}  // namespace hilgate
