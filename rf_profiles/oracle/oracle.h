// SPDX-License-Identifier: Apache-2.0
// Reference values: tables of "this model, these inputs, this result" that the models must reproduce, and that people
// write themselves to check a radio against a data sheet or another simulator.
//
// A table is a CSV file with the header model,quantity,inputs,expected,unit,abs_tol,rel_tol,source. inputs are
// key=value pairs joined by ';', the unit at the end of the key. A value v passes when
// |v - expected| <= abs_tol + rel_tol |expected|; for the unit `rad modulo pi`, v and v + pi are the same.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

/// The inputs of one row, read by key. Errors name the key.
class OracleInputs {
 public:
  /// Throws std::runtime_error when `text` is not of the form key=value;key=value. Files are named from `folder`.
  explicit OracleInputs(std::string_view text, std::string folder = "");

  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  [[nodiscard]] const std::map<std::string, std::string>& all() const { return values_; }
  /// Throw std::runtime_error when the key is missing or (number) no number.
  [[nodiscard]] const std::string& text(const std::string& key) const;
  [[nodiscard]] double number(const std::string& key) const;
  [[nodiscard]] double number(const std::string& key, double otherwise) const;
  /// The path of a file. Throws as text().
  [[nodiscard]] std::string file(const std::string& key) const;

 private:
  std::string folder_;
  std::map<std::string, std::string> values_;
};

struct OracleRow {
  int line = 0;
  std::string model;
  std::string quantity;
  std::string inputs;
  double expected = 0;
  std::string unit;
  double abs_tol = 0;
  double rel_tol = 0;
  std::string source;
  std::string folder = "";  // of the table, for the files that inputs name; empty: the working directory
};

/// Throws ConfigError with file:line for each line that is no row.
std::vector<OracleRow> read_oracle_csv(const std::string& file);

struct OracleResult {
  double value = 0;
  double deviation = 0;  // value - expected; for an axis the smaller way round
  bool pass = false;
};

/// A row names an unknown model or quantity; the text names the nearest one, and oracle_names() lists all.
struct UnknownOracle : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value of the model. Throws UnknownOracle, or std::runtime_error when inputs are missing.
double oracle_value(const OracleRow& row);
OracleResult judge(const OracleRow& row);

/// The models a row may name, as MODEL/QUANTITY.
std::vector<std::string> oracle_names();

using OracleFunction = std::function<double(const OracleInputs&)>;
using OracleTable = std::map<std::string, OracleFunction>;  // by MODEL/QUANTITY

// The models by the names they have in tables of reference values, one function per family.

void add_error_oracles(OracleTable& table);
void add_fading_oracles(OracleTable& table);
void add_packet_oracles(OracleTable& table);
void add_path_loss_oracles(OracleTable& table);
void add_propagation_oracles(OracleTable& table);
void add_terrain_oracles(OracleTable& table);
void add_wifi_oracles(OracleTable& table);

}  // namespace hilgate
