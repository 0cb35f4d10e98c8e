// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/radio_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/report/link_report.h"

namespace hilgate::test {
namespace {

using Action = RadioCommand::Action;
using Form = RadioCommand::Form;
using nlohmann::json;
using testing::HasSubstr;

const std::string kShippedProfiles = HILGATE_SOURCE_DIR "/rf_profiles/profiles";

struct Outcome {
  int status;
  std::string out, err;
};

Outcome run(RadioCommand command) {
  command.folders = {kShippedProfiles};
  std::ostringstream out, err;
  const int status = radio_command(command, out, err);
  return {status, out.str(), err.str()};
}

RadioCommand command(Action action, const std::string& name, Form form = Form::kTable) {
  RadioCommand made;
  made.action = action;
  made.name = name;
  made.form = form;
  return made;
}

TEST(RadioCommand, ListsEveryProfile) {
  const json all = json::parse(run(command(Action::kList, "", Form::kJson)).out);
  EXPECT_GE(all.size(), 20u);
  EXPECT_THAT(run(command(Action::kList, "")).out, HasSubstr("wifi_11n_2g4_adhoc"));
}

TEST(RadioCommand, ShowsAProfileWithItsProvenance) {
  const Outcome table = run(command(Action::kShow, "wifi_11n_2g4_adhoc"));
  EXPECT_EQ(table.status, 0);
  EXPECT_THAT(table.out, HasSubstr("error model wifi_table"));
  EXPECT_THAT(table.out, HasSubstr("mac.tries"));
  EXPECT_THAT(table.out, HasSubstr("\ncompared with ns-3: path loss, 42 points, 95 % within "));
  EXPECT_THAT(table.out, HasSubstr("; from 10 m to 5 km; rates mcs0 to mcs7\n"));
  EXPECT_THAT(table.out, HasSubstr("antenna at the radio, without a cable; effect: a cable takes its loss"));
  EXPECT_THAT(run(command(Action::kShow, "wire_1g")).out, HasSubstr("\ncompared with nothing\n"));
  const json shown = json::parse(run(command(Action::kShow, "wifi_11n_2g4_adhoc", Form::kJson)).out);
  EXPECT_EQ(shown.at("modes").size(), 9u);
  EXPECT_EQ(shown.at("provenance").at(0).at("key"), "phy.frequency");
}

TEST(RadioCommand, TakesAFileOfOnesOwn) {
  const Outcome own = run(command(Action::kShow, kShippedProfiles + "/sik_915_64k.yaml"));
  EXPECT_EQ(own.status, 0) << own.err;
  EXPECT_THAT(own.out, HasSubstr("queue of 1850 bytes of payload"));
  const Outcome none = run(command(Action::kShow, "./none.yaml"));
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("./none.yaml"));
}

TEST(RadioCommand, ReportsTheAccessMethod) {
  const auto shown = [](const char* name) { return run(command(Action::kShow, name)).out; };
  EXPECT_THAT(shown("wifi_11n_2g4_adhoc"),
              HasSubstr("\ncsma, carrier sense -82 dBm; EDCA; A-MPDU of up to 64 frames; rate ideal\n"));
  EXPECT_THAT(shown("wifi_11ag"), HasSubstr("\ncsma, carrier sense -82 dBm; no aggregation; rate ideal\n"));
  EXPECT_THAT(shown("mica2_cc1000"), HasSubstr("\ncsma, no hidden stations; no aggregation; rate fixed\n"));
  EXPECT_THAT(shown("xbee_802154"), HasSubstr("\nunslotted CSMA-CA, carrier sense -75 dBm; busy up to 4 times; rate"));
  EXPECT_THAT(shown("sik_915_64k"),
              HasSubstr("tdm, windows of 114.24 ms with 4.16 ms silence, yielded by an idle station; rate fixed"));
  EXPECT_THAT(shown("silvus_sc4200"), HasSubstr("tdm, one frame per station in turn"));
  EXPECT_THAT(shown("lora_sx1276_sf7"), HasSubstr("aloha, duty cycle 1 % of 3600 s, excess waits"));
  EXPECT_THAT(shown("lte_cat4"), HasSubstr("scheduled in a cell, FDD, HARQ combining, 8 ms apart"));
}

TEST(RadioCommand, WorksOutOneLink) {
  RadioCommand link = command(Action::kLink, "wifi_11n_2g4_adhoc");
  link.question.distance_m = 70;
  link.question.walls = {parse_wall("building")};
  EXPECT_THAT(run(link).out, HasSubstr("wifi_11n_2g4_adhoc at 70 m behind building: -91."));
  link.form = Form::kJson;
  const json report = json::parse(run(link).out);
  EXPECT_DOUBLE_EQ(report.at("wall_loss_db"), 14);
  EXPECT_EQ(report.at("reachable"), true);
  link.form = Form::kTable;
  link.question.distance_m = 5000;
  EXPECT_THAT(run(link).out, HasSubstr("out of range"));
}

// Frame by frame such a radio has a quarter of that; through a gateway 239 Mbit/s were measured.
TEST(RadioCommand, GoodputIsThatOfAggregates) {
  RadioCommand link = command(Action::kLink, "wifi_11ac_80", Form::kJson);
  link.question.distance_m = 10;
  const json report = json::parse(run(link).out);
  EXPECT_GT(report.at("goodput_bps"), 200e6);
  EXPECT_LT(report.at("goodput_bps"), report.at("rate_bps"));
}

TEST(RadioCommand, PlotsByData) {
  const json plot = json::parse(run(command(Action::kPlot, "wifi_11n_2g4_adhoc", Form::kJson)).out);
  const auto distance = plot.at("distance_m").get<std::vector<double>>();
  const auto slow = plot.at("error_rate").at("mcs0").get<std::vector<double>>();
  const auto fast = plot.at("error_rate").at("mcs7").get<std::vector<double>>();
  ASSERT_EQ(distance.size(), slow.size());
  EXPECT_LT(slow.front(), 1e-3);
  EXPECT_GT(slow.back(), 0.99);
  for (std::size_t i = 1; i < distance.size(); ++i) {
    EXPECT_GE(slow[i], slow[i - 1]);
    EXPECT_GE(fast[i], slow[i] - 1e-9);
  }
  const std::string svg = run(command(Action::kPlot, "wifi_11n_2g4_adhoc", Form::kSvg)).out;
  EXPECT_THAT(svg, testing::StartsWith("<svg"));
  EXPECT_THAT(svg, HasSubstr("mcs7</text>"));
}

TEST(RadioCommand, JudgesAFileOfReferenceValues) {
  const auto file = std::filesystem::temp_directory_path() / ("hgt-radio-rows-" + std::to_string(getpid()) + ".csv");
  std::ofstream(file) << "model,quantity,inputs,expected,unit,abs_tol,rel_tol,source\n"
                         "friis,loss,f_hz=2.4e9;d_m=100,80.052,dB,0.001,0,me\n"
                         "friis,loss,f_hz=2.4e9;d_m=100,81,dB,0.001,0,me\n"
                         "freis,loss,f_hz=2.4e9;d_m=100,81,dB,0.001,0,me\n";
  const Outcome judged = run(command(Action::kOracle, file));
  std::filesystem::remove(file);
  EXPECT_EQ(judged.status, 1);
  EXPECT_THAT(judged.out, HasSubstr(":2: pass  friis/loss"));
  EXPECT_THAT(judged.out, HasSubstr(":3: FAIL  friis/loss"));
  EXPECT_THAT(judged.out, HasSubstr("unknown quantity 'freis/loss'; did you mean 'friis/loss'?"));
  EXPECT_EQ(run(command(Action::kOracle, "/nonexistent.csv")).status, 2);
}

TEST(RadioCommand, EvaluatesOneValueOfAModel) {
  RadioCommand asked = command(Action::kOracle, "friis");
  asked.inputs = {"f_hz=2.4e9", "d_m=100"};
  EXPECT_EQ(run(asked).out, "friis/loss f_hz=2.4e9;d_m=100: 80.05200806\n");
  asked.form = Form::kJson;
  EXPECT_NEAR(json::parse(run(asked).out).at("value").get<double>(), 80.052008, 1e-6);
  asked.name = "itm/area_loss";
  asked.inputs = {"f_hz=10e6", "d_m=2000"};
  const Outcome refused = run(asked);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "ITM: the frequency is 10 MHz; allowed: 20 to 20000 MHz\n");
  asked.name = "itm/aera_loss";
  EXPECT_EQ(run(asked).err, "unknown quantity 'itm/aera_loss'; did you mean 'itm/area_loss'?\n");
}

