// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/error_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "config/config_file.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ErrorTables : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  ErrorTable read(const std::string& text, ErrorTableFormat format, double bytes = 1500) {
    std::ofstream(file_) << text;
    return read_error_table(file_, format, bytes);
  }
  std::string error_of(const std::string& text, ErrorTableFormat format) {
    try {
      read(text, format);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }
  const std::string file_ =
      std::filesystem::temp_directory_path() / ("hgt-radio-errors-" + std::to_string(getpid()) + ".txt");
};

double per(const ErrorTable& table, const char* mode, double snr_db, double bytes) {
  return frame_error_rate(table.hazard(mode)(snr_db), 8 * bytes);
}

TEST_F(ErrorTables, CsvIsLinearBetweenItsPoints) {
  const ErrorTable table = read("snr_db,slow,fast\n# comment\n0,1,1\n10,0.5,1\n20,0,0.2\n", ErrorTableFormat::kCsv);
  EXPECT_NEAR(per(table, "slow", 10, 1500), 0.5, 1e-12);
  EXPECT_NEAR(per(table, "slow", 15, 1500), 0.25, 1e-12);
  EXPECT_EQ(per(table, "slow", -1, 1500), 1);
  EXPECT_EQ(per(table, "slow", 25, 1500), 0);
  EXPECT_NEAR(per(table, "fast", 25, 1500), 0.2, 1e-12);
  EXPECT_NEAR(per(table, "slow", 10, 3000), 0.75, 1e-12) << "twice the bits";
}

TEST_F(ErrorTables, EmaneCurvesInPercentReceived) {
  const ErrorTable table = read(
      "<pcr>\n <table pktsize=\"128\">\n  <!-- <row sinr=\"0\" por=\"7\"/> -->\n"
      "  <datarate index=\"1\"> <row sinr=\"-9.0\" por=\"0.0\"/> <row sinr=\"-7.0\" por=\"21.0\"/>\n"
      "  </datarate><datarate index=\"2\"><row sinr=\"-5\" por=\"90\"/></datarate>\n </table></pcr>\n",
      ErrorTableFormat::kEmanePcr);
  EXPECT_EQ(table.frame_bytes, 128);
  EXPECT_NEAR(per(table, "rate1", -7, 128), 0.79, 1e-12);
  EXPECT_NEAR(per(table, "rate1", -8, 128), 1 - 0.105, 1e-12);
  EXPECT_NEAR(per(table, "rate2", -5, 256), 1 - 0.81, 1e-12);
  EXPECT_FALSE(table.any_length);
  EXPECT_EQ(per(table, "rate2", -4.9, 128), 0) << "nothing is lost above the last point";
  EXPECT_TRUE(
      read("<pcr><table pktsize=\"0\"><row sinr=\"1\" por=\"50\"/></table></pcr>", ErrorTableFormat::kEmanePcr, 99)
          .any_length);
  EXPECT_EQ(
      read("<pcr><table pktsize=\"0\"><row sinr=\"1\" por=\"50\"/></table></pcr>", ErrorTableFormat::kEmanePcr, 99)
          .frame_bytes,
      99);
}

// XML has more than one way to write an attribute.
TEST_F(ErrorTables, EmaneCurvesAsAnyXmlWriterWritesThem) {
  const ErrorTable table = read(
      "\xef\xbb\xbf<?xml version='1.0'?>\r\n<!DOCTYPE pcr SYSTEM 'file:///rfpipepcr.dtd'>\r\n<pcr>\r\n"
      "<table\r\n pktsize = '0' >\r\n<row por='17.5' sinr='3.5'/><row sinr = \"&#52;.0\" por = \"20\"></row>"
      "</table></pcr><!-- end -->\r\n",
      ErrorTableFormat::kEmanePcr);
  EXPECT_TRUE(table.any_length);
  EXPECT_NEAR(per(table, "rate0", 3.9, 1500), 0.805, 1e-12);
}

