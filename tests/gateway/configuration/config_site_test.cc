// SPDX-License-Identifier: Apache-2.0
// Several gateways with one file: which ports are whose, and what does not go together with a site.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kSite = R"(name: hall
clock: {source: tai}
site:
  key: none
  gateways:
    a: {address: 192.0.2.1}
    b: {address: 192.0.2.2, port: 7000}
ports:
  far: {interface: eth0, gateway: b}
  near: {interface: eth0, gateway: a}
robots:
  red: {port: near, mac: "02:00:00:00:00:01"}
  blue: {port: far, mac: "02:00:00:00:00:02"}
netsim: {type: wire}
)";

std::string with(std::string text, const std::string& what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
  return text;
}

Configuration read_as(const std::string& text, const std::string& gateway) {
  YamlDocument document = YamlDocument::parse(text, "f.yaml");
  KnownNames known = some_names();
  known.gateway = gateway;
  Configuration configuration = read_configuration(document, known);
  document.finish();
  return configuration;
}

}  // namespace

TEST(ConfigSite, EachGatewayHasItsPortsFirstAndAllRobotsInTheirOrder) {
  const Configuration a = read_as(kSite, "a");
  EXPECT_EQ(a.name, "hall-a");
  EXPECT_EQ(a.site->name, "hall");
  EXPECT_EQ(a.ports[0].name, "near");
  EXPECT_EQ(a.ports[0].driver, PortDriver::kAfXdp);
  EXPECT_EQ(a.ports[0].interface, "eth0");
  EXPECT_EQ(a.ports[1].name, "far");
  EXPECT_EQ(a.ports[1].driver, PortDriver::kElsewhere);
  EXPECT_EQ(a.ports[1].fail, FailMode::kNone);
  EXPECT_EQ(a.robots[0].name, "red");
  EXPECT_EQ(a.robots[0].port, PortIndex{0});
  EXPECT_EQ(a.robots[1].port, PortIndex{1});
  const Configuration b = read_as(kSite, "b");
  EXPECT_EQ(b.name, "hall-b");
  EXPECT_EQ(b.ports[0].name, "far");
  EXPECT_EQ(b.robots[0].name, "red");
  EXPECT_EQ(b.robots[0].port, PortIndex{1});
  EXPECT_EQ(b.site->gateways[1].port, 7000);
}

TEST(ConfigSite, WithoutANameOfAGatewayAllPortsAreLookedAt) {
  const Configuration all = read_as(kSite, "");
  EXPECT_EQ(all.name, "hall");
  EXPECT_EQ(all.ports[0].driver, PortDriver::kAfXdp);
  EXPECT_EQ(all.ports[1].driver, PortDriver::kAfXdp);
  EXPECT_EQ(own_gateway(all), nullptr);
}

TEST(ConfigSite, MediaAreSharedUnlessTheyAreSaidToBeApart) {
  EXPECT_EQ(read_as(kSite, "a").site->media, SiteMedia::kShared);
  EXPECT_EQ(read_as(with(kSite, "site:\n", "site:\n  media: apart\n"), "a").site->media, SiteMedia::kApart);
  EXPECT_THAT(faults_in(with(kSite, "site:\n", "site:\n  media: refuse\n")), Contains(HasSubstr("shared, apart")));
}

TEST(ConfigSite, SeveralCoresGoWhereRadiosOfSeveralGatewaysDoNotMeet) {
  const std::string wires = std::string(kSite) + "packet_loop: {cores: [{ports: [near]}, {ports: [far]}]}\n";
  const std::string radios = with(wires, "{type: wire}", "{type: embedded}");
  constexpr const char* kFault = "several `packet_loop.cores` where radios of several gateways may meet";
  EXPECT_THAT(faults_in(radios), Contains(HasSubstr(kFault)));
  EXPECT_THAT(faults_in(with(radios, "site:\n", "site:\n  media: apart\n")), Not(Contains(HasSubstr(kFault))));
  EXPECT_THAT(faults_in(wires), IsEmpty());
  EXPECT_THAT(faults_in(wires + "physics: {type: native}\n"),
              Contains(HasSubstr("several `packet_loop.cores` and external simulators")));
}

