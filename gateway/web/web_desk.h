// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "gateway/web/http_request.h"
#include "gateway/web/http_response.h"
#include "gateway/web/run_watch.h"
#include "gateway/web/web_guard.h"
#include "gateway/web/web_page.h"

namespace hilgate {

/// A capture that is wanted.
struct CaptureQuestion {
  asio::io_context& context;
  std::string control_socket;
  std::string request;  // for it
  std::chrono::seconds time;
};

/// What is answered to which request.
class WebDesk {
 public:
  struct Visitor {
    std::function<bool()> is_operator;                    // asked only where it matters
    std::function<void(HttpResponse)> answer;             // once
    std::function<void(RunWatch&)> follow;                // instead of an answer: gets reports as they come
    std::function<void(const CaptureQuestion&)> capture;  // likewise: a capture
  };

  /// `page` outlives it.
  WebDesk(asio::io_context& context, const WebPage& page, WebGuard guard);

  void take(const HttpRequest& request, const Visitor& visitor);

 private:
  void answer_data(const HttpRequest& request, const Visitor& visitor);
  void answer_of_record(const HttpRequest& request, const Visitor& visitor) const;
  void answer_of_run(const HttpRequest& request, const Visitor& visitor);
  void relay(const std::string& request, const Visitor& visitor);
  void control(const HttpRequest& request, const Visitor& visitor);
  void capture(const HttpRequest& request, const Visitor& visitor);
  [[nodiscard]] bool may_change(const Visitor& visitor) const;

  asio::io_context& context_;
  const WebPage& page_;
  WebGuard guard_;
  std::optional<RunWatch> watch_;  // nothing: the page is of a record
};

}  // namespace hilgate
