// SPDX-License-Identifier: Apache-2.0
// A run as Prometheus sees it: Debian's promtool and Prometheus, with the files of examples/monitoring.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;
using testing::HasSubstr;

constexpr auto kRun =
    "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: [30m, 0m, "
    "2m]}], green: [{at: 0s, position: [9m, 0m, 2m]}]}}\nnetsim: {type: embedded}\n";

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// `hilgate metrics` of one run.
class Exporter {
 public:
  explicit Exporter(const std::string& run) : process_({hilgate_program(), "metrics", run, "--listen", "127.0.0.1:0"}) {
    EXPECT_TRUE(process_.wait_for_output("/metrics\n", 20s)) << process_.output();
    const std::string output = process_.output();
    port_ = static_cast<std::uint16_t>(std::stoi(output.substr(output.rfind(':') + 1)));
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] tcp::socket connected() {
    tcp::socket socket(io_);
    socket.connect({asio::ip::address_v4::loopback(), port_});
    return socket;
  }
  /// Of a path, or a path with the rest of the request behind it.
  std::string get(const std::string& path) {
    tcp::socket socket = connected();
    const std::string line = path.find(' ') == std::string::npos ? path + " HTTP/1.0\r\n" : path;
    asio::write(socket, asio::buffer(fmt::format("GET {}\r\n", line)));
    std::string answer;
    asio::error_code end;
    asio::read(socket, asio::dynamic_buffer(answer), end);
    return answer;
  }

 private:
  asio::io_context io_;
  Process process_;
  std::uint16_t port_ = 0;
};

class MetricsTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path written(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("hilgate-metrics-{}", ::getpid());
};

// The third robot's interface is not there: something is wrong.
GatewaySetup yard() {
  std::string wiring = ports_and_robots({"red", "blue", "green"}, ", radio: wifi_11n_2g4_adhoc");
  return {.yaml = kRun, .wiring = replaced(std::move(wiring), "interface: hg-green", "interface: hg-nowhere")};
}

TEST_F(MetricsTest, PromtoolReportsNoProblemAndPagesInBrowsersDoNotReadThem) {
  const RunningGateway gateway(yard());
  gateway.robot(0).run_ok(fmt::format("ping -c 3 -i 0.1 {}", NetLab::ipv4(1)));
  const auto file = written("metrics", run_ok({hilgate_program(), "metrics", gateway.run(), "--once"}));
  const std::string text = text_of_file(file);
  EXPECT_THAT(text, HasSubstr(fmt::format("hilgate_up{{run=\"{}\"}} 1", gateway.run())));
  EXPECT_THAT(text, HasSubstr("hilgate_port_up{"));
  EXPECT_EQ(run_ok({"sh", "-c", fmt::format("promtool check metrics < {} 2>&1", file.string())}), "");

  Exporter exporter(gateway.run());
  const auto asked = [&](const std::string& fields) {
    return exporter.get(fmt::format("/metrics HTTP/1.1\r\n{}\r\n", fields));
  };
  EXPECT_THAT(asked("Host: localhost:9477\r\n"), HasSubstr("hilgate_up{"));
  EXPECT_THAT(exporter.get("/../../etc/passwd"), HasSubstr("404"));
  EXPECT_THAT(asked("Host: evil.example\r\n"), HasSubstr(" 421 "));
  EXPECT_THAT(asked("Host: localhost\r\nOrigin: http://evil.example\r\n"), HasSubstr(" 403 "));
  EXPECT_THAT(asked("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"), HasSubstr(" 403 "));
}

TEST_F(MetricsTest, PrometheusScrapesAndEachPanelOfTheDashboardHasData) {
  const RunningGateway gateway(yard());
  Exporter exporter(gateway.run());
  const std::filesystem::path examples = HILGATE_SOURCE_DIR "/examples/monitoring";
  std::filesystem::copy(examples / "alerts.yml", folder());
  const auto config =
      written("prometheus.yml", replaced(replaced(text_of_file(examples / "prometheus.yml"), "127.0.0.1:9477",
                                                  fmt::format("127.0.0.1:{}", exporter.port())),
                                         "interval: 5s", "interval: 1s"));
  asio::io_context io;
  const std::uint16_t port = tcp::acceptor(io, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
  const Process prometheus({"prometheus", "--config.file", config, "--storage.tsdb.path", folder() / "data",
                            "--web.listen-address", fmt::format("127.0.0.1:{}", port)});
  const std::string ping = fmt::format("ping -q -c 600 -i 0.1 {} > /dev/null", NetLab::ipv4(1));
  const auto traffic = gateway.robot(0).start({"sh", "-c", ping});
  const auto query = [port](const std::string& expression) {
    return run({"promtool", "query", "instant", fmt::format("http://127.0.0.1:{}", port), expression}).output;
  };
  // A rate needs two scrapes of what has grown.
  const std::string sign = fmt::format("run=\"{}\"", gateway.run());
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (query("rate(hilgate_link_released_bytes_total[1m]) > 0").find(sign) == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << prometheus.output();
    std::this_thread::sleep_for(500ms);
  }
  const auto dashboard = nlohmann::json::parse(text_of_file(examples / "dashboard.json"));
  for (const auto& panel : dashboard.at("panels")) {
    for (const auto& target : panel.at("targets")) {
      const auto expression = replaced(target.at("expr").get<std::string>(), "$run", gateway.run());
      EXPECT_THAT(query(expression), HasSubstr(sign)) << panel.at("title") << ": " << expression;
    }
  }
  EXPECT_THAT(query("ALERTS{alertname=\"HilgatePortDown\",port=\"green\"}"), HasSubstr(sign));
  EXPECT_EQ(run({"promtool", "check", "rules", examples / "alerts.yml"}).status, 0);
}

TEST_F(MetricsTest, AnAddressOfOthersOrATakenPortIsRefused) {
  const auto refused = [](const std::string& listen) {
    const Finished finished = run({hilgate_program(), "metrics", "--listen", listen});
    EXPECT_NE(finished.status, 0);
    return finished.output;
  };
  EXPECT_THAT(refused("0.0.0.0:0"), HasSubstr("--insecure"));
  EXPECT_THAT(refused("somewhere"), HasSubstr("for example 127.0.0.1:9477"));
  asio::io_context io;
  const tcp::acceptor taken(io, {asio::ip::address_v4::loopback(), 0});
  EXPECT_THAT(refused(fmt::format("127.0.0.1:{}", taken.local_endpoint().port())), HasSubstr("is the port taken?"));
}

}  // namespace
}  // namespace hilgate::test
