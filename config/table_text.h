// SPDX-License-Identifier: Apache-2.0
// Tables as text, of measurements: lines of fields with commas, semicolons, tabs or blanks between them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace hilgate {

/// A file's text without the byte order mark that some programs put in front of it.
std::string_view without_byte_order_mark(std::string_view text);

/// `text` without blanks at its ends, and without the quotes around it.
std::string_view bare(std::string_view text);

/// What separates the fields of a table whose first line is `line`: of comma, semicolon and tab the one that it has
/// most of; a blank where it has no other.
char separator_of(std::string_view line);

/// The fields of a line, bare. A separator between quotes separates nothing; blanks count as one, however many there
/// are.
std::vector<std::string_view> fields_of(std::string_view line, char separator);

/// Nothing was measured: an empty field, "-", "nan", "NaN", "NA" and "null".
bool is_gap(std::string_view field);

/// A finite_number(), also with a plus sign.
std::optional<double> measured_number(std::string_view field);

}  // namespace hilgate