TEST(ConfigSite, ExternalSimulatorsMaySendLinksAndPositions) {
  const auto netsim = [](const std::string& text) { return with(kSite, "netsim: {type: wire}", text); };
  EXPECT_THAT(faults_in(netsim("netsim: {type: native, answers: links}")), IsEmpty());
  EXPECT_THAT(faults_in(netsim("netsim: {type: native, answers: links}") + "late: halt\n"),
              Contains(HasSubstr("use hold_last")));
  EXPECT_THAT(faults_in(kSite + "physics: {type: native}\n"), IsEmpty());
  EXPECT_EQ(read_as(kSite, "a").site->air_lag, Nanoseconds{20'000'000});
  const Configuration late = read_as(with(kSite, "site:\n", "site:\n  air_lag: 1s\n"), "a");
  EXPECT_EQ(late.site->air_lag, Nanoseconds{1'000'000'000});
  EXPECT_THAT(faults_in(with(kSite, "site:\n", "site:\n  air_lag: 0s\n")), Contains(HasSubstr("1us to 10s")));
}

TEST(ConfigSite, NetworkSimulatorsMayDecideEachFrame) {
  const auto netsim = [](const std::string& text) { return with(kSite, "netsim: {type: wire}", text); };
  EXPECT_THAT(faults_in(netsim("netsim: {type: native}")), IsEmpty());
  EXPECT_THAT(faults_in(netsim("netsim: {type: rosnetsim}")), Not(Contains(HasSubstr("does not go together"))));
  EXPECT_THAT(faults_in(netsim("netsim: {type: rosnetsim}") + "late: halt\n"), Contains(HasSubstr("use hold_last")));
  EXPECT_THAT(faults_in(netsim("netsim: {type: native}") + "packet_loop: {cores: [{ports: [near]}, {ports: [far]}]}\n"),
              Contains(HasSubstr("several `packet_loop.cores` and external simulators")));
  EXPECT_THAT(robots_here(read_as(netsim("netsim: {type: native}"), "a")), IsEmpty()) << "it may decide for all";
}

TEST(ConfigSite, RobotsMaySendPositionsRelativeToTheFilesOrigin) {
  const auto physics = [](const std::string& origin) {
    return std::string(kSite) + "physics: {type: mavlink, start: {red: [0m, 0m, 5m], blue: [9m, 0m, 5m]}" + origin +
           "}\n";
  };
  constexpr const char* kFault = "needs `physics.origin` with `altitude`";
  EXPECT_THAT(faults_in(physics("")), Contains(HasSubstr(kFault)));
  EXPECT_THAT(faults_in(physics(", origin: {latitude: 47.4, longitude: 8.5}")), Contains(HasSubstr(kFault)));
  EXPECT_THAT(faults_in(physics(", origin: {latitude: 47.4, longitude: 8.5, altitude: 400m}")), IsEmpty());
}

TEST(ConfigSite, ReachableGatewaysRequireAKeyOrKeyNone) {
  const std::string open = with(kSite, "  key: none\n", "");
  EXPECT_THAT(faults_in(open), Contains(AllOf(HasSubstr("gateway 'a' has the address 192.0.2.1"),
                                              HasSubstr("`key: none`"), HasSubstr("key_file"))));
  EXPECT_THAT(faults_in(with(open, "address: 192.0.2.1", "address: 127.0.0.1")),
              Contains(HasSubstr("gateway 'b' has the address 192.0.2.2")));
  const std::string loopback = with(with(open, "192.0.2.1", "127.0.0.1"), "192.0.2.2", "127.9.0.1");
  EXPECT_THAT(faults_in(loopback), IsEmpty());
  EXPECT_THAT(faults_in(with(open, "site:\n", "site:\n  key_file: site.key\n")), IsEmpty());
  EXPECT_THAT(faults_in(with(kSite, "site:\n", "site:\n  key_file: site.key\n")),
              Contains(HasSubstr("exclude each other")));
  EXPECT_THAT(faults_in(with(kSite, "key: none", "key: secret")), Contains(HasSubstr("'secret'")));
}

TEST(ConfigSite, FaultsAreNamed) {
  EXPECT_THAT(faults_in(kSite), IsEmpty());
  EXPECT_THAT(faults_in(with(kSite, ", gateway: a", "")), Contains(HasSubstr("misses the key 'gateway'")));
  EXPECT_THAT(faults_in(with(kSite, ", gateway: a", ", gateway: c")), Contains(HasSubstr("'c' is not a gateway")));
  EXPECT_THAT(faults_in(with(kSite, ", gateway: a", ", gateway: b")),
              Contains(HasSubstr("already the interface of port 'far'")));
  EXPECT_THAT(faults_in(with(kSite, "eth0, gateway: a", "eth1, gateway: b")), Contains(HasSubstr("'a' has no port")));
  EXPECT_THAT(faults_in(with(kSite, "192.0.2.2, port: 7000", "192.0.2.1")),
              Contains(HasSubstr("those of gateway 'a'")));
  EXPECT_THAT(faults_in(with(kSite, "192.0.2.1", "fd00::1")), Contains(HasSubstr("is no IPv4 address")));
  EXPECT_THAT(faults_in(with(kSite, "{source: tai}", "{source: monotonic}")), Contains(HasSubstr("follows nothing")));
  EXPECT_THAT(faults_in(with(kSite, ", mac: \"02:00:00:00:00:02\"", "")),
              Contains(HasSubstr("needs the `mac` of every robot")));
  EXPECT_THAT(faults_in(kSite + "pace: lockstep\n"), Contains(HasSubstr("another pace than `wall`")));
  EXPECT_THAT(faults_in("name: alone\nports:\n  p: {interface: eth0, gateway: a}\n"),
              Contains(HasSubstr("there is no `site`")));
}

}  // namespace hilgate::test
