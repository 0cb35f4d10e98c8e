// SPDX-License-Identifier: Apache-2.0
// Every row of the reference tables in tests/oracles, evaluated by the models.
#include "rf_profiles/oracle/oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/config_file.h"

namespace hilgate::test {
namespace {

struct Table {
  std::string file;
  int at_least;  // rows
};

class Oracle : public testing::TestWithParam<Table> {};

TEST_P(Oracle, EveryRowIsMet) {
  const auto& [table, at_least] = GetParam();
  int met = 0;
  for (const OracleRow& row : read_oracle_csv(HILGATE_SOURCE_DIR "/tests/oracles/" + table)) {
    const OracleResult result = judge(row);
    EXPECT_TRUE(result.pass) << table << ":" << row.line << ": " << row.model << " " << row.quantity << " "
                             << row.inputs << ": " << result.value << " instead of " << row.expected;
    met += result.pass ? 1 : 0;
  }
  RecordProperty("rows", met);
  EXPECT_GE(met, at_least);
}

INSTANTIATE_TEST_SUITE_P(Tables, Oracle,
                         testing::Values(Table{"analytic.csv", 51}, Table{"ns3-3.37.csv", 51},
                                         Table{"terrain.csv", 22}));

OracleRow row(const std::string& model, const std::string& inputs, double expected) {
  return {1, model, "loss", inputs, expected, "dB", 0, 0, ""};
}

std::string error_of(const OracleRow& row) {
  try {
    static_cast<void>(judge(row));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(OracleRow, ToleranceIsAbsolutePlusRelative) {
  OracleRow friis = row("friis", "f_hz=2.4e9;d_m=100", 80);
  const double deviation = judge(friis).deviation;
  EXPECT_NEAR(deviation, 0.052008, 1e-5);
  EXPECT_FALSE(judge(friis).pass);
  friis.abs_tol = 0.052;
  EXPECT_FALSE(judge(friis).pass);
  friis.rel_tol = 1e-6;
  EXPECT_TRUE(judge(friis).pass);
}

TEST(OracleRow, ReportsMissingKeys) {
  EXPECT_EQ(error_of(row("friis", "f_hz=2.4e9", 0)), "the input 'd_m' is missing");
  EXPECT_EQ(error_of(row("friis", "f_hz=2.4e9;d_m=x", 0)),
            "the input 'd_m': 'x' is not a number; example: 2.5 "
            "or 1e-5");
  EXPECT_EQ(error_of(row("friis", "f_hz", 0)), "the input 'f_hz' is not of the form key=value");
  EXPECT_EQ(error_of(row("fris", "", 0)), "unknown quantity 'fris/loss'; did you mean 'friis/loss'?");
  EXPECT_EQ(error_of(row("telepathy", "", 0)), "unknown quantity 'telepathy/loss'");
  EXPECT_EQ(error_of(row("tgpp_umi", "condition=los;f_hz=1e9;h_bs_m=10;h_ut_m=2;d2d_m=10", 0)),
            "the input 'condition' is 'los'; allowed: LOS, NLOS");
}

TEST(OracleRow, ModelsOfAProfileNameTheirKeys) {
  const auto error_with = [](const std::string& model, const std::string& keys) {
    OracleRow asked = row(model, "d2d_m=100;f_hz=2e9;" + keys, 0);
    asked.quantity = "pair_loss";
    return error_of(asked);
  };
  using testing::HasSubstr;
  EXPECT_THAT(error_with("tgpp_umi_o2i", "depth=8 m"), HasSubstr("building"));
  EXPECT_THAT(error_with("tgpp_uma_o2i", "depth=8 m;building=office"), HasSubstr("low_loss, high_loss"));
  EXPECT_THAT(error_with("tgpp_umi_o2i", "depth=-1 m;building=low_loss"), HasSubstr("depth: -1 is out of range"));
  EXPECT_THAT(error_with("itu_p2109", "building=traditional;probability=100 %"), HasSubstr("probability: 1 is out of"));
  EXPECT_THAT(error_with("itu_p526_earth", "surface=ice"), HasSubstr("land, sea"));
}

TEST(OracleCsv, NamesLinesThatAreNoRows) {
  const auto file = std::filesystem::temp_directory_path() / ("hgt-radio-oracle-" + std::to_string(getpid()) + ".csv");
  std::ofstream(file) << "model,quantity\na,b\na,b,c=1,x,dB,0,0,s\n";
  try {
    read_oracle_csv(file);
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr(":1: the header is 'model,quantity'; it must be 'model,quantity,inputs"));
    EXPECT_THAT(error.what(), testing::HasSubstr(":2: has 2 fields; expected 8: model,quantity,inputs"));
    EXPECT_THAT(error.what(), testing::HasSubstr(":3: 'x' is not a number"));
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace hilgate::test
