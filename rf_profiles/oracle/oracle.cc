// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/oracle/oracle.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "config/config_file.h"
#include "config/nearest.h"
#include "config/plain_text.h"
#include "config/quantity.h"

namespace hilgate {
namespace {

constexpr std::string_view kHeader = "model,quantity,inputs,expected,unit,abs_tol,rel_tol,source";
constexpr std::size_t kFields = 8;

OracleRow row_of(const std::string& line, int number) {
  const std::vector<std::string> fields = parts_of(line, ',');
  if (fields.size() != kFields) {
    throw std::invalid_argument(fmt::format("has {} fields; expected {}: {}", fields.size(), kFields, kHeader));
  }
  return {number,
          fields[0],
          fields[1],
          fields[2],
          parse_text<double>(fields[3]),
          fields[4],
          parse_text<double>(fields[5]),
          parse_text<double>(fields[6]),
          fields[7]};
}

const OracleTable& all_models() {
  static const OracleTable kTable = [] {
    OracleTable table;
    add_error_oracles(table);
    add_fading_oracles(table);
    add_packet_oracles(table);
    add_path_loss_oracles(table);
    add_propagation_oracles(table);
    add_terrain_oracles(table);
    add_wifi_oracles(table);
    return table;
  }();
  return kTable;
}

}  // namespace

OracleInputs::OracleInputs(std::string_view text, std::string folder) : folder_(std::move(folder)) {
  for (const std::string& pair : parts_of(text, ';')) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw std::runtime_error(fmt::format("the input '{}' is not of the form key=value", pair));
    }
    values_[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
}

const std::string& OracleInputs::text(const std::string& key) const {
  const auto value = values_.find(key);
  if (value == values_.end()) {
    throw std::runtime_error(fmt::format("the input '{}' is missing", key));
  }
  return value->second;
}

double OracleInputs::number(const std::string& key) const {
  try {
    return parse_text<double>(text(key));
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(fmt::format("the input '{}': {}", key, error.what()));
  }
}

double OracleInputs::number(const std::string& key, double otherwise) const {
  return has(key) ? number(key) : otherwise;
}

std::string OracleInputs::file(const std::string& key) const {
  return std::filesystem::path(folder_) / text(key);
}

std::vector<OracleRow> read_oracle_csv(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw ConfigError({{file, 0, "", fmt::format("cannot be read: {}", std::strerror(errno))}});
  }
  std::vector<OracleRow> rows;
  std::vector<Fault> faults;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    try {
      if (number == 1 && line != kHeader) {
        throw std::invalid_argument(fmt::format("the header is '{}'; it must be '{}'", line, kHeader));
      }
      if (number > 1 && !line.empty()) {
        rows.push_back(row_of(line, number));
        rows.back().folder = std::filesystem::path(file).parent_path();
      }
    } catch (const std::invalid_argument& error) {
      faults.push_back({file, number, "", error.what()});
    }
  }
  if (!faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  return rows;
}

double oracle_value(const OracleRow& row) {
  const std::string name = row.model + "/" + row.quantity;
  const auto model = all_models().find(name);
  if (model == all_models().end()) {
    const std::string near = nearest_word(name, oracle_names());
    throw UnknownOracle(
        fmt::format("unknown quantity '{}'{}", name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return model->second(OracleInputs(row.inputs, row.folder));
}

OracleResult judge(const OracleRow& row) {
  const double value = oracle_value(row);
  const double plain = value - row.expected;
  const double deviation = row.unit == "rad modulo pi" ? std::remainder(plain, std::numbers::pi) : plain;
  return {value, deviation, std::abs(deviation) <= row.abs_tol + row.rel_tol * std::abs(row.expected)};
}

std::vector<std::string> oracle_names() {
  std::vector<std::string> names;
  for (const auto& [name, model] : all_models()) {
    names.push_back(name);
  }
  return names;
}

}  // namespace hilgate
