// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_depth.h"

namespace hilgate {

int line_of_deep_yaml(std::string_view text) {
  constexpr std::string_view kApart = " \t\n[{,";  // behind which quotes and comments begin
  int depth = 0;
  int line = 1;
  char quote = 0;
  char before = '\n';
  bool comment = false;
  for (const char c : text) {
    const bool apart = kApart.find(before) != std::string_view::npos;
    if (c == '\n') {
      ++line;
      comment = false;
    } else if (quote != 0) {
      quote = c == quote && before != '\\' ? '\0' : quote;
    } else if (comment || (c == '#' && apart)) {
      comment = true;
    } else if ((c == '"' || c == '\'') && apart) {
      quote = c;
    } else if ((c == '[' || c == '{') && ++depth > kDeepestYaml) {
      return line;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
    before = c;
  }
  return 0;
}

}  // namespace hilgate
