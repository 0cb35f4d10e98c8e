// SPDX-License-Identifier: Apache-2.0
// `hilgate certify`: that it measures, judges, and leaves nothing behind; how quick the machine is does not matter
// here.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/eventually.h"
#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class CertifyTest : public GatewayTest {
 protected:
  CertifyTest() { std::filesystem::create_directories(folder_); }
  ~CertifyTest() override { std::filesystem::remove_all(folder_); }

  /// In a session of its own, whose number is its process: whatever it starts is known by that.
  static std::vector<std::string> words(std::vector<std::string> further) {
    further.insert(further.begin(), {"setsid", hilgate_program(), "certify"});
    return further;
  }
  /// Not those that are over, but that nobody has asked for their status.
  [[nodiscard]] static bool has_processes(pid_t session) {
    return test::run({"pgrep", "--session", std::to_string(session), "--runstates", "D,R,S,T"}).status == 0;
  }
  static std::string interfaces() { return run_ok({"ip", "-brief", "link"}); }
  static std::string names_of_namespaces() { return run_ok({"ip", "netns", "list"}); }
  static std::size_t private_folders() {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
      found += entry.path().filename().string().starts_with("hilgate-certify-") ? 1 : 0;
    }
    return found;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }
  static std::string content(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("certify-test-" + std::to_string(::getpid()));
};

TEST_F(CertifyTest, MeasuresJudgesAndLeavesNothing) {
  const std::string before = interfaces() + names_of_namespaces();
  Process certify(words(
      {"--only", "wire", "--only", "windows", "--size", "64", "--json", file("c.json"), "--html", file("c.html")}));
  const auto status = certify.wait(5min);
  ASSERT_TRUE(status) << certify.output();
  ASSERT_LE(*status, 1) << certify.output();
  EXPECT_THAT(certify.output(), AllOf(HasSubstr("wire.ndr.64"), HasSubstr("windows.rate"), HasSubstr("short form")));

  const json all = json::parse(content(file("c.json")));
  EXPECT_EQ(all.at("status"), *status);
  EXPECT_EQ(all.at("lines").size(), 2U + 21U + 1U);
  for (const json& line : all.at("lines")) {
    if (line.at("verdict") != "not measured") {
      EXPECT_EQ(line.at("rounds").size(), 5U) << line;
      EXPECT_LE(line.at("spread").at("min"), line.at("spread").at("median")) << line;
      EXPECT_LE(line.at("spread").at("median"), line.at("spread").at("max")) << line;
    } else {
      EXPECT_NE(line.at("note"), "") << line;
    }
  }
  EXPECT_GE(all.at("samples").at("wire.forwarder_ndr.64").size(), 1U);
  EXPECT_FALSE(all.at("host").at("checks").empty());
  EXPECT_THAT(content(file("c.html")), AllOf(HasSubstr("<svg"), HasSubstr("</html>")));

  EXPECT_FALSE(has_processes(certify.pid()));
  EXPECT_EQ(interfaces() + names_of_namespaces(), before);
  EXPECT_EQ(private_folders(), 0U);
}

TEST_F(CertifyTest, EndsCleanlyInTheMiddle) {
  const std::string before = interfaces() + names_of_namespaces();
  for (const int number : {SIGTERM, SIGKILL}) {
    Process certify(words({"--only", "wire", "--size", "64", "--json", file("c.json")}));
    const auto gateways = [&certify] {  // the measuring process, and the gateway that it measures
      return run({"pgrep", "--session", std::to_string(certify.pid()), "--full", "hilgate run /proc/self/fd/"})
                 .status == 0;
    };
    ASSERT_TRUE(eventually(gateways, 1min)) << certify.output();
    certify.signal(number);
    EXPECT_EQ(certify.wait(1min), 128 + number) << certify.output();
    if (number == SIGTERM) {
      EXPECT_FALSE(has_processes(certify.pid()));
      EXPECT_THAT(certify.output(), HasSubstr("interrupted"));
      EXPECT_EQ(json::parse(content(file("c.json"))).at("interrupted"), true);
    }
    ASSERT_TRUE(eventually([&] { return !has_processes(certify.pid()); }, 1min));
    EXPECT_EQ(interfaces() + names_of_namespaces(), before);
  }
  EXPECT_EQ(private_folders(), 0U);
}

TEST_F(CertifyTest, WithoutPrivilegesMeasuresUnprivilegedSubjects) {
  Process certify({"setpriv", "--bounding-set=-all", "--inh-caps=-all", hilgate_program(), "certify", "--only", "live",
                   "--only", "windows", "--json", file("c.json")});
  ASSERT_TRUE(certify.wait(2min)) << certify.output();
  const json all = json::parse(content(file("c.json")));
  for (const json& line : all.at("lines")) {
    if (line.at("key") == "windows.rate") {
      EXPECT_EQ(line.at("rounds").size(), 5U);
    } else {
      EXPECT_EQ(line.at("verdict"), "not measured");
      EXPECT_THAT(line.at("note").get<std::string>(), HasSubstr("CAP_SYS_ADMIN"));
    }
  }
  EXPECT_EQ(private_folders(), 0U);
}

}  // namespace
}  // namespace hilgate::test
