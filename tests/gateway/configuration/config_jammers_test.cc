// SPDX-License-Identifier: Apache-2.0
// jammers, and `path_loss` of links: what is read, and what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kLinksLine = 23;

std::string with_jammer(const std::string& keys) {
  return good_yaml() + "jammers: {east: {position: [1m, 2m, 3m], power: 10 dBm, frequency: 2.4 GHz, bandwidth: 20 MHz" +
         keys + "}}\n";
}

TEST(JammerConfig, IsOnAllTheTimeOrForAShareOfIt) {
  const Jammer always = read_yaml(with_jammer("")).jammers.front().jammer;
  EXPECT_EQ(always.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(always.power.value, 10);
  EXPECT_EQ(always.frequency.value, 2.4e9);
  EXPECT_EQ(always.bandwidth.value, 20e6);
  EXPECT_EQ(always.duty, 1);
  const JammerConfig now_and_then = read_yaml(with_jammer(", duty: 25 %, period: 8ms")).jammers.front();
  EXPECT_EQ(now_and_then.name, "east");
  EXPECT_EQ(now_and_then.jammer.duty, 0.25);
  EXPECT_EQ(now_and_then.jammer.period, 8ms);
}

TEST(JammerConfig, ErrorsNameTheFault) {
  const auto fault = [](const std::string& yaml) { return faults_in(yaml); };
  EXPECT_THAT(fault(with_jammer(", duty: 25 %")), ElementsAre(HasSubstr("gives one of `duty` and `period`")));
  EXPECT_THAT(fault(with_jammer(", duty: 0 %, period: 8ms")), ElementsAre(HasSubstr("'0 %' is out of range")));
  EXPECT_THAT(
      fault(good_yaml() + "jammers: {a/b: {position: [1m, 2m, 3m], power: 1 dBm, frequency: 1 GHz, bandwidth: 1 "
                          "MHz}}\n"),
      ElementsAre(HasSubstr("'a/b' is not a name")));
  EXPECT_THAT(fault(good_yaml() + "jammers: {a: {position: [1m, 2m, 3m], frequency: 1 GHz, bandwidth: 1 MHz}}\n"),
              ElementsAre(HasSubstr("misses the key 'power'")));
}

TEST(PathLossOfLinks, RequiresCompatibleRadios) {
  const Configuration config = read_yaml(with_line(kLinksLine, "links: [{from: red, to: blue, path_loss: 80 dB}]"));
  EXPECT_EQ(config.links.back().path_loss.value().value, 80);
  EXPECT_THAT(faults_in(with_line(kLinksLine, "links: [{from: red, to: blue, path_loss: 301 dB}]")),
              ElementsAre(HasSubstr("'301 dB' is out of range; allowed: 0 dB to 300 dB")));
}

}  // namespace
}  // namespace hilgate::test