TEST(RadioCommand, ListsTheModelsOnceHoweverManyRowsNameNone) {
  const auto file = std::filesystem::temp_directory_path() / ("hgt-radio-none-" + std::to_string(getpid()) + ".csv");
  std::ofstream(file) << "model,quantity,inputs,expected,unit,abs_tol,rel_tol,source\n"
                         "telepathy,loss,d_m=1,1,dB,0,0,me\n"
                         "telepathy,range,d_m=1,1,m,0,0,me\n";
  const Outcome judged = run(command(Action::kOracle, file));
  std::filesystem::remove(file);
  EXPECT_EQ(judged.status, 1);
  EXPECT_THAT(judged.out, HasSubstr(":2: ERROR telepathy/loss d_m=1: unknown quantity 'telepathy/loss'\n"));
  EXPECT_THAT(judged.out, testing::Not(HasSubstr("friis/loss")));
  EXPECT_THAT(judged.err, testing::StartsWith("known models: "));
  EXPECT_EQ(judged.err.find("friis/loss"), judged.err.rfind("friis/loss"));
}

TEST(RadioCommand, SendersAtTheSameTimeAddInLinearUnits) {
  RadioCommand link = command(Action::kLink, "mica2_cc1000", Form::kJson);
  link.question.distance_m = 10;
  const json alone = json::parse(run(link).out);
  EXPECT_EQ(alone.at("sinr_db"), alone.at("snr_db"));
  const double noise = alone.at("noise_dbm");
  link.question.interferers = {{noise}, {noise}};
  const json plain = json::parse(run(link).out);
  EXPECT_NEAR(alone.at("snr_db").get<double>() - plain.at("sinr_db").get<double>(), 10 * std::log10(3), 1e-9);
  EXPECT_GT(plain.at("frame_error_rate"), alone.at("frame_error_rate"));
  link.question.interference_weight = 0.5;
  EXPECT_NEAR(json::parse(run(link).out).at("sinr_db").get<double>(),
              alone.at("snr_db").get<double>() - 10 * std::log10(2), 1e-9);
  link.form = Form::kTable;
  EXPECT_THAT(run(link).out, HasSubstr(", SINR "));
}

