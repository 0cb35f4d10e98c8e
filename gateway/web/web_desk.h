// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>

#include "gateway/web/http_request.h"
#include "gateway/web/http_response.h"
#include "gateway/web/run_watch.h"
#include "gateway/web/web_guard.h"

namespace hilgate {

/// What is answered to which request.
class WebDesk {
 public:
  struct Visitor {
    std::function<bool()> is_operator;         // asked only where it matters
    std::function<void(HttpResponse)> answer;  // once
    std::function<void(RunWatch&)> follow;     // instead of an answer: gets reports as they come
  };

  WebDesk(asio::io_context& context, const std::string& control_socket, WebGuard guard);

  void take(const HttpRequest& request, const Visitor& visitor);

 private:
  void relay(const std::string& request, const Visitor& visitor);
  void control(const HttpRequest& request, const Visitor& visitor);
  [[nodiscard]] bool may_change(const Visitor& visitor) const;

  asio::io_context& context_;
  std::string control_socket_;
  WebGuard guard_;
  RunWatch watch_;
};

}  // namespace hilgate
