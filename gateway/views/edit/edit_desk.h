// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "gateway/views/edit/edited_file.h"
#include "gateway/views/web/http_messages.h"
#include "gateway/views/web/web_guard.h"

namespace hilgate {

/// What the page of `hilgate edit` is answered: `GET /draft`, and with JSON `POST /change` {"changes": [{"path": [...],
/// "value": YAML or null}], "may_lose_comments"}, `/text` {"text"}, `/undo`, `/save`, `/read` and `/end`. The answer is
/// EditedFile::report(); 409 with {"error", "lost_comments"} where it cannot be.
class EditDesk {
 public:
  /// `end` is called when the page ends the editor. `file` and `end` outlive it.
  EditDesk(EditedFile& file, WebGuard guard, std::function<void()> end);

  void take(const HttpRequest& request, const HttpVisitor& visitor);

 private:
  [[nodiscard]] HttpResponse answer(const HttpRequest& request);
  void carry_out(const std::string& path, const nlohmann::json& asked);

  EditedFile& file_;
  WebGuard guard_;
  std::function<void()> end_;
};

}  // namespace hilgate
