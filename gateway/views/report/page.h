// SPDX-License-Identifier: Apache-2.0
// Pages that need nothing beside themselves, light or dark as the reader's browser is.
#pragma once

#include <string>
#include <vector>

namespace hilgate {

/// The whole page; `body` is HTML.
std::string page_of(const std::string& title, const std::string& body);

/// A box of the page; nothing where `body`, HTML, is empty. An empty `text` is left out.
std::string section_of(const std::string& title, const std::string& text, const std::string& body);

/// A row of a table; cells are HTML.
std::string row_of(const std::vector<std::string>& cells, const char* tag = "td");

}  // namespace hilgate
