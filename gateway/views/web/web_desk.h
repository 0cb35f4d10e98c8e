// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <optional>
#include <string>

#include "gateway/views/web/followers.h"
#include "gateway/views/web/http_messages.h"
#include "gateway/views/web/plan_picture.h"
#include "gateway/views/web/run_watch.h"
#include "gateway/views/web/shared_question.h"
#include "gateway/views/web/web_guard.h"
#include "gateway/views/web/web_page.h"
#include "physics_link/geo/tile_archive.h"

namespace hilgate {

/// What lies below the map of a page, if anything.
struct MapGround {
  std::optional<TileArchive> tiles;
  std::optional<PlanPicture> plan;
};

/// What the page is answered.
class WebDesk {
 public:
  /// `page` outlives it.
  WebDesk(asio::io_context& context, const WebPage& page, WebGuard guard, MapGround ground);

  void take(const HttpRequest& request, const HttpVisitor& visitor);

 private:
  [[nodiscard]] HttpResponse tile_answer(const std::string& path);
  [[nodiscard]] HttpResponse plan_answer(const std::string& path) const;
  void answer_data(const HttpRequest& request, const HttpVisitor& visitor);
  void answer_of_record(const HttpRequest& request, const HttpVisitor& visitor) const;
  void answer_of_run(const HttpRequest& request, const HttpVisitor& visitor);
  void relay(const std::string& request, const HttpVisitor& visitor);
  void control(const HttpRequest& request, const HttpVisitor& visitor);
  void capture(const HttpRequest& request, const HttpVisitor& visitor);
  [[nodiscard]] bool may_change(const HttpVisitor& visitor) const;

  asio::io_context& context_;
  const WebPage& page_;
  WebGuard guard_;
  MapGround ground_;
  bool has_reported_tile_ = false;
  SharedQuestion world_;
  InTurn radios_;
  Followers followers_;
  std::optional<RunWatch> watch_;  // nothing: the page is of a record
};

}  // namespace hilgate
