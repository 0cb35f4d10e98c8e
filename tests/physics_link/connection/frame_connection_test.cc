// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/frame_connection.h"

#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <asio/write.hpp>

#include "tests/loop.h"
#include "tests/support/as_nobody.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// One end of a conversation, with everything that happened to it.
struct End {
  explicit End(asio::io_context& io, LinkOptions options)
      : report([this](const ConnectionEvent& event) { events.push_back(event); }),
        link(io, std::move(options), report,
             {.opened = [this] { ++opened; },
              .frame = [this](std::string_view body) { frames.emplace_back(body); },
              .lost =
                  [this](bool spent, const std::string& why) {
                    gave_up = spent;
                    lost = why;
                  }}) {}
  std::vector<ConnectionEvent> events;
  std::vector<std::string> frames;
  std::string lost;
  int opened = 0;
  bool gave_up = false;
  ConnectionReport report;
  FrameConnection link;
};

LinkOptions at(const Endpoint& endpoint, ConnectionRole role) {
  return {.name = "netsim", .endpoint = endpoint, .role = role, .retry = 5ms};
}

class FrameLinkTest : public testing::TestWithParam<bool> {
 protected:
  Endpoint server_endpoint() {
    return GetParam() ? Endpoint::parse("unix:" + dir_.file("s")) : Endpoint::parse("tcp:127.0.0.1:0");
  }
  Endpoint client_endpoint(const End& server) {
    return GetParam() ? Endpoint::parse("unix:" + dir_.file("s"))
                      : Endpoint::parse("tcp:127.0.0.1:" + std::to_string(server.link.local_port()));
  }
  void connect() {
    server_.emplace(io_, at(server_endpoint(), ConnectionRole::kListen));
    server_->link.open();
    client_.emplace(io_, at(client_endpoint(*server_), ConnectionRole::kConnect));
    client_->link.open();
    ASSERT_TRUE(run_until(io_, [&] { return server_->opened == 1 && client_->opened == 1; }));
  }

  TempDir dir_;
  asio::io_context io_;
  std::optional<End> server_;
  std::optional<End> client_;
};

