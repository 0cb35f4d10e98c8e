// SPDX-License-Identifier: Apache-2.0
// What no client of the control socket should send.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/fault/control_fixture.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

TEST(Fault, EveryRequestIsAnswered) {
  const ControlFixture server([](const nlohmann::json& request) -> nlohmann::ordered_json {
    if (request.value("command", "") == "status") {
      return {{"fine", true}};
    }
    throw std::runtime_error("unknown command '" + request.value("command", "") + "'");
  });
  const std::string requests[] = {"{\"command\":\"\xff\"}\n",
                                  "{\"command\":\"\xc3\x28\"}\n",
                                  "\xff\xfe\n",
                                  "[]\n",
                                  "1\n",
                                  "\n",
                                  R"({"command": {"a": 1}})"
                                  "\n",
                                  std::string(5000, '[') + "\n",
                                  std::string(70'000, 'x') + "\n"};
  for (const std::string& request : requests) {
    const auto reply = server.ask(request);
    EXPECT_FALSE(reply.at("ok").get<bool>()) << request.substr(0, 40);
    EXPECT_TRUE(reply.at("error").is_string());
  }
  const auto took = time_of([&] { EXPECT_TRUE(server.ask("{\"command\": \"status\"}\n").at("ok").get<bool>()); });
  record({"Control requests of invalid UTF-8, no JSON, no object, 70 kB", "An error is answered; the gateway continues",
          "the next status after " + text_of(took)});
}

}  // namespace
}  // namespace hilgate::test
