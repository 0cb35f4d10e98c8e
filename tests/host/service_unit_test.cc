// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

TEST(ServiceUnit, IsTheInnermostServiceOfTheControlGroup) {
  EXPECT_EQ(service_unit_in("0::/system.slice/hilgate.service\n"), "hilgate.service");
  EXPECT_EQ(service_unit_in("0::/system.slice/system-hilgate.slice/hilgate@lab.service\n"), "hilgate@lab.service");
  EXPECT_EQ(service_unit_in("0::/user.slice/user@1000.service/app.slice/run-1.service/inner\n"), "run-1.service");
  EXPECT_EQ(service_unit_in("12:cpu:/\n1:name=systemd:/system.slice/hilgate.service\n0::/\n"), "hilgate.service");
}

TEST(ServiceUnit, IsEmptyOutsideOfAUnit) {
  EXPECT_EQ(service_unit_in(""), "");
  EXPECT_EQ(service_unit_in("0::/\n"), "");
  EXPECT_EQ(service_unit_in("0::/user.slice/user-0.slice/session-1.scope\n"), "");
  EXPECT_EQ(service_unit_in("0::/../../docker.service\n"), "") << "outside this container";
  EXPECT_EQ(service_unit(0), "") << "a process that cannot be seen";
}

}  // namespace
}  // namespace hilgate::test
