// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "gateway/views/web/http_messages.h"
#include "gateway/views/web/web_guard.h"

namespace hilgate {

/// Answers a request for a file of gateway/views/web/page/; "/" is `front`. False, and no answer, for other paths.
bool answer_page_file(const WebGuard& guard, std::string_view front, const HttpRequest& request,
                      const HttpVisitor& visitor);

}  // namespace hilgate
