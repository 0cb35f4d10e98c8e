// SPDX-License-Identifier: Apache-2.0
// Clients of `hilgate metrics` and `hilgate web` that mean no good: users of this machine, and pages in its browsers.
#include <fmt/format.h>

#include "tests/fault/eyes/eyes_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kAboutARadio =
    "POST /radio HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 52\r\n\r\n"
    R"({"profile": "wifi_11ac_80", "distance_m": 60.000000})";

/// At a server of HTTP, which is the same one for `hilgate metrics` and `hilgate web`.
class HttpClients : public EyesFault {};
/// What an answer costs is each command's own.
class CostlyAnswers : public EyesFault {};

constexpr const char* kGiveWay = "Silent clients are evicted for new ones; a scrape takes less than 10 s";
constexpr const char* kAnswered = "Disconnected; a scrape takes less than 10 s";

TEST_P(HttpClients, SendNothing) {
  suffer("300 clients send nothing, and reconnect whenever they are disconnected", kGiveWay, {});
}

TEST_P(HttpClients, SendTheirRequestByteByByte) {
  suffer("300 clients send the header of a request byte by byte, without an end", kGiveWay,
         {.first = request() + "X: ", .then = "a"});
}

TEST_P(HttpClients, SendABodyByteByByte) {
  suffer("300 clients send a body of a terabyte byte by byte", kAnswered,
         {.first = request() + "Content-Length: 1099511627776\r\n\r\n", .then = "a"});
}

TEST_P(HttpClients, SendEndlessHeaders) {
  suffer("50 clients send header fields without an end, as quickly as they can", kAnswered,
         {.at_once = 50, .first = request(), .then = std::string(4000, 'a') + ": b\r\n", .every = 0ms});
}

TEST_P(HttpClients, SendManyRequestsAtOnce) {
  std::string requests;
  for (int n = 0; n < 10'000; ++n) {
    requests += request() + "\r\n";
  }
  suffer("50 clients send 10000 requests at once", "One is answered; a scrape takes less than 10 s",
         {.at_once = 50, .first = requests, .then = requests, .every = 0ms});
}

TEST_P(HttpClients, ReadNoAnswer) {
  suffer("300 clients ask and read no answer",
         "Disconnected after 10 s, or when others come; a scrape takes less than 10 s", {.first = request() + "\r\n"});
}

TEST_P(CostlyAnswers, AskWithoutAPause) {
  suffer("300 clients ask again and again", "Those who ask for the same get one answer; a scrape takes less than 10 s",
         {.first = request() + "\r\n", .reads = true});
}

TEST_P(CostlyAnswers, RequestTheMostExpensivePages) {
  const std::string asked = GetParam().dearest.empty() ? request() + "\r\n" : GetParam().dearest;
  suffer("50 clients ask again and again for what costs it most",
         "One is answered after the other, with a rest between them; a scrape takes less than 10 s",
         {.at_once = 50, .first = asked, .reads = true});
}

TEST_P(HttpClients, ComeAndLeave) {
  suffer("64 clients come and leave, as quickly as they can", "A scrape takes less than 10 s",
         {.at_once = 64, .leaves = true});
}

const Eyes kMetrics{.name = "`hilgate metrics`",
                    .command = {"metrics", "RUN", "--listen", "127.0.0.1:0"},
                    .path = "/metrics",
                    .right = "} 1\n"};
const Eyes kPage{.name = "`hilgate web`",
                 .command = {"web", "RUN", "--listen", "127.0.0.1:0"},
                 .path = "/world",
                 .right = "\"ok\":true",
                 .dearest = kAboutARadio};
INSTANTIATE_TEST_SUITE_P(Page, HttpClients,
                         testing::Values(Eyes{.name = "The server of `hilgate web` and `hilgate metrics`",
                                              .command = kPage.command,
                                              .path = kPage.path,
                                              .right = kPage.right}));
INSTANTIATE_TEST_SUITE_P(Metrics, CostlyAnswers, testing::Values(kMetrics));
INSTANTIATE_TEST_SUITE_P(Page, CostlyAnswers, testing::Values(kPage));

}  // namespace
}  // namespace hilgate::test
