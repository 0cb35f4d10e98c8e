// SPDX-License-Identifier: Apache-2.0
// XML logs, by tinyxml2: elements by their names without prefixes, and the numbers in them.
#pragma once

#include <tinyxml2.h>

#include <optional>
#include <string>
#include <string_view>

#include "physics_link/tracklog/track_log.h"

namespace hilgate {

/// Reads `text` into `document` and returns its root, whose name without a prefix is `root`. Throws ConfigError with
/// the line.
const tinyxml2::XMLElement& xml_root(tinyxml2::XMLDocument& document, std::string_view text, const std::string& file,
                                     std::string_view root);

/// The element's name without a prefix.
std::string_view bare_name(const tinyxml2::XMLElement& element);
/// The first child, or following sibling, with the name; absent: nullptr.
const tinyxml2::XMLElement* child_named(const tinyxml2::XMLElement& parent, std::string_view name);
const tinyxml2::XMLElement* next_named(const tinyxml2::XMLElement& element);
/// The text of the child with the name; empty without one.
std::string_view text_of(const tinyxml2::XMLElement& parent, std::string_view name);

/// The attribute as a finite number; a missing or another one is a fault of the log, at the element's line.
std::optional<double> number_in(const tinyxml2::XMLElement& element, const char* attribute, LogBuilder& log);
/// The line of the element.
std::size_t line_of(const tinyxml2::XMLElement& element);

}  // namespace hilgate
