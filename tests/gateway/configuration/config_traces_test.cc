// SPDX-License-Identifier: Apache-2.0
// The netsim `trace`: which link plays what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class ConfigTraces : public testing::Test {
 protected:
  ConfigTraces() : folder_(std::filesystem::temp_directory_path() / "hilgate-config-traces") {
    std::filesystem::create_directories(folder_);
    write("a.csv", "1000,2000000,8000000,0,5\n");
    write("b.csv", "time_s,rate_mbps\n0,8\n1,4\n");
    write("bad.csv", "time_s,rate_mbps\n1,8\n0,nan\n");
  }
  ~ConfigTraces() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string yaml(const std::string& traces, const std::string& more = {}) {
    return "name: t\nports: {p: {interface: a}, q: {interface: b}, r: {interface: c}}\nrobots:\n"
           "  red: {port: p, ip: 10.0.0.1}\n  blue: {port: q, ip: 10.0.0.2}\n  green: {port: r, ip: 10.0.0.3}\n"
           "netsim: {type: trace, traces: [" +
           traces + "]}\n" + more;
  }
  // The rules of all links, by LinkIndex, as `links` leave them.
  static std::vector<LinkRules> rules_of(const Configuration& configuration) {
    const auto netsim = std::get<LocalNetsimConfig>(configuration.netsim).make(3);
    std::vector<LinkRules> rules;
    for (std::uint32_t from = 0; from < 3; ++from) {
      for (std::uint32_t to = 0; to < 3; ++to) {
        rules.push_back(link_rules(configuration, RobotIndex{from}, RobotIndex{to},
                                   netsim->air_plan().rules[static_cast<std::size_t>(3 * from + to)]));
      }
    }
    return rules;
  }

 private:
  std::filesystem::path folder_;
};

const TracePlayback* trace_on(const std::vector<LinkRules>& rules, std::size_t from, std::size_t to) {
  const auto& impairments = rules[3 * from + to].impairments;
  return impairments && impairments->trace ? &*impairments->trace : nullptr;
}

TEST_F(ConfigTraces, ARobotsModemIsOneWireEachWay) {
  const auto rules = rules_of(read_yaml(yaml("{robot: red, up: " + path("a.csv") + ", down: " + path("b.csv") + "}")));
  ASSERT_NE(trace_on(rules, 0, 1), nullptr);
  EXPECT_EQ(trace_on(rules, 0, 1)->wire, trace_on(rules, 0, 2)->wire);
  EXPECT_EQ(trace_on(rules, 1, 0)->wire, trace_on(rules, 2, 0)->wire);
  EXPECT_NE(trace_on(rules, 0, 1)->wire, trace_on(rules, 1, 0)->wire);
  EXPECT_EQ(trace_on(rules, 1, 2), nullptr);
  std::uint32_t hint = 0;
  EXPECT_EQ(trace_on(rules, 0, 1)->schedule->at(0ns, hint).delay, 2ms);
}

TEST_F(ConfigTraces, LinksHaveWiresOfTheirOwnAndOptions) {
  const auto rules = rules_of(
      read_yaml(yaml("{from: \"*\", to: blue, file: " + path("b.csv") +
                         ", end: hold, values: linear, offset: 500ms, speed: 2, order: free, framing: ethernet, "
                         "queue: {frames: 7, bytes: 9 kB, drop: head}}",
                     "links: [{from: red, to: blue, duplicate: 1 %}]\n")));
  ASSERT_NE(trace_on(rules, 0, 1), nullptr);
  ASSERT_NE(trace_on(rules, 2, 1), nullptr);
  EXPECT_NE(trace_on(rules, 0, 1)->wire, trace_on(rules, 2, 1)->wire);
  const TracePlayback& trace = *trace_on(rules, 0, 1);
  EXPECT_TRUE(trace.overtakes);
  EXPECT_EQ(trace.queue.queue_frames, 7U);
  EXPECT_EQ(trace.queue.queue_bytes, 9000U);
  EXPECT_TRUE(trace.queue.drop_head);
  EXPECT_EQ(trace.bytes_on_wire(60), 84U);
  std::uint32_t hint = 0;
  EXPECT_NEAR(trace.schedule->at(0ns, hint).bits_per_second, 6e6, 1);
  EXPECT_TRUE(rules[1].impairments->duplication) << "links lie over traces";
  EXPECT_FALSE(rules[7].impairments->duplication);
}

