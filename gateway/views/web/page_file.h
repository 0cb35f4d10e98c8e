// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace hilgate {

/// A file of gateway/views/web/page/, as it was when the program was built.
struct PageFile {
  std::string_view path;  // as browsers ask for it: "/map.js"; index.html is "/"
  std::string_view type;
  std::string_view text;
};

std::span<const PageFile> page_files();

}  // namespace hilgate
