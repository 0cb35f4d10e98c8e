// SPDX-License-Identifier: Apache-2.0
// Golden data of plots: JSON of columns of numbers under names, kept beside the tests and compared within a tolerance.
// After a change that is meant: HILGATE_GOLDEN=write ctest --test-dir build/dev -R golden_test
// writes it anew; the difference in git is what the change does to the plots.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hilgate::test {

using GoldenTable = std::map<std::string, std::vector<double>>;
using GoldenTables = std::map<std::string, GoldenTable>;

/// With six digits.
inline void write_golden(const std::string& file, const GoldenTables& tables) {
  std::ofstream out(file);
  out << "{";
  const char* next_table = "\n";
  for (const auto& [name, table] : tables) {
    out << next_table << "\"" << name << "\": {";
    next_table = ",\n";
    const char* next_column = "\n";
    for (const auto& [column, values] : table) {
      out << next_column << "  \"" << column << "\": [";
      next_column = ",\n";
      for (std::size_t i = 0; i < values.size(); ++i) {
        char text[32];
        std::snprintf(text, sizeof(text), "%.6g", values[i]);
        out << (i > 0 ? ", " : "") << text;
      }
      out << "]";
    }
    out << "}";
  }
  out << "\n}\n";
}

/// Every value within `absolute` or `relative`, whichever is more.
inline void expect_golden(const std::string& file, const GoldenTables& tables, double absolute, double relative) {
  const char* const wish = std::getenv("HILGATE_GOLDEN");
  if (wish != nullptr && std::string(wish) == "write") {
    write_golden(file, tables);
    return;
  }
  const auto golden = nlohmann::json::parse(std::ifstream(file)).get<GoldenTables>();
  ASSERT_EQ(golden.size(), tables.size()) << file;
  for (const auto& [name, table] : tables) {
    ASSERT_TRUE(golden.contains(name)) << name << " is not in " << file;
    ASSERT_EQ(golden.at(name).size(), table.size()) << name;
    for (const auto& [column, values] : table) {
      ASSERT_TRUE(golden.at(name).contains(column)) << name << ": " << column << " is not in " << file;
      const std::vector<double>& expected = golden.at(name).at(column);
      ASSERT_EQ(expected.size(), values.size()) << name << ": " << column;
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], expected[i], std::max(absolute, relative * std::abs(expected[i])))
            << name << ": " << column << "[" << i << "]";
      }
    }
  }
}

}  // namespace hilgate::test