TEST_F(ConfigTraces, ALaterItemWins) {
  const std::string modems = "{robot: red, up: " + path("a.csv") + "}, {robot: blue, down: " + path("a.csv") + "}";
  EXPECT_THAT(faults_in(yaml(modems)),
              ElementsAre(HasSubstr("give the link from 'red' to 'blue' two traces, one by 'up' and one by 'down'")));
  EXPECT_THAT(faults_in(yaml(modems + ", {from: red, to: blue, file: " + path("b.csv") + "}")), ElementsAre());
}

TEST_F(ConfigTraces, FilesAreReadOnceWhileTheyArePlayed) {
  const std::string text = yaml("{from: red, to: blue, file: " + path("a.csv") + "}");
  const auto first = rules_of(read_yaml(text));
  EXPECT_EQ(trace_on(first, 0, 1)->schedule, trace_on(rules_of(read_yaml(text)), 0, 1)->schedule);
}

// Red has a radio of the netsim embedded; blue and green have modems that were measured.
std::string beside_radios(const std::string& traces) {
  return "name: t\nports: {p: {interface: a}, q: {interface: b}, r: {interface: c}, s: {interface: d}}\nrobots:\n"
         "  red: {port: p, ip: 10.0.0.1, radio: wifi_11n_2g4_adhoc}\n"
         "  blue: {radios: {wifi: {port: q, ip: 10.0.0.2, radio: wifi_11n_2g4_adhoc}, lte: {port: r, ip: 10.1.0.2}}}\n"
         "  green: {port: s, ip: 10.1.0.3}\n"
         "netsim: {type: embedded, traces: [" +
         traces +
         "]}\nphysics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], "
         "blue: [{at: 0s, position: [9m, 0m, 1m]}], green: [{at: 0s, position: [0m, 9m, 1m]}]}}\n";
}

TEST_F(ConfigTraces, WithRadiosAreOfRobotsWithoutOne) {
  const Configuration configuration = read_yaml(beside_radios(
      "{from: blue, to: green, file: " + path("a.csv") + "}, {from: green, to: '*', file: " + path("b.csv") + "}"));
  const auto& measured = std::get<EmbeddedConfig>(configuration.netsim).measured;
  ASSERT_EQ(measured.size(), 16);  // red, blue.wifi, blue.lte, green
  for (std::size_t link = 0; link < measured.size(); ++link) {
    EXPECT_EQ(measured[link] != nullptr, link == 4 * 2 + 3 || link == 4 * 3 + 2) << link;
  }
}

TEST_F(ConfigTraces, OfARobotWhoseRadioDecidesIsRefused) {
  EXPECT_THAT(faults_in(beside_radios("{from: red, to: green, file: " + path("a.csv") + "}")),
              ElementsAre(HasSubstr("'red' has the radio 'wifi_11n_2g4_adhoc', which decides its links")));
  EXPECT_THAT(faults_in(beside_radios("{robot: blue.wifi, up: " + path("a.csv") + "}")),
              ElementsAre(HasSubstr("'blue.wifi' has the radio")));
}