INSTANTIATE_TEST_SUITE_P(Both, FrameLinkTest, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Unix" : "Tcp"; });

TEST_P(FrameLinkTest, CarriesFramesBothWays) {
  connect();
  client_->link.send("hello");
  client_->link.send("");
  server_->link.send(std::string(3'000'000, 'x'));  // more than a socket takes at once
  server_->link.send("tail");
  ASSERT_TRUE(run_until(io_, [&] { return server_->frames.size() == 2 && client_->frames.size() == 2; }));
  EXPECT_EQ(server_->frames[0], "hello");
  EXPECT_EQ(server_->frames[1], "");
  EXPECT_EQ(client_->frames[0].size(), 3'000'000U);
  EXPECT_EQ(client_->frames[1], "tail");
  EXPECT_EQ(client_->report.counters().bytes_in, 3'000'012U);
}

TEST_P(FrameLinkTest, FloodingPeerIsReadInSmallParts) {
  connect();
  constexpr std::size_t kFlood = 1000;
  for (std::size_t frame = 0; frame < kFlood; ++frame) {
    client_->link.send(std::to_string(frame));
  }
  ASSERT_TRUE(run_until(io_, [&] { return !server_->frames.empty(); }));
  EXPECT_LE(server_->frames.size(), 32U);
  ASSERT_TRUE(run_until(io_, [&] { return server_->frames.size() == kFlood; }));
  EXPECT_EQ(server_->frames.back(), "999");
}

TEST_P(FrameLinkTest, ReportsTheLostPeerAndAcceptsTheNext) {
  connect();
  client_->link.close();
  ASSERT_TRUE(run_until(io_, [&] { return !server_->lost.empty(); }));
  EXPECT_THAT(server_->lost, HasSubstr("the peer closed the connection"));
  EXPECT_FALSE(server_->gave_up);
  EXPECT_EQ(server_->report.counters().count(LinkEventKind::kGone), 1U);
  server_->link.open();
  client_->link.open();
  ASSERT_TRUE(run_until(io_, [&] { return server_->opened == 2 && client_->opened == 2; }));
  client_->link.send("again");
  ASSERT_TRUE(run_until(io_, [&] { return server_->frames.size() == 1; }));
}

TEST_P(FrameLinkTest, RefusesAFrameBeyondTheLimit) {
  LinkOptions options = at(server_endpoint(), ConnectionRole::kListen);
  options.frame_limit = 1000;
  server_.emplace(io_, options);
  server_->link.open();
  client_.emplace(io_, at(client_endpoint(*server_), ConnectionRole::kConnect));
  client_->link.open();
  ASSERT_TRUE(run_until(io_, [&] { return client_->opened == 1; }));
  client_->link.send(std::string(1001, 'x'));
  ASSERT_TRUE(run_until(io_, [&] { return !server_->lost.empty(); }));
  EXPECT_EQ(server_->report.counters().count(ProtocolError::kFrameTooLong), 1U);
  EXPECT_THAT(server_->lost, HasSubstr("frame of 1001 bytes exceeds the limit of 1000"));
}

TEST_P(FrameLinkTest, SendsASecondPeerAway) {
  connect();
  End second(io_, at(client_endpoint(*server_), ConnectionRole::kConnect));
  second.link.open();
  ASSERT_TRUE(run_until(io_, [&] { return !second.lost.empty(); }));
  EXPECT_EQ(server_->report.counters().count(LinkEventKind::kExtraPeer), 1U);
  client_->link.send("still here");
  ASSERT_TRUE(run_until(io_, [&] { return server_->frames.size() == 1; }));
}

// As when a simulator is killed and started again while the thread is busy.
TEST_P(FrameLinkTest, PeerThatConnectsAsTheLastCloses) {
  connect();
  End second(io_, at(client_endpoint(*server_), ConnectionRole::kConnect));
  second.link.open();
  client_->link.close();
  ASSERT_TRUE(run_until(io_, [&] { return second.opened == 1 && !server_->lost.empty(); }));
  server_->link.open();
  ASSERT_TRUE(run_until(io_, [&] { return server_->opened == 2; }));
  EXPECT_EQ(server_->report.counters().count(LinkEventKind::kExtraPeer), 0U);
  EXPECT_EQ(second.lost, "");
}

TEST_P(FrameLinkTest, PeerThatClosedWhileWaitingKeepsNoPlace) {
  connect();
  server_->link.keep_next(true);
  End second(io_, at(client_endpoint(*server_), ConnectionRole::kConnect));
  second.link.open();
  ASSERT_TRUE(run_until(io_, [&] { return second.opened == 1; }));
  io_.poll();
  second.link.close();
  End third(io_, at(client_endpoint(*server_), ConnectionRole::kConnect));
  third.link.open();
  ASSERT_TRUE(run_until(io_, [&] { return third.opened == 1; }));
  client_->link.close();
  ASSERT_TRUE(run_until(io_, [&] { return !server_->lost.empty(); }));
  server_->link.open();
  third.link.send("here");
  EXPECT_TRUE(run_until(io_, [&] { return server_->frames.size() == 1; })) << third.lost;
}

TEST_P(FrameLinkTest, AnotherListenerIsAnErrorAtOnce) {
  connect();
  End second(io_, at(client_endpoint(*server_), ConnectionRole::kListen));
  try {
    second.link.open();
    FAIL() << "it listens as well";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("netsim: another process is listening on "));
  }
}

TEST(FrameConnection, ConnectsWhenTheServerAppearsAndReportsTheWait) {
  TempDir dir;
  asio::io_context io;
  const Endpoint endpoint = Endpoint::parse("unix:" + dir.file("s"));
  End client(io, at(endpoint, ConnectionRole::kConnect));
  client.link.open();
  ASSERT_TRUE(run_until(io, [&] { return !client.events.empty(); }));
  EXPECT_EQ(client.events[0].kind, LinkEventKind::kWaiting);
  EXPECT_EQ(client.events[0].text,
            "netsim: connecting to " + endpoint.text() + ": No such file or directory; waited 0.0 s of 60.0 s");
  End server(io, at(endpoint, ConnectionRole::kListen));
  server.link.open();
  ASSERT_TRUE(run_until(io, [&] { return client.opened == 1; }));
}

TEST(FrameConnection, GivesUpWhenItsPatienceIsSpent) {
  TempDir dir;
  asio::io_context io;
  for (const ConnectionRole role : {ConnectionRole::kConnect, ConnectionRole::kListen}) {
    LinkOptions options = at(Endpoint::parse("unix:" + dir.file("s")), role);
    options.patience = 20ms;
    End end(io, options);
    end.link.open();
    ASSERT_TRUE(run_until(io, [&] { return !end.lost.empty(); }));
    EXPECT_TRUE(end.gave_up);
    EXPECT_THAT(end.lost, HasSubstr("gave up after 0."));
    EXPECT_EQ(end.report.counters().count(LinkEventKind::kGaveUp), 1U);
  }
}

