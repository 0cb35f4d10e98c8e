// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gateway/record/record_tables.h"

namespace hilgate {

/// One table in a file. A cell is a number, a text, true or false, or null for none.
class TableFile {
 public:
  using Cell = nlohmann::ordered_json;

  /// Throws std::system_error.
  TableFile(const std::filesystem::path& folder, const std::string& name, std::vector<std::string> columns,
            TableFormat format);

  void row(const std::vector<Cell>& cells);
  /// Throws std::system_error when something could not be written.
  void close();

 private:
  std::filesystem::path file_;
  std::vector<std::string> columns_;
  TableFormat format_;
  std::ofstream out_;
};

}  // namespace hilgate