TEST_F(ConfigTraces, AnSinrDrivesTheRadiosOfALink) {
  write("sinr.csv", "time_s,sinr\n0,8\n1,4\n");
  write("cqi.csv", "time_s,cqi,delay_ms,loss_pct\n0,8,20,1\n");
  const Configuration configuration =
      read_yaml(beside_radios("{from: red, to: blue, file: " + path("sinr.csv") + "}, {from: blue, to: '*', file: " +
                              path("cqi.csv") + "}, {from: blue, to: green, file: " + path("a.csv") + "}"));
  const auto& embedded = std::get<EmbeddedConfig>(configuration.netsim);  // red, blue.wifi, blue.lte, green
  ASSERT_EQ(embedded.sinrs.size(), 2U);
  EXPECT_EQ(embedded.sinrs[0].from, RobotIndex{0});
  EXPECT_EQ(embedded.sinrs[0].to, RobotIndex{1});
  std::uint32_t hint = 0;
  EXPECT_EQ(embedded.sinrs[0].trace->at(1s, hint).sinr_db, 4);
  EXPECT_EQ(embedded.sinrs[1].from, RobotIndex{1});
  EXPECT_EQ(embedded.sinrs[1].to, RobotIndex{0});
  ASSERT_EQ(embedded.measured.size(), 16U);
  for (std::size_t link = 0; link < embedded.measured.size(); ++link) {
    EXPECT_EQ(embedded.measured[link] != nullptr, link == 4 * 1 + 0 || link == 4 * 2 + 3)
        << link << ": frames meet delay and loss, and the trace of a link without radios";
  }
  const Configuration modem =
      read_yaml(beside_radios("{robot: red, up: " + path("sinr.csv") + ", down: " + path("sinr.csv") + "}"));
  EXPECT_EQ(std::get<EmbeddedConfig>(modem.netsim).sinrs.size(), 2U);
  EXPECT_TRUE(std::get<EmbeddedConfig>(modem.netsim).measured.empty());
}

TEST_F(ConfigTraces, AnSinrGoesByWindowsAndSoByAnyPace) {
  write("sinr.csv", "time_s,sinr\n0,8\n1,4\n");
  write("lossy.csv", "time_s,sinr,loss_pct\n0,8,1\n1,4,1\n");
  const std::string dilated = "pace: dilate\ndilate: 50 %\n";
  EXPECT_THAT(faults_in(beside_radios("{from: red, to: blue, file: " + path("sinr.csv") + "}") + dilated),
              ElementsAre());
  EXPECT_THAT(faults_in(beside_radios("{from: red, to: blue, file: " + path("lossy.csv") + "}") + dilated),
              ElementsAre(HasSubstr("dilate does not play traces")));
}

TEST_F(ConfigTraces, AnSinrWithoutARadioIsRefused) {
  write("sinr.csv", "time_s,sinr\n0,8\n1,4\n");
  write("both.csv", "time_s,sinr,rate_mbps\n0,8,4\n");
  const std::string sinr = path("sinr.csv");
  EXPECT_THAT(faults_in(yaml("{from: red, to: blue, file: " + sinr + "}")),
              ElementsAre(HasSubstr("file: has an SINR or a CQI, which drives the modes of a radio; use `netsim: "
                                    "{type: embedded}` and give both ends the key `radio`")));
  EXPECT_THAT(
      faults_in(beside_radios("{from: green, to: red, file: " + sinr + "}")),
      ElementsAre(HasSubstr("from: 'green' has no radio whose modes the SINR or CQI of the trace could drive")));
  EXPECT_THAT(faults_in(beside_radios("{robot: blue.lte, up: " + sinr + "}")),
              ElementsAre(HasSubstr("robot: 'blue.lte' has no radio whose modes")));
  EXPECT_THAT(faults_in(beside_radios("{from: red, to: blue, queue: {frames: 5}, file: " + sinr + "}")),
              ElementsAre(HasSubstr("queue: belongs to a trace with a rate")));
  EXPECT_THAT(faults_in(beside_radios("{from: red, to: blue, file: " + path("both.csv") + "}")),
              ElementsAre(HasSubstr("both.csv:1: has columns of rate, 'rate_mbps', and of sinr, 'sinr'")));
  EXPECT_THAT(faults_in(beside_radios("{from: red, to: red, file: " + sinr + "}")),
              ElementsAre(HasSubstr("file: has an SINR or a CQI for a link between two radios")));
}

