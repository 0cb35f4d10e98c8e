// SPDX-License-Identifier: Apache-2.0
// Text of files that are no YAML: what stands between separators, numbers, and text within HTML, SVG, XML and
// JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

/// The parts before, between and after the separators; of an empty text one empty part.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// `text` without the characters of `blanks` at its ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// `text` with the letters of ASCII small.
std::string in_small_letters(std::string_view text);

/// The whole of `text` as a finite number, without a plus sign or blanks.
std::optional<double> finite_number(std::string_view text);

/// What a file or a peer sent, for messages, which are a line each: without control characters, and of more than
/// `most` bytes the beginning, cut between characters of UTF-8, with the length of all.
std::string shown(std::string_view text, std::size_t most = 64);

/// `text` as HTML, SVG or XML, where it may also stand between double quotes.
std::string escaped(std::string_view text);

/// JSON as one line without an end. Text of others need not be UTF-8: what is not is replaced.
template <class Json>
std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hilgate