// As EMANE itself, which takes whole and valid files alone.
TEST_F(ErrorTables, EmaneCurvesThatAreNotReadWholeAreRefused) {
  const auto fault = [&](const std::string& text) { return error_of(text, ErrorTableFormat::kEmanePcr); };
  const std::string rows = "<row sinr=\"3.5\" por=\"17.5\"/>\n<row sinr=\"4.0\" por=\"20\"/>";
  EXPECT_THAT(fault("<pcr><table pktsize=\"0\">\n" + rows), HasSubstr("is no whole XML"));
  EXPECT_THAT(fault("<pcr><table pktsize=\"0\">\n" + rows + "</table></pcr>\n<pcr></pcr>"),
              HasSubstr(":4: begins a second element after <pcr>"));
  EXPECT_THAT(fault("<pcr><table pktsize=\"128\">\n<datarate index=\"1\">" + rows + "</datarate>\n</table>" +
                    "<table pktsize=\"1500\"><datarate index=\"1\">" + rows + "</datarate></table></pcr>"),
              HasSubstr(":4: <datarate index=\"1\"> is given twice"));
  EXPECT_THAT(fault("<pcr><table pktsize=\"-5\">" + rows + "</table></pcr>"),
              HasSubstr(":1: pktsize of <table>: '-5' is not a whole number from 0 to 65535"));
  EXPECT_THAT(fault("<pcr><table>" + rows + "</table></pcr>"), HasSubstr("pktsize of <table>: "));
  EXPECT_THAT(fault("<pcr>\n<table\npktsize=\"0\">\n<row sinr=\"4\"\npor=\"20\"/>\n<entry/></table></pcr>"),
              HasSubstr(":6: <entry> is not read; allowed here: <row>, <datarate>"));
}

TEST_F(ErrorTables, WmediumdMatricesCountFromTheirNoise) {
  const ErrorTable table =
      read("# signal per\n-90 1 1 1 1 1 1 1 1 1 1 1 1\n-80 0.1 1 1 1 1 1 1 1 1 1 1 0.9\n", ErrorTableFormat::kWmediumd);
  EXPECT_NEAR(per(table, "rate0", 11, 1500), 0.1, 1e-12);
  EXPECT_NEAR(per(table, "rate11", 11, 1500), 0.9, 1e-12);
  try {
    static_cast<void>(table.hazard("rate12"));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the error table does not have the mode 'rate12'; rate0, rate1"));
  }
}

TEST_F(ErrorTables, RefusesNonTablesByName) {
  EXPECT_THAT(error_of("a,b\n", ErrorTableFormat::kCsv), HasSubstr(":1: the header is 'a,b'; it must be snr_db"));
  EXPECT_THAT(error_of("snr_db,x\n1,1.5\n", ErrorTableFormat::kCsv),
              HasSubstr(":2: error rate 1.5 is out of range; allowed: 0 to 1"));
  EXPECT_THAT(error_of("snr_db,x\n1,nan\n", ErrorTableFormat::kCsv), HasSubstr(":2: "));
  EXPECT_THAT(error_of("snr_db,x\n1,1\n1,0\n", ErrorTableFormat::kCsv),
              HasSubstr(":3: 1 dB is not above the previous line's 1 dB"));
  EXPECT_THAT(error_of("snr_db,x\n1\n", ErrorTableFormat::kCsv), HasSubstr(":2: has 1 numbers; expected 2"));
  EXPECT_THAT(error_of("snr_db,x\n", ErrorTableFormat::kCsv), HasSubstr("has no error rates"));
  EXPECT_THAT(error_of("<pcr><table pktsize=\"128\"><datarate index=\"1\"><row sinr=\"4\" por=\"50\"/></datarate>"
                       "<datarate index=\"2\"></datarate></table></pcr>",
                       ErrorTableFormat::kEmanePcr),
              HasSubstr("has no error rates of the mode"));
  EXPECT_THAT(error_of("<?xml version=\"1.0\"?>\n<tdmabasemodel-pcr>\n<datarate bps=\"1M\"/></tdmabasemodel-pcr>",
                       ErrorTableFormat::kEmanePcr),
              HasSubstr(":2: is <tdmabasemodel-pcr>, curves of another EMANE model"));
  EXPECT_THAT(
      error_of("<pcr><table pktsize=\"1\">\n<row sinr=\"x\" por=\"1\"/></table></pcr>", ErrorTableFormat::kEmanePcr),
      HasSubstr(":2: sinr of <row>: 'x' is not a number"));
}

}  // namespace
}  // namespace hilgate::test
