// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/page_answer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "gateway/views/web/web_page.h"

namespace hilgate {

bool answer_page_file(const WebGuard& guard, std::string_view front, const HttpRequest& request,
                      const HttpVisitor& visitor) {
  const auto files = page_files();
  const auto file = std::ranges::find(files, request.path == "/" ? front : request.path, &PageFile::path);
  if (file == files.end()) {
    return false;
  }
  if (auto refusal = guard.refuse(request)) {
    visitor.answer(std::move(*refusal));
  } else if (request.method != "GET") {
    visitor.answer(HttpResponse::refusal(405, "Files of the page can be read, and nothing else."));
  } else {
    visitor.answer({.type = std::string(file->type), .body = std::make_shared<const std::string>(file->text)});
  }
  return true;
}

}  // namespace hilgate