TEST(RadioCommand, ReportsTheLossOfFragmentedDatagrams) {
  RadioCommand link = command(Action::kLink, "wifi_11n_2g4_adhoc", Form::kJson);
  link.question.distance_m = 70;
  link.question.walls = {parse_wall("building")};
  link.question.datagram_bytes = 65000;
  const json report = json::parse(run(link).out);
  EXPECT_EQ(report.at("fragments"), 44);  // 65 008 bytes, 1480 in each
  const double lost = 1 - report.at("delivery").get<double>();
  EXPECT_NEAR(report.at("datagram_delivery"), std::pow(1 - lost, 44), 0.02);
  EXPECT_GE(report.at("mean_tries"), 1.0);
  EXPECT_EQ(report.at("undetected_rate"), 0.0);  // bad frames are sent again
}

TEST(RadioCommand, ErrorsNameTheFault) {
  const Outcome unknown = run(command(Action::kShow, "wifi_11n_2g4_adhok"));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'wifi_11n_2g4_adhoc'?"));
  EXPECT_EQ(run(command(Action::kLink, "wire_1g", Form::kSvg)).err, "only `radio plot` supports --svg\n");
  EXPECT_THROW(static_cast<void>(parse_wall("brikc:20cm")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parse_wall("brick:20")), std::invalid_argument);
  EXPECT_DOUBLE_EQ(parse_wall("brick:20cm").thickness_m, 0.2);
}

/// Every profile of the library loads, reaches somewhere and not everywhere, and says where each number is from.
class Library : public testing::TestWithParam<std::string> {};

TEST_P(Library, IsValidAndNamesItsSources) {
  const RadioProfile profile = load_radio_profile(kShippedProfiles + "/" + GetParam() + ".yaml");
  LinkQuestion near;
  near.distance_m = 2;
  near.frame_bytes = 200;
  const LinkReport report = report_link(profile, near);
  EXPECT_TRUE(report.reachable);
  EXPECT_GT(report.delivery, 0.99);
  EXPECT_GT(report.goodput_bps, 10);
  EXPECT_LT(report.goodput_bps, report.rate_bps);
  for (const char* key : {"phy", "mac", "channel", "mtu", "errors"}) {
    const auto speaks = [&](const Provenance& provenance) {
      return provenance.key == key || provenance.key.starts_with(std::string(key) + ".");
    };
    EXPECT_TRUE(std::any_of(profile.provenance.begin(), profile.provenance.end(), speaks)) << key;
  }
  for (const Provenance& provenance : profile.provenance) {
    EXPECT_FALSE(provenance.source.empty()) << provenance.key;
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, Library,
                         testing::ValuesIn(radio_profile_names(std::vector<std::string>{kShippedProfiles})),
                         [](const auto& profile) { return profile.param; });

}  // namespace
}  // namespace hilgate::test
