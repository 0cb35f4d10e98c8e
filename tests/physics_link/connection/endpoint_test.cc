// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

std::string complaint(std::string_view text) {
  try {
    (void)Endpoint::parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Endpoint, ReadsBothKindsAndWritesThemBack) {
  EXPECT_EQ(Endpoint::parse("unix:/tmp/a.sock").path, "/tmp/a.sock");
  const Endpoint tcp = Endpoint::parse("tcp:localhost:10001");
  EXPECT_EQ(tcp.host, "localhost");
  EXPECT_EQ(tcp.port, 10001);
  for (const char* text : {"unix:/tmp/a.sock", "tcp:localhost:10001", "tcp:::1:80"}) {
    EXPECT_EQ(Endpoint::parse(text).text(), text);
  }
}

TEST(Endpoint, ErrorsNameFaultAndRemedy) {
  EXPECT_EQ(complaint("/tmp/a.sock"),
            "socket '/tmp/a.sock' must begin with unix: or tcp:; write unix:/path/to/socket or tcp:host:port");
  EXPECT_THAT(complaint("unix:"), testing::HasSubstr("has a path of 0 bytes, not of 1..107"));
  EXPECT_THAT(complaint("unix:" + std::string(108, 'x')), testing::HasSubstr("has a path of 108 bytes"));
  EXPECT_THAT(complaint("tcp:10001"), testing::HasSubstr("misses host and port"));
  EXPECT_THAT(complaint("tcp:localhost:70000"), testing::HasSubstr("has port '70000'; allowed: 0 to 65535"));
  EXPECT_THAT(complaint("tcp:localhost:1x"), testing::HasSubstr("has port '1x'"));
}

}  // namespace
}  // namespace hilgate::test