std::string with_simulator(const std::string& simulator, const std::string& more = {}) {
  std::string text = beside_radios("");
  const std::string traces = "traces: []";
  return text.replace(text.find(traces), traces.size(), "simulator: {" + simulator + "}") + more;
}

TEST_F(ConfigTraces, ASimulatorJudgesLinksOfRobotsWithoutARadio) {
  const Configuration configuration =
      read_yaml(with_simulator("type: rosnetsim, robots: [blue.lte, green], expiry: 2s"));
  ASSERT_NE(judged_robots(configuration), nullptr);
  EXPECT_EQ(external_netsim(configuration)->expiry, std::chrono::seconds(2));
  EXPECT_FALSE(is_judged(configuration, RobotIndex{0}));
  EXPECT_FALSE(is_judged(configuration, RobotIndex{1}));
  EXPECT_TRUE(is_judged(configuration, RobotIndex{2}));
  EXPECT_TRUE(is_judged(configuration, RobotIndex{3}));
}

TEST_F(ConfigTraces, ASimulatorThatCannotJudgeIsRefused) {
  const auto faults = [](const std::string& simulator, const std::string& more = {}) {
    return faults_in(with_simulator(simulator, more));
  };
  EXPECT_THAT(faults("type: native"), testing::Contains(HasSubstr("netsim.simulator: has no 'robots'")));
  EXPECT_THAT(faults("type: dancers, robots: [blue.lte, green]"), testing::Contains(HasSubstr("'dancers' is not")));
  EXPECT_THAT(faults("type: native, answers: links, robots: [blue.lte, green]"),
              testing::Contains(HasSubstr("which the embedded radios decide")));
  EXPECT_THAT(faults("type: native, robots: [red, green]"),
              testing::Contains(HasSubstr("'red' has the radio 'wifi_11n_2g4_adhoc'")));
  EXPECT_THAT(faults("type: native, robots: [green]"), testing::Contains(HasSubstr("names one robot")));
  EXPECT_THAT(faults("type: native, robots: [blue.lte, green]", "pace: lockstep\n"),
              testing::Contains(HasSubstr("cannot be used with `pace: lockstep`")));
}

TEST_F(ConfigTraces, ErrorsNameFaultAndPlace) {
  EXPECT_THAT(faults_in(yaml("{from: red, to: blue, file: " + path("bad.csv") + "}")),
              testing::Contains(HasSubstr("bad.csv:3: time_s is '0', before that of the row in front")));
  EXPECT_THAT(faults_in(yaml("{from: red, to: blue, file: /nowhere.csv}")),
              ElementsAre(HasSubstr("/nowhere.csv: cannot be read")));
  EXPECT_THAT(faults_in(yaml("{robot: red}")), ElementsAre(HasSubstr("has no file; give 'up', 'down' or both")));
  EXPECT_THAT(faults_in(yaml("{robot: rde, up: " + path("a.csv") + "}")), ElementsAre(HasSubstr("did you mean 'red'")));
  EXPECT_THAT(faults_in(yaml("{from: red, to: blue, file: " + path("a.csv") + ", speed: 0}")),
              ElementsAre(HasSubstr("'0' is out of range; allowed: 0.001 to 1000")));
  EXPECT_THAT(faults_in(yaml("{from: red, to: blue, file: " + path("a.csv") + ", sped: 1}")),
              ElementsAre(HasSubstr("sped")));
  EXPECT_THAT(faults_in(yaml("{from: red, to: blue, file: " + path("a.csv") + "}", "pace: dilate\ndilate: 50 %\n")),
              ElementsAre(HasSubstr("dilate does not play traces")));
  EXPECT_THAT(faults_in("name: t\nports: {p: {interface: a}, q: {interface: b}}\n"
                        "robots: {red: {port: p}, blue: {port: q}}\nnetsim: {type: trace}\n"),
              testing::Contains(HasSubstr("has no 'traces'")));
}

}  // namespace
}  // namespace hilgate::test
