// SPDX-License-Identifier: Apache-2.0
// Somebody has taken the place of a socket before the gateway comes.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "physics_link/connection/frame_connection.h"
#include "tests/fault/control_fixture.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

namespace fs = std::filesystem;

// What a control server and a simulator's socket say of a path that is taken; empty: they have it.
std::string control_at(const std::string& path) {
  asio::io_context io;
  try {
    const ControlServer server(io, path, {}, [](const nlohmann::json&) { return nlohmann::ordered_json(); }, {});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}
std::string link_at(const std::string& path) {
  asio::io_context io;
  ConnectionReport report(nullptr);
  try {
    FrameConnection link(io, {.endpoint = Endpoint::parse("unix:" + path), .role = ConnectionRole::kListen}, report,
                         {.opened = [] {}, .frame = [](std::string_view) {}, .lost = [](bool, const std::string&) {}});
    link.open();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(Fault, SquattedSockets) {
  const TempDir folder;
  const std::string path = folder.file("s");
  int refused = 0;
  const auto refuse = [&](const char* what) {
    for (const std::string& said : {control_at(path), link_at(path)}) {
      EXPECT_THAT(said, testing::HasSubstr(path)) << what;
      refused += said.empty() ? 0 : 1;
    }
  };
  {
    asio::io_context io;
    const asio::local::stream_protocol::acceptor squatter(io, asio::local::stream_protocol::endpoint(path));
    refuse("somebody listens");
  }
  fs::remove(path);
  fs::create_directory(path);
  refuse("a folder");
  fs::remove(path);
  std::ofstream(path) << "kept";
  refuse("a file");
  EXPECT_EQ(fs::file_size(path), 4U) << "nobody's file is removed";
  fs::remove(path);
  fs::create_symlink(folder.file("elsewhere"), path);
  refuse("a symbolic link");
  EXPECT_FALSE(fs::exists(folder.file("elsewhere")));
  record({"The control socket's or a simulator's place is a listener, a folder, a file or a symbolic link",
          "Refused with its path; nothing is removed and no link is followed",
          fmt::format("{} of 8 refused", refused)});
}

TEST(Fault, SocketsOfDeadProcesses) {
  const TempDir folder;
  const std::string path = folder.file("s");
  const auto leave_dead = [&path] {
    asio::io_context io;
    const asio::local::stream_protocol::acceptor dead(io, asio::local::stream_protocol::endpoint(path));
  };
  leave_dead();
  EXPECT_EQ(control_at(path), "");
  fs::remove(path);
  leave_dead();
  EXPECT_EQ(link_at(path), "");
  record({"A socket that a dead process left", "Replaced", "2 of 2 replaced"});
}

}  // namespace
}  // namespace hilgate::test
