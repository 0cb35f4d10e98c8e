// SPDX-License-Identifier: Apache-2.0
#include "config/assignment_key.h"

namespace hilgate {

std::size_t end_of_filter(std::string_view text, std::size_t at) {
  const bool begins = text.substr(at).starts_with(kFilterBegins);
  const std::size_t end = begins ? text.find(kFilterEnds, at + kFilterBegins.size()) : std::string_view::npos;
  return end == std::string_view::npos ? end : end + kFilterEnds.size();
}

std::size_t end_of_key(std::string_view assignment) {
  for (std::size_t at = 0; at < assignment.size(); ++at) {
    if (assignment[at] == '=') {
      return at;
    }
    if (const std::size_t end = end_of_filter(assignment, at); end != std::string_view::npos) {
      at = end - 1;
    }
  }
  return std::string_view::npos;
}

std::string_view key_of(std::string_view assignment) {
  return assignment.substr(0, end_of_key(assignment));
}

}  // namespace hilgate
