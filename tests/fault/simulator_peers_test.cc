// SPDX-License-Identifier: Apache-2.0
// Who connects to a simulator's socket and is no simulator: says goodbye, has the wrong role or version, says nothing,
// or reads nothing.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <asio/buffer.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/write.hpp>
#include <list>

#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/remote_simulator.h"
#include "physics_link/native/native_physics_codec.h"
#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Protocol = asio::local::stream_protocol;

std::string hello(native::Role role, std::uint32_t version = native::kVersion) {
  std::string body;
  native::encode(native::Hello{.version = version, .role = role, .name = "peer"}, body);
  return body;
}

// A gateway's end that listens for its physics simulator, with `late: hold_last`.
struct GatewaysEnd {
  explicit GatewaysEnd(TroublePolicy policy = TroublePolicy::kResynchronise)
      : simulator(io,
                  {.link = {.name = "physics",
                            .endpoint = Endpoint::parse("unix:" + folder.file("s")),
                            .role = ConnectionRole::kListen},
                   .policy = policy,
                   .greeting_timeout = 300ms},
                  std::make_unique<NativePhysicsCodec>(NativeOptions{.hello = {.name = "gateway", .robots = {"red"}}}),
                  nullptr) {
    simulator.open({.ready = [this] { ++ready; },
                    .ended = [this](PhysicsAnswer&) { ++ended; },
                    .failed = [this](const std::string& why) { failed = why; }});
  }
  // A peer that connects and says this, and nothing more.
  Protocol::socket& peer(const std::string& body) {
    Protocol::socket& socket = peers.emplace_back(io);
    socket.connect(Protocol::endpoint(folder.file("s")));
    std::string bytes;
    if (!body.empty()) {
      append_frame(body, bytes);
      asio::write(socket, asio::buffer(bytes));
    }
    return socket;
  }
  [[nodiscard]] std::uint64_t count(LinkEventKind kind) const { return simulator.counters().count(kind); }

  TempDir folder;
  asio::io_context io;
  std::list<Protocol::socket> peers;
  RemoteSimulator<PhysicsCodec> simulator;
  int ready = 0, ended = 0;
  std::string failed;
};

TEST(Fault, NoPeerEndsARunWithHold) {
  std::string goodbye;
  native::encode_close("I am nobody", goodbye);
  for (const std::string& body : {goodbye, hello(native::Role::kNetwork), hello(native::Role::kPhysics, 7),
                                  hello(native::Role::kGateway), std::string("\x0a\xff", 2)}) {
    GatewaysEnd gateway;
    gateway.peer(body);
    ASSERT_TRUE(run_until(gateway.io, [&] { return gateway.simulator.counters().frames_in == 1; }));
    const auto took = time_of([&] {
      gateway.peer(hello(native::Role::kPhysics));
      EXPECT_TRUE(run_until(gateway.io, [&] { return gateway.ready == 1; })) << "the simulator is taken";
    });
    EXPECT_EQ(gateway.failed, "");
    if (body == goodbye) {
      record({"A peer of a simulator's socket sends Close, or has the wrong role or version",
              "Without `late: halt` the run continues with the next peer",
              "the simulator is taken after " + text_of(took)});
    }
  }
}

TEST(Fault, AnyFaultEndsARunWithHalt) {
  GatewaysEnd gateway(TroublePolicy::kFail);
  gateway.peer(hello(native::Role::kNetwork));
  ASSERT_TRUE(run_until(gateway.io, [&] { return !gateway.failed.empty(); }));
  record({"A peer of a simulator's socket has the wrong role, with `late: halt`", "The run ends and reports why",
          gateway.failed});
}

TEST(Fault, SilentPeerIsDisconnected) {
  GatewaysEnd gateway;
  gateway.peer("");
  ASSERT_TRUE(run_until(gateway.io, [&] { return gateway.count(LinkEventKind::kConnected) == 1; }));
  const auto took = time_of([&] {
    gateway.peer(hello(native::Role::kPhysics));
    ASSERT_TRUE(run_until(gateway.io, [&] { return gateway.ready == 1; })) << "the simulator is taken";
  });
  EXPECT_EQ(gateway.count(LinkEventKind::kSilent), 1U);
  EXPECT_EQ(gateway.failed, "");
  gateway.peer(hello(native::Role::kPhysics));
  EXPECT_TRUE(run_until(gateway.io, [&] { return gateway.count(LinkEventKind::kExtraPeer) == 1; }))
      << "who comes then is disconnected";
  record({"A silent peer of a simulator's socket", "Disconnected after 5 s; the next waiting peer is accepted",
          "taken after " + text_of(took) + " with a limit of 300 ms"});
}

TEST(Fault, PeerThatDoesNotReadIsLimitedInMemory) {
  const TempDir folder;
  asio::io_context io;
  ConnectionReport report(nullptr);
  std::string lost;
  FrameConnection link(
      io,
      {.name = "sim",
       .endpoint = Endpoint::parse("unix:" + folder.file("s")),
       .role = ConnectionRole::kListen,
       .frame_limit = 1 << 20},
      report,
      {.opened = [] {}, .frame = [](std::string_view) {}, .lost = [&](bool, const std::string& why) { lost = why; }});
  link.open();
  Protocol::socket peer(io);
  peer.connect(Protocol::endpoint(folder.file("s")));
  ASSERT_TRUE(run_until(io, [&] { return link.is_open(); }));
  const std::string body(1 << 20, 'x');
  for (int i = 0; i < 10 && link.is_open(); ++i) {
    link.send(body);
    io.poll();
  }
  ASSERT_TRUE(run_until(io, [&] { return !lost.empty(); }));
  EXPECT_NE(lost.find("does not read"), std::string::npos) << lost;
  record({"A simulator that reads nothing", "Dropped once two frames of the largest size wait", "dropped"});
}

}  // namespace
}  // namespace hilgate::test
