// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hilgate::test {
namespace {

using testing::HasSubstr;

template <class T>
std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_text<T>(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Quantity, ReadsEveryUnitWithAndWithoutBlank) {
  EXPECT_EQ(parse_text<Nanoseconds>("1ms"), Nanoseconds{1'000'000});
  EXPECT_EQ(parse_text<Nanoseconds>("0.1 ms"), Nanoseconds{100'000});
  EXPECT_EQ(parse_text<Nanoseconds>("2 min"), Nanoseconds{120'000'000'000});
  EXPECT_EQ(parse_text<Nanoseconds>("-5us"), Nanoseconds{-5'000});
  EXPECT_DOUBLE_EQ(parse_text<Metres>("12 m").value, 12);
  EXPECT_DOUBLE_EQ(parse_text<Metres>("20cm").value, 0.2);
  EXPECT_DOUBLE_EQ(parse_text<Hertz>("2.4 GHz").value, 2.4e9);
  EXPECT_DOUBLE_EQ(parse_text<Dbm>("-82 dBm").value, -82);
  EXPECT_DOUBLE_EQ(parse_text<Decibels>("+3 dBi").value, 3);
  EXPECT_DOUBLE_EQ(parse_text<BitsPerSecond>("8 Mbit/s").value, 8e6);
  EXPECT_EQ(parse_text<Bytes>("64 KiB").value, 65536u);
  EXPECT_DOUBLE_EQ(parse_text<Probability>("1 %").value, 0.01);
  EXPECT_DOUBLE_EQ(parse_text<MetresPerSecond>("36 km/h").value, 10);
  EXPECT_DOUBLE_EQ(parse_text<Radians>("180 deg").value, 3.141592653589793);
  EXPECT_DOUBLE_EQ(parse_text<PartsPerBillion>("1 ppm").value, 1000);
}

TEST(Quantity, MicrosecondsMayHaveEitherMicroSign) {
  EXPECT_EQ(parse_text<Nanoseconds>("500 \u00B5s"), Nanoseconds{500'000});
  EXPECT_EQ(parse_text<Nanoseconds>("1.5\u03BCs"), Nanoseconds{1'500});
  EXPECT_EQ(error_of<Nanoseconds>("1 \u00B5m"),
            "'1 \u00B5m' has the unit '\u00B5m', which is not a unit of a time; allowed: ns, us, ms, s, min, h");
}

TEST(Quantity, MissingUnitIsAnErrorThatNamesTheUnits) {
  EXPECT_EQ(error_of<Nanoseconds>("12"), "'12' has no unit; a time needs one of ns, us, ms, s, min, h; example: 1ms");
  EXPECT_EQ(error_of<Dbm>("20"), "'20' has no unit; a power level needs one of dBm; example: 20 dBm");
}

TEST(Quantity, WrongUnitIsAnErrorThatNamesBoth) {
  EXPECT_EQ(error_of<Metres>("5 s"), "'5 s' has the unit 's', which is not a unit of a length; allowed: m, mm, cm, km");
  EXPECT_THAT(error_of<BitsPerSecond>("8 MB/s"), HasSubstr("'MB/s'"));
}

TEST(Quantity, AUnitOfAnotherSpellingHasAHint) {
  EXPECT_EQ(error_of<BitsPerSecond>("8 Mbps"),
            "'8 Mbps' has the unit 'Mbps', which is not a unit of a bit rate; did you mean 'Mbit/s'? allowed: bit/s, "
            "kbit/s, Mbit/s, Gbit/s");
  for (const char* text : {"1Mbit", "1mbit", "1 Mb/s", "1 mbit/s", "1 MBIT/S", "1 mbps"}) {
    EXPECT_THAT(error_of<BitsPerSecond>(text), HasSubstr("did you mean 'Mbit/s'?")) << text;
  }
  for (const char* text : {"1 MB/s", "1 MBps", "1 bytes/s", "1 kB/s"}) {
    EXPECT_THAT(error_of<BitsPerSecond>(text), HasSubstr("of bytes per second give eight times as many bit/s")) << text;
  }
  EXPECT_THAT(error_of<Nanoseconds>("5 msec"), HasSubstr("did you mean 'ms'?"));
  EXPECT_THAT(error_of<Nanoseconds>("5 seconds"), HasSubstr("did you mean 's'?"));
  EXPECT_THAT(error_of<Hertz>("5 ghz"), HasSubstr("did you mean 'GHz'?"));
  EXPECT_THAT(error_of<Probability>("5 percent"), HasSubstr("did you mean '%'?"));
  EXPECT_THAT(error_of<Bytes>("5 mb"), HasSubstr("did you mean 'MB'?"));
  EXPECT_THAT(error_of<Dbm>("5 dbm"), HasSubstr("did you mean 'dBm'?"));
}

TEST(Quantity, NoNumberIsAnError) {
  for (const char* text : {"", "ms", "nan s", "inf s", "1e999 s", "- 1 s"}) {
    EXPECT_THAT(error_of<Nanoseconds>(text), HasSubstr("is not a time")) << text;
  }
  EXPECT_THAT(error_of<double>("1.5x"), HasSubstr("is not a number"));
  EXPECT_THAT(error_of<Nanoseconds>("1000000 h"), HasSubstr("no error"));
  EXPECT_THAT(error_of<Nanoseconds>("1e9 h"), HasSubstr("out of range"));
}

TEST(Quantity, LimitsOfProbabilityAndSize) {
  EXPECT_EQ(parse_text<Probability>("0 %").value, 0);
  EXPECT_EQ(parse_text<Probability>("100 %").value, 1);
  EXPECT_THAT(error_of<Probability>("101 %"), HasSubstr("0 % to 100 %"));
  EXPECT_THAT(error_of<Probability>("-1 %"), HasSubstr("0 % to 100 %"));
  EXPECT_THAT(error_of<Bytes>("-1 B"), HasSubstr("whole bytes"));
  EXPECT_THAT(error_of<Bytes>("0.5 B"), HasSubstr("whole bytes"));
}

TEST(Quantity, WholeNumbersKeepTheirRange) {
  EXPECT_EQ(parse_text<std::uint8_t>("255"), 255);
  EXPECT_EQ(error_of<std::uint8_t>("256"), "'256' is not a whole number from 0 to 255");
  EXPECT_EQ(parse_text<std::uint64_t>("18446744073709551615"), 18446744073709551615ull);
  EXPECT_THAT(error_of<std::uint64_t>("-1"), HasSubstr("is not a whole number"));
  EXPECT_THAT(error_of<int>("1.0"), HasSubstr("is not a whole number"));
  EXPECT_TRUE(parse_text<bool>("true"));
  EXPECT_EQ(error_of<bool>("yes"), "'yes' is not a boolean; allowed: true, false");
}

}  // namespace
}  // namespace hilgate::test
