// SPDX-License-Identifier: Apache-2.0
// A local user without rights whom the control socket's mode lets in.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>

#include "host/unix_socket.h"
#include "tests/fault/control_fixture.h"
#include "tests/fault/fault_record.h"
#include "tests/support/as_nobody.h"

namespace hilgate::test {
namespace {

TEST(Fault, ReadersMayNotChange) {
  std::atomic<int> changes = 0;
  const ControlFixture server([&](const nlohmann::json& request) -> nlohmann::ordered_json {
    changes += request.at("command") == "set" ? 1 : 0;
    return {{"done", true}};
  });
  std::filesystem::permissions(server.path(), std::filesystem::perms{0666});
  std::filesystem::permissions(std::filesystem::path(server.path()).parent_path(), std::filesystem::perms{0755});
  const std::string said = as_nobody(
      [&] { return server.ask("{\"command\": \"status\"}\n").dump() + server.ask("{\"command\": \"set\"}\n").dump(); });
  EXPECT_NE(said.find(R"({"ok":true,"result":{"done":true}})"), std::string::npos) << said;
  EXPECT_NE(said.find("'set' is for operators"), std::string::npos) << said;
  EXPECT_EQ(changes, 0);
  EXPECT_TRUE(server.ask("{\"command\": \"set\"}\n").at("ok").get<bool>()) << "root may";
  EXPECT_EQ(changes, 1);
  record({"A local user without rights asks to set, reload or pause",
          "Refused: operators are root, the gateway's user and the group hilgate", "0 changes"});
}

// As host/run_folder has it: where there is no such group, root's.
TEST(Fault, ControlSocketBelongsToTheServiceGroup) {
  const ControlFixture server([](const nlohmann::json&) -> nlohmann::ordered_json { return {}; });
  struct stat info {};
  ASSERT_EQ(stat(server.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0660U);
  EXPECT_EQ(info.st_gid, service_group().value_or(0));
  record({"The control socket's mode lets in whom it should not", "Mode 0660, of the service group", "as promised"});
}

}  // namespace
}  // namespace hilgate::test
