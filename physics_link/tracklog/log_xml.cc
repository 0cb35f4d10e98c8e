// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/log_xml.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/plain_text.h"

namespace hilgate {

const tinyxml2::XMLElement& xml_root(tinyxml2::XMLDocument& document, std::string_view text, const std::string& file,
                                     std::string_view root) {
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    throw ConfigError({{file, std::max(document.ErrorLineNum(), 1), "",
                        fmt::format("is no whole XML: {}", tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID()))}});
  }
  const tinyxml2::XMLElement* element = document.RootElement();
  if (element == nullptr || bare_name(*element) != root) {
    throw ConfigError({{file, 1, "",
                        fmt::format("the first element is '{}'; it must be '{}'",
                                    element == nullptr ? "" : shown(element->Name()), root)}});
  }
  return *element;
}

std::string_view bare_name(const tinyxml2::XMLElement& element) {
  const std::string_view name = element.Name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

const tinyxml2::XMLElement* child_named(const tinyxml2::XMLElement& parent, std::string_view name) {
  const tinyxml2::XMLElement* child = parent.FirstChildElement();
  while (child != nullptr && bare_name(*child) != name) {
    child = child->NextSiblingElement();
  }
  return child;
}

const tinyxml2::XMLElement* next_named(const tinyxml2::XMLElement& element) {
  const tinyxml2::XMLElement* next = element.NextSiblingElement();
  while (next != nullptr && bare_name(*next) != bare_name(element)) {
    next = next->NextSiblingElement();
  }
  return next;
}

std::string_view text_of(const tinyxml2::XMLElement& parent, std::string_view name) {
  const tinyxml2::XMLElement* child = child_named(parent, name);
  const char* text = child == nullptr ? nullptr : child->GetText();
  return text == nullptr ? std::string_view{} : trimmed(text, kLogBlanks);
}

std::optional<double> number_in(const tinyxml2::XMLElement& element, const char* attribute, LogBuilder& log) {
  const char* text = element.Attribute(attribute);
  const auto number = text == nullptr ? std::nullopt : finite_number(text);
  if (!number) {
    log.fault(line_of(element), text == nullptr
                                    ? fmt::format("'{}' misses the attribute '{}'", shown(element.Name()), attribute)
                                    : fmt::format("{} '{}' is not a number", attribute, shown(text)));
  }
  return number;
}

std::size_t line_of(const tinyxml2::XMLElement& element) {
  return static_cast<std::size_t>(std::max(element.GetLineNum(), 1));
}

}  // namespace hilgate
