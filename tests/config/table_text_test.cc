// SPDX-License-Identifier: Apache-2.0
#include "config/table_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using testing::ElementsAre;

TEST(TableText, SeesTheSeparator) {
  EXPECT_EQ(separator_of("a,b;c,d"), ',');
  EXPECT_EQ(separator_of("a;b;c,d"), ';');
  EXPECT_EQ(separator_of("a b\tc"), '\t');
  EXPECT_EQ(separator_of("a b c"), ' ');
}

TEST(TableText, FieldsAreBare) {
  EXPECT_THAT(fields_of(R"( a ,"b, c",,"d")", ','), ElementsAre("a", "b, c", "", "d"));
  EXPECT_THAT(fields_of(R"(  a   "b c"	d )", ' '), ElementsAre("a", "b c", "d"));
  EXPECT_THAT(fields_of("", ';'), ElementsAre(""));
  EXPECT_THAT(fields_of("", ' '), ElementsAre());
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB\xBFtime"), "time");
}

TEST(TableText, KnowsGapsAndNumbers) {
  for (const char* gap : {"", "-", "nan", "NaN", "NA", "null"}) {
    EXPECT_TRUE(is_gap(gap)) << gap;
    EXPECT_FALSE(measured_number(gap)) << gap;
  }
  EXPECT_FALSE(is_gap("0"));
  EXPECT_EQ(measured_number("+3.5"), 3.5);
  EXPECT_EQ(measured_number("-99.0"), -99);
  for (const char* wrong : {"+-3", "++3", "+", "inf", "3dB", "1e400"}) {
    EXPECT_FALSE(measured_number(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace hilgate::test
