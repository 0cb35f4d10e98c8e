// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <stdexcept>

#include "gateway/configuration/web_config.h"

namespace hilgate::test {
namespace {

TEST(WebListen, IsAnAddressOrAPath) {
  const WebListen ipv4 = parse_web_listen("127.0.0.1:8080");
  EXPECT_EQ(ipv4.host, "127.0.0.1");
  EXPECT_EQ(ipv4.port, 8080);
  EXPECT_TRUE(ipv4.loopback);
  const WebListen ipv6 = parse_web_listen("[::1]:0");
  EXPECT_EQ(ipv6.host, "::1");
  EXPECT_TRUE(ipv6.loopback);
  EXPECT_FALSE(parse_web_listen("0.0.0.0:80").loopback);
  EXPECT_FALSE(parse_web_listen("[fd77::1]:80").loopback);
  EXPECT_EQ(parse_web_listen("unix:/run/page").socket, "/run/page");
  for (const char* wrong :
       {"", ":", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "localhost:80",
        "::1:80", "[127.0.0.1]:80", "[]:80", "unix:", "unix:page"}) {
    EXPECT_THROW(static_cast<void>(parse_web_listen(wrong)), std::invalid_argument) << wrong;
  }
}

TEST(WebListen, NeedsATokenWhereOthersReachIt) {
  WebConfig config{.listen = parse_web_listen("0.0.0.0:80"), .token_file = {}};
  EXPECT_THROW(check_web(config), std::invalid_argument);
  config.token_file = "token";
  EXPECT_NO_THROW(check_web(config));
}

TEST(WebName, IsAHostAsBrowsersAskForIt) {
  for (const auto& [text, name] :
       std::vector<std::pair<std::string, std::string>>{{"Robots.Example.ORG", "robots.example.org"},
                                                        {"robots.example.org.", "robots.example.org"},
                                                        {"lab_pc-2", "lab_pc-2"},
                                                        {"192.0.2.7", "192.0.2.7"},
                                                        {"[2001:DB8:0::7]", "2001:db8::7"},
                                                        {"2001:db8::7", "2001:db8::7"}}) {
    EXPECT_EQ(parse_web_name(text), name);
  }
  for (const char* const text :
       {"", ".", "a..b", "https://a.b", "a.b:443", "*.a.b", "[a.b]:1", "a b", "fe80::1%eth0"}) {
    EXPECT_THROW(parse_web_name(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace hilgate::test