TEST(FrameConnection, APathThatIsNoSocketIsAnErrorForBothRolesAndStaysAsItIs) {
  TempDir dir;
  asio::io_context io;
  std::ofstream(dir.file("s")) << "precious";
  for (const ConnectionRole role : {ConnectionRole::kConnect, ConnectionRole::kListen}) {
    End end(io, at(Endpoint::parse("unix:" + dir.file("s")), role));
    try {
      end.link.open();
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "netsim: " + dir.file("s") + " exists and is not a socket");
    }
  }
  std::string content;
  std::ifstream(dir.file("s")) >> content;
  EXPECT_EQ(content, "precious");
}

TEST(FrameConnection, SocketOfADeadProcessIsTakenOver) {
  TempDir dir;
  asio::io_context io;
  const Endpoint endpoint = Endpoint::parse("unix:" + dir.file("s"));
  { asio::local::stream_protocol::acceptor dead(io, asio::local::stream_protocol::endpoint(endpoint.path)); }
  ASSERT_TRUE(std::filesystem::exists(endpoint.path));
  {
    End server(io, at(endpoint, ConnectionRole::kListen));
    server.link.open();
    End client(io, at(endpoint, ConnectionRole::kConnect));
    client.link.open();
    ASSERT_TRUE(run_until(io, [&] { return client.opened == 1; }));
  }
  EXPECT_FALSE(std::filesystem::exists(endpoint.path)) << "and is removed at the end";
}

TEST(FrameConnection, CloseWithinAFrameIsDistinguished) {
  TempDir dir;
  asio::io_context io;
  const Endpoint endpoint = Endpoint::parse("unix:" + dir.file("s"));
  End server(io, at(endpoint, ConnectionRole::kListen));
  server.link.open();
  {
    asio::local::stream_protocol::socket raw(io);
    raw.connect(asio::local::stream_protocol::endpoint(endpoint.path));
    asio::write(raw, asio::buffer(std::string("\0\0\0\x09half", 8)));
    ASSERT_TRUE(run_until(io, [&] { return server.report.counters().bytes_in == 8; }));
  }
  ASSERT_TRUE(run_until(io, [&] { return !server.lost.empty(); }));
  EXPECT_THAT(server.lost, HasSubstr("the peer closed the connection after 8 bytes of a frame"));
}

TEST(FrameConnection, ListenerRejectsAForeignLocalUserAndKeepsItsPlaceFree) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root, to be somebody else";
  }
  TempDir dir;
  asio::io_context io;
  const Endpoint endpoint = Endpoint::parse("unix:" + dir.file("s"));
  End server(io, at(endpoint, ConnectionRole::kListen));
  server.link.open();
  std::filesystem::permissions(dir.file(""), std::filesystem::perms{0755});
  std::filesystem::permissions(endpoint.path, std::filesystem::perms{0777});
  EXPECT_EQ(as_nobody([&] {
              asio::io_context alone;
              asio::local::stream_protocol::socket raw(alone);
              raw.connect(asio::local::stream_protocol::endpoint(endpoint.path));
              return std::string("connected");
            }),
            "connected");
  ASSERT_TRUE(run_until(io, [&] { return server.report.counters().count(LinkEventKind::kStranger) == 1; }));
  EXPECT_THAT(server.events.back().text, HasSubstr("netsim: refused a connection at " + endpoint.text() + ": "));
  EXPECT_THAT(server.events.back().text,
              HasSubstr(" of user nobody; only root, this user and the group hilgate are accepted"));
  EXPECT_EQ(server.opened, 0);
  End client(io, at(endpoint, ConnectionRole::kConnect));
  client.link.open();
  ASSERT_TRUE(run_until(io, [&] { return server.opened == 1; })) << "the real one";
}

TEST(FrameConnection, ClientRefusesAForeignServer) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root, to be somebody else";
  }
  TempDir dir;
  asio::io_context io;
  const Endpoint endpoint = Endpoint::parse("unix:" + dir.file("s"));
  asio::local::stream_protocol::acceptor squatter(io);
  squatter.open();
  squatter.bind(asio::local::stream_protocol::endpoint(endpoint.path));
  ASSERT_EQ(seteuid(kNobody), 0);  // the kernel notes who listens as it begins to
  squatter.listen();
  ASSERT_EQ(seteuid(0), 0);
  End client(io, at(endpoint, ConnectionRole::kConnect));
  client.link.open();
  ASSERT_TRUE(run_until(io, [&] { return !client.events.empty(); }));
  EXPECT_THAT(client.events[0].text,
              HasSubstr("netsim: connecting to " + endpoint.text() + ": the listener is process "));
  EXPECT_EQ(client.opened, 0);
}

TEST(FrameConnection, AHostWithoutAnAddressIsAnError) {
  asio::io_context io;
  EXPECT_THROW(End(io, at(Endpoint::parse("tcp:no.such.host.invalid:1"), ConnectionRole::kConnect)),
               std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
