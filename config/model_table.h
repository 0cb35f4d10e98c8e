// SPDX-License-Identifier: Apache-2.0
// Families of models as YAML chooses among them: a std::variant is the table of a family, each alternative a row. An
// alternative has its name in YAML, `static constexpr std::string_view kName`, and `void read(YamlReader&)` when it has
// keys of its own, which are siblings of its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/yaml_reader.h"

namespace hilgate {

/// Every model of a family with its name, in the order of the table.
template <class Family, std::size_t... Rows>
std::vector<std::pair<std::string, Family>> models_by_name(std::index_sequence<Rows...> /*rows*/) {
  return {{std::string(std::variant_alternative_t<Rows, Family>::kName), Family(std::in_place_index<Rows>)}...};
}
template <class Family>
std::vector<std::pair<std::string, Family>> models_by_name() {
  return models_by_name<Family>(std::make_index_sequence<std::variant_size_v<Family>>());
}

/// The model that `key` of a map names, with its keys from the same map. A fault, and the first of the table, when
/// there is no model of that name.
template <class Family>
Family read_model(YamlReader& map, std::string_view key) {
  auto model = map.choice<Family>(key, models_by_name<Family>());
  std::visit(
      [&map](auto& chosen) {
        if constexpr (requires { chosen.read(map); }) {
          chosen.read(map);
        }
      },
      model);
  return model;
}

}  // namespace hilgate
