// SPDX-License-Identifier: Apache-2.0
// Verdicts, and what a certificate looks like to people and programs.
#include "bench/certify/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/certify/certify.h"
#include "config/config_file.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const CertifyFigure kRate{.key = "wire.ndr.64",
                          .unit = "frames/s",
                          .text = "NDR <64 B>",
                          .yardstick = "wire.forwarder_ndr.64",
                          .yardstick_text = "a forwarder",
                          .limit = {.at_least = true, .value = 0.5, .of_yardstick = true}};

CertifyFigure early() {
  return {.key = "release.early",
          .unit = "",
          .text = "early",
          .yardstick = "",
          .yardstick_text = "",
          .limit = {},
          .judged_by_worst = true};
}

TEST(CertifyVerdict, IsOfTheMedianAgainstTheYardstick) {
  const CertifySamples good{{kRate.key, {1, 90, 60, 50, 55}}, {kRate.yardstick, {100, 100, 100, 1, 900}}};
  const CertifyLine line = judge(kRate, good, "");
  EXPECT_EQ(line.verdict, CertifyVerdict::kPass);
  EXPECT_EQ(line.spread->least, 1);
  EXPECT_EQ(line.spread->median, 55);
  EXPECT_EQ(line.spread->most, 90);
  EXPECT_DOUBLE_EQ(*line.ratio(), 0.55);
  const CertifySamples bad{{kRate.key, {1, 90, 40, 40, 55}}, {kRate.yardstick, {100, 100, 100, 1, 900}}};
  EXPECT_EQ(judge(kRate, bad, "").verdict, CertifyVerdict::kFail);
}

TEST(CertifyVerdict, NeedsAllRoundsAndTheYardstick) {
  const CertifyLine few = judge(kRate, {{kRate.key, {90, 90}}, {kRate.yardstick, {100}}}, "interrupted");
  EXPECT_EQ(few.verdict, CertifyVerdict::kNotMeasured);
  EXPECT_EQ(few.note, "2 of 5 rounds: interrupted");
  const CertifyLine alone = judge(kRate, {{kRate.key, {1, 2, 3, 4, 5}}}, "");
  EXPECT_EQ(alone.verdict, CertifyVerdict::kNotMeasured);
  EXPECT_EQ(alone.note, "its yardstick was not measured");
}

TEST(CertifyVerdict, OfForbiddenEventsUsesTheWorstRound) {
  EXPECT_EQ(judge(early(), {{"release.early", {0, 0, 0, 0, 0}}}, "").verdict, CertifyVerdict::kPass);
  EXPECT_EQ(judge(early(), {{"release.early", {0, 0, 1, 0, 0}}}, "").verdict, CertifyVerdict::kFail);
}

TEST(CertifyVerdict, ReportsWhereTheGeneratorWasTheLimit) {
  const CertifySamples samples{{kRate.key, {9, 9, 9, 9, 9}}, {kRate.yardstick, {9}}, {kRate.key + ".limited", {1, 1}}};
  EXPECT_EQ(judge(kRate, samples, "").note, "the generator was the limit in 2 of 5 rounds");
}

TEST(CertifyVerdict, IsNoFailureWhereMoreCouldNotBeOffered) {
  const CertifySamples samples{
      {kRate.key, {4, 4, 4, 4, 4}}, {kRate.yardstick, {9}}, {kRate.key + ".limited", {1, 1, 1}}};
  EXPECT_EQ(judge(kRate, samples, "").verdict, CertifyVerdict::kNotMeasured);
}

class CertificateTest : public testing::Test {
 protected:
  CertificateTest() {
    const CertifySamples samples{{kRate.key, {60, 60, 60, 60, 60}}, {kRate.yardstick, {100, 100, 100, 100, 100}}};
    certificate_.form = "short";
    certificate_.began = "2026-11-23T16:00:00Z";
    certificate_.host = {{"processor", "<CPU>"},
                         {"processors", 2},
                         {"kernel", "6.1"},
                         {"load", 0.5},
                         {"checks", {{{"name", "tsc"}, {"state", "ok"}, {"found", "invariant"}}}}};
    certificate_.samples = samples;
    certificate_.lines = {judge(kRate, samples, ""), judge(early(), samples, "no rights")};
  }
  Certificate certificate_;
};

TEST_F(CertificateTest, TextHasALinePerFigure) {
  EXPECT_THAT(
      certificate_text(certificate_),
      AllOf(HasSubstr("<CPU>, 2 processors, Linux 6.1, load 0.5\n"), HasSubstr("pass          wire.ndr.64"),
            HasSubstr("NDR <64 B>\n"), HasSubstr("at least 0.5x"), HasSubstr("early; 0 of 5 rounds: no rights\n"),
            HasSubstr("1 pass, 0 fail, 1 not measured; short form")));
  EXPECT_EQ(certificate_.status(), 0);
}

