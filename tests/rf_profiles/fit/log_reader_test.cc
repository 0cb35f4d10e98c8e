// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "config/config_file.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

MeasuredLog read_log(const std::string& text, const std::string& columns, const char* other_end = nullptr) {
  LogColumns parsed = parse_log_columns(columns);
  if (other_end != nullptr) {
    parsed.other_end = parse_other_end(other_end);
  }
  return read_measured_log(text, "log.csv", parsed);
}

std::string fault_of(const std::string& text, const std::string& columns, const char* other_end = nullptr) {
  try {
    read_log(text, columns, other_end);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no fault";
}

TEST(LogReader, ReadsPositionsAroundTheOtherEnd) {
  const MeasuredLog log =
      read_log("t,px,py,h,rssi\n0,30,40,10,-60\n1,30,43,14,-61\n", "time=t,x=px,y=py,z=h,level=rssi", "0,0,10");
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(log.rows[0].pair.d3d_m, 50);
  EXPECT_DOUBLE_EQ(log.rows[1].moved_m, 5);
  EXPECT_DOUBLE_EQ(log.rows[1].pair.high_m, 14);
  EXPECT_DOUBLE_EQ(log.rows[1].pair.low_m, 10);
  EXPECT_EQ(log.rows[1].level_db, -61);
  EXPECT_EQ(log.rows[1].line, 3);
  EXPECT_TRUE(log.has_heights);
  EXPECT_FALSE(log.is_snr);
}

TEST(LogReader, ReadsLatitudesAndLongitudes) {
  const MeasuredLog log = read_log("a,b,s\n47.001,8.0,5\n47.0,8.001,5\n", "lat=a,lon=b,snr=s", "47,8");
  EXPECT_NEAR(log.rows[0].pair.d3d_m, 111.195, 0.01);  // a thousandth of a degree of the meridian
  EXPECT_NEAR(log.rows[1].pair.d3d_m, 75.835, 0.01);   // times cos 47 degrees
  EXPECT_FALSE(log.has_heights);
  EXPECT_TRUE(log.is_snr);
}

TEST(LogReader, ReadsOtherSeparatorsAndColumnsByNumber) {
  EXPECT_EQ(read_log("d;l\r\n5;-50\r\n", "distance=d,level=l").rows.size(), 1u);
  const MeasuredLog blanks = read_log("step  d lost\n  1   5  -50   0\n", "distance=#2,level=#3,received=#4");
  EXPECT_EQ(blanks.rows[0].level_db, -50);
  EXPECT_EQ(blanks.rows[0].received, false);
  const MeasuredLog modem = read_log(
      "\xEF\xBB\xBF"
      "d;\"SINR; dB\"\r\n5;+11\r\n5;NA\r\n",
      "distance=d,snr=SINR; dB");
  EXPECT_EQ(modem.rows[0].level_db, 11);
  EXPECT_FALSE(modem.rows[1].level_db);
}

TEST(LogReader, KnowsRowsWithoutALevel) {
  LogColumns columns = parse_log_columns("distance=d,level=l");
  columns.no_level = -99;
  const MeasuredLog log = read_measured_log("d,l\n1,\n1,-\n1,nan\n1,-99.0\n1,-98\n", "log.csv", columns);
  ASSERT_EQ(log.rows.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(log.rows[i].level_db) << i;
  }
  EXPECT_EQ(log.rows[4].level_db, -98);
}

TEST(LogReader, NumbersPaths) {
  const MeasuredLog log = read_log("p,t,d,l\nred,5,1,0\nred,6,4,0\nblue,1,9,0\n", "path=p,time=t,distance=d,level=l");
  EXPECT_EQ(log.paths, 2u);
  EXPECT_EQ(log.rows[1].moved_m, 3);
  EXPECT_EQ(log.rows[2].path, 1u);
  EXPECT_EQ(log.rows[2].moved_m, 0);
}

TEST(LogReader, RefusesNonLogs) {
  const std::string plain = "time=t,distance=d,level=l";
  EXPECT_THAT(fault_of("", plain), HasSubstr("log.csv: is empty"));
  EXPECT_THAT(fault_of("t,dist,l\n", plain), HasSubstr("log.csv:1: has no column 'd'; the columns are t, dist, l"));
  EXPECT_THAT(fault_of("t,d,l\n1,far,-50\n", plain), HasSubstr("log.csv:2: distance 'far' is no number"));
  EXPECT_THAT(fault_of("t,d,l\n1,-2,-50\n", plain), HasSubstr("distance '-2' is out of range; allowed: 0 to 1e+08"));
  EXPECT_THAT(fault_of("t,d,l\n1,2,-500\n", plain), HasSubstr("level '-500' is out of range"));
  EXPECT_THAT(fault_of("t,d,l\n1,2\n", plain), HasSubstr("log.csv:2: has 2 fields, but level is field 3"));
  EXPECT_THAT(fault_of("t,d,l\n5,2,-50\n4,2,-50\n", plain), HasSubstr("log.csv:3: time 4 is before 5 of line 2"));
  EXPECT_THAT(fault_of("d,l,r\n1,2,maybe\n", "distance=d,level=l,received=r"),
              HasSubstr("received 'maybe' is neither"));
  EXPECT_THAT(fault_of("x,y,l\n1,2,3\n", "x=x,y=y,level=l"), HasSubstr("positions need the place of the other end"));
  EXPECT_THAT(fault_of("d,l\n", "distance=#0,level=l"), HasSubstr("'#0' is no column"));
  EXPECT_THAT(fault_of("p,d,l\na,1,1\nb,1,1\na,1,1\n", "path=p,distance=d,level=l"),
              HasSubstr("log.csv:4: path 'a' continues after another one"));
}

TEST(LogColumns, RefusesContradictions) {
  EXPECT_THAT(fault_of("", "distance=d,rssi=l"), HasSubstr("'rssi' is no value of a log"));
  EXPECT_THAT(fault_of("", "distance=d,distance=e,level=l"), HasSubstr("'distance' is given twice, as d and e"));
  EXPECT_THAT(fault_of("", "distance,level=l"), HasSubstr("'distance' names no column"));
  EXPECT_THAT(fault_of("", "x=a,level=l"), HasSubstr("both x and y"));
  EXPECT_THAT(fault_of("", "level=l"), HasSubstr("has no place; give exactly one of"));
  EXPECT_THAT(fault_of("", "distance=d,x=a,y=b,level=l"), HasSubstr("has two places"));
  EXPECT_THAT(fault_of("", "distance=d,level=l,snr=s"), HasSubstr("exactly one of level (dBm) and snr (dB)"));
  EXPECT_THROW(parse_other_end("1"), std::invalid_argument);
  EXPECT_THROW(parse_other_end("1,b"), std::invalid_argument);
}

}  // namespace
}  // namespace hilgate::test