TEST_F(CertificateTest, JsonHasTheRounds) {
  const auto json = certificate_json(certificate_);
  EXPECT_EQ(json.at("status"), 0);
  EXPECT_EQ(json.at("lines").size(), 2U);
  EXPECT_EQ(json.at("lines").at(0).at("rounds").size(), 5U);
  EXPECT_EQ(json.at("lines").at(0).at("verdict"), "pass");
  EXPECT_EQ(json.at("lines").at(0).at("ratio"), 0.6);
  EXPECT_TRUE(json.at("lines").at(1).at("spread").is_null());
  EXPECT_EQ(json.at("samples").at(kRate.yardstick).size(), 5U);
}

TEST_F(CertificateTest, OfABusyHostMarksItsFiguresAsInvalid) {
  constexpr const char* kDoubt = "These figures do not count: the host was busy, its load was 14.3 on 2 processors";
  EXPECT_THAT(certificate_text(certificate_), Not(HasSubstr("do not count")));
  EXPECT_EQ(certificate_json(certificate_).at("counts"), true);
  certificate_.host["load"] = 14.3;
  EXPECT_THAT(certificate_text(certificate_), HasSubstr(kDoubt));
  EXPECT_THAT(certificate_page(certificate_), HasSubstr(kDoubt));
  EXPECT_EQ(certificate_json(certificate_).at("counts"), false);
  EXPECT_THAT(certificate_json(certificate_).at("doubt").get<std::string>(), HasSubstr(kDoubt));
}

TEST_F(CertificateTest, PageIsWholeAndEscapes) {
  EXPECT_THAT(certificate_page(certificate_),
              AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("prefers-color-scheme: dark"), HasSubstr("<svg"),
                    HasSubstr("NDR &lt;64 B&gt;"), HasSubstr("&lt;CPU&gt;"), HasSubstr("</html>"),
                    Not(HasSubstr("<CPU>")), Not(HasSubstr("http"))));
}

TEST(CertifyNumber, HasAPrefixFromTenThousandOn) {
  EXPECT_EQ(certify_number(0), "0");
  EXPECT_EQ(certify_number(21.444), "21.44");
  EXPECT_EQ(certify_number(9999), "9999");
  EXPECT_EQ(certify_number(123'456), "123 k");
  EXPECT_EQ(certify_number(12'345'678), "12.3 M");
}

std::string faults_of(const CertifyOptions& options) {
  try {
    certify_plan(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(CertifyPlan, TakesLimitsFromTheFileAndThenFromTheCommandLine) {
  const std::string file =
      std::filesystem::temp_directory_path() / ("certify-limits-" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file) << "wire.ndr.64: 0.8x\nrelease.p50: 75\n";
  const CertifyPlan plan = certify_plan({.only = {"release"}, .limits_file = "", .limits = {"release.p50=50"}});
  EXPECT_EQ(limit_text(plan.figures.at(0).at(0).limit), "at most 50");
  const CertifyPlan both = certify_plan({.limits_file = file, .limits = {"release.p50=60"}});
  const auto limit_of = [&both](const std::string& key) {
    for (const auto& figures : both.figures) {
      for (const CertifyFigure& figure : figures) {
        if (figure.key == key) {
          return limit_text(figure.limit);
        }
      }
    }
    return std::string();
  };
  EXPECT_EQ(limit_of("wire.ndr.64"), "at least 0.8x");
  EXPECT_EQ(limit_of("release.p50"), "at most 60");
  std::ofstream(file) << "wire.ndr.65: 3\n";
  EXPECT_THAT(faults_of({.limits_file = file}), AllOf(HasSubstr(file + ":1: wire.ndr.65"), HasSubstr("wire.ndr.64")));
  std::filesystem::remove(file);
}

TEST(CertifyPlan, RefusesUnknownSubjects) {
  EXPECT_THAT(faults_of({.only = {"wires"}}), HasSubstr("did you mean 'wire'"));
  EXPECT_THAT(faults_of({.sizes = {"63"}}), HasSubstr("allowed are 64 to 1518 bytes, and imix"));
  EXPECT_THAT(faults_of({.sizes = {"1519"}}), HasSubstr("'1519'"));
  EXPECT_THAT(faults_of({.limits = {"wire.ndr.64"}}), HasSubstr("no KEY=LIMIT"));
  EXPECT_THAT(faults_of({.limits = {"wire.ndr.64=-1"}}), HasSubstr("out of range"));
  EXPECT_THAT(faults_of({.limits = {"wire.ndr.64=much"}}), HasSubstr("much"));
}

}  // namespace
}  // namespace hilgate::test
