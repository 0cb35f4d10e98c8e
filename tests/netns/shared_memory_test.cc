// SPDX-License-Identifier: Apache-2.0
// Ports that share memory with a machine: DPDK's testpmd is the machine, and joins the shared memory with the robot's
// interface.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "host/file_descriptor.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct SharedMemory {
  const char* name;
  const char* driver;   // of the port
  const char* role;     // of the port
  const char* machine;  // testpmd's device; {} is the socket
};

class SharedMemoryPort : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (run({"sh", "-c", "command -v dpdk-testpmd"}).status != 0) {
      GTEST_SKIP() << "needs dpdk-testpmd (Debian package dpdk)";
    }
    lab_ = std::make_unique<NetLab>("shmem", std::vector<std::string>{"red", "blue"});
    socket_ = std::filesystem::path(folder_.write("")).parent_path() / "red.sock";
  }
  std::string file(const std::string& port) {
    return folder_.write(
        fmt::format("ports:\n  red: {{{}}}\n"
                    "  blue: {{driver: dpdk, device: net_af_packet0, device_arguments: "
                    "\"iface=hg-blue,blocksz=4096,framesz=2048,framecnt=512,qpairs=1\"}}\n"
                    "robots:\n  red: {{port: red, mac: \"{}\", ip: {}}}\n  blue: {{port: blue, mac: \"{}\", ip: {}}}\n"
                    "memory: {{frames: 4096}}\nnetsim: {{type: wire}}\n",
                    port, NetLab::mac(0), NetLab::ipv4(0), NetLab::mac(1), NetLab::ipv4(1)));
  }
  // Forwards frames as they are between the robot's interface and the shared memory.
  std::unique_ptr<Process> machine(const std::string& device, const std::string& mode = "io") {
    return lab_->gateway().start({"dpdk-testpmd", "--no-huge", "-m", "256", "--no-pci", "--no-telemetry",
                                  fmt::format("--file-prefix={}-machine", folder_.run()), "--vdev", device, "--vdev",
                                  "net_af_packet0,iface=hg-red,blocksz=4096,framesz=2048,framecnt=512,qpairs=1", "--",
                                  "--total-num-mbufs=4096", "--no-mlockall", "--forward-mode=" + mode,
                                  "--stats-period=1", "--auto-start", "--no-lsc-interrupt",
                                  fmt::format("--eth-peer=0,{}", NetLab::mac(1))});
  }
  auto status() { return control_request(control_socket(folder_.run()), {{"command", "status"}}); }
  auto port() { return status()["ports"][0]; }
  bool becomes(const char* state) {
    return eventually([&] { return port()["state"] == state; });
  }
  void expect_ping() {
    const std::string ping = lab_->robot(0).run_ok("ping -c 5 -i 0.2 -W 10 " + NetLab::ipv4(1));
    EXPECT_THAT(ping, HasSubstr(" 0% packet loss"));
  }

  std::unique_ptr<NetLab> lab_;
  RunFolder folder_;
  std::string socket_;
};

class SharedMemoryPeer : public SharedMemoryPort, public testing::WithParamInterface<SharedMemory> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, SharedMemoryPeer,
    testing::Values(
        SharedMemory{"MemifServer", "memif", "server", "net_memif0,role=client,id=7,socket={},socket-abstract=no"},
        SharedMemory{"MemifClient", "memif", "client", "net_memif0,role=server,id=7,socket={},socket-abstract=no"},
        SharedMemory{"VhostUserServer", "vhost_user", "server", "net_virtio_user0,path={},queues=1"},
        SharedMemory{"VhostUserClient", "vhost_user", "client", "net_virtio_user0,path={},queues=1,server=1"}),
    [](const auto& kind) { return std::string(kind.param.name); });

// The machine comes after the gateway, is killed, and comes again.
TEST_P(SharedMemoryPeer, AMachineIsARobotWheneverItIsThere) {
  const SharedMemory& kind = GetParam();
  const std::string id = std::string(kind.driver) == "memif" ? ", id: 7" : "";
  const auto gateway = lab_->gateway().start(
      {hilgate_program(), "run",
       file(fmt::format("driver: {}, socket: {}, role: {}{}", kind.driver, socket_, kind.role, id))});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  EXPECT_EQ(port()["state"], "no carrier");
  EXPECT_THAT(port()["problem"].get<std::string>(), HasSubstr("unix:" + socket_));
  EXPECT_EQ(port()["driver"], kind.driver);
  EXPECT_EQ(port()["interface"], socket_);
  for (int life = 0; life < 2; ++life) {
    const std::string name = fmt::format(fmt::runtime(kind.machine), socket_);
    if (std::string(kind.role) == "client") {
      std::filesystem::remove(socket_);  // of a machine that was killed
    }
    auto running = machine(name);
    ASSERT_TRUE(becomes("up")) << gateway->output() << running->output();
    ASSERT_TRUE(running->wait_for_output("Tx-pps", 30s)) << "it forwards: " << running->output();
    expect_ping();
    running->stop(SIGKILL);
    ASSERT_TRUE(becomes("no carrier")) << gateway->output();
    EXPECT_TRUE(status()["robots"][0]["unplugged"].get<bool>());
  }
  // Both ways, twice: five requests and answers, and what they ask for addresses.
  const auto end = status();
  EXPECT_GE(end["ports"][0]["counts"]["captured"].get<int>(), 10);
  EXPECT_GE(end["ports"][0]["counts"]["released"].get<int>(), 10);
  EXPECT_TRUE(end["totals"]["balanced"].get<bool>());
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 0) << gateway->output();
  if (std::string(kind.role) == "server") {
    EXPECT_FALSE(std::filesystem::exists(socket_)) << "the gateway leaves no socket";
  }
}

// The shared memory goes while bursts are being copied.
TEST_F(SharedMemoryPort, AFloodingMemifThatIsKilledTakesNothingWithIt) {
  const auto gateway =
      lab_->gateway().start({hilgate_program(), "run", file(fmt::format("driver: memif, socket: {}", socket_))});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  for (int life = 0; life < 8; ++life) {
    auto flood = machine(
        fmt::format("net_memif0,role=client,socket={},socket-abstract=no,mac={}", socket_, NetLab::mac(0)), "txonly");
    ASSERT_TRUE(becomes("up")) << gateway->output() << flood->output();
    const auto before = port()["counts"]["captured"].get<std::uint64_t>();
    EXPECT_TRUE(eventually([&] { return port()["counts"]["captured"].get<std::uint64_t>() >= before + 1000; }));
    flood->stop(SIGKILL);
    ASSERT_TRUE(becomes("no carrier")) << gateway->output();
  }
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 0) << gateway->output();
}

// A client's end of the control channel, by hand. Messages have 128 B: the type, then fields at fixed places.
class RawMemif {
 public:
  explicit RawMemif(const std::string& path)
      : socket_(checked(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), "socket")) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    checked(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), path);
  }
  void send(std::array<std::uint8_t, 128> message, int file = -1) const {
    iovec bytes{message.data(), message.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    if (file >= 0) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      cmsghdr* const part = CMSG_FIRSTHDR(&header);
      part->cmsg_len = CMSG_LEN(sizeof(int));
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      std::memcpy(CMSG_DATA(part), &file, sizeof(file));
    }
    checked(static_cast<int>(::sendmsg(socket_.get(), &header, MSG_NOSIGNAL)), "sendmsg");
  }
  // The text of the next disconnect message; acknowledgements before it are passed over.
  [[nodiscard]] std::string refused() const {
    for (pollfd come{socket_.get(), POLLIN, 0}; ::poll(&come, 1, 10'000) == 1;) {
      std::array<char, 128> message{};
      if (::recv(socket_.get(), message.data(), message.size(), 0) <= 0) {
        return "closed";
      }
      if (message[0] == 8) {
        return message.data() + 6;
      }
    }
    return "silent";
  }

 private:
  FileDescriptor socket_;
};

constexpr std::array<std::uint8_t, 128> kAskForInterface0{3, 0, 0, 2};  // of version 2.0

TEST_F(SharedMemoryPort, AMemifThatBreaksTheRulesIsRefused) {
  const auto gateway =
      lab_->gateway().start({hilgate_program(), "run", file(fmt::format("driver: memif, socket: {}", socket_))});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  for (int i = 0; i < 20; ++i) {
    const RawMemif goes_at_once(socket_);
  }
  auto message = kAskForInterface0;
  message[4] = 9;
  {
    const RawMemif other(socket_);
    other.send(message);
    EXPECT_EQ(other.refused(), "the peer asked for the interface with id 9");
  }
  EXPECT_THAT(port()["problem"].get<std::string>(),
              HasSubstr("the last connection ended: the peer asked for the interface with id 9"));
  {
    const RawMemif shrinking(socket_);
    shrinking.send(kAskForInterface0);
    const FileDescriptor memory(checked(::memfd_create("shrinks", MFD_CLOEXEC), "memfd_create"));
    checked(::ftruncate(memory.get(), 4096), "ftruncate");
    shrinking.send({4, 0, 0, 0, 0, 16}, memory.get());  // a region of 4096 B
    EXPECT_THAT(shrinking.refused(), HasSubstr("its memory region 0 could shrink"));
  }
  {
    const RawMemif outside(socket_);
    outside.send(kAskForInterface0);
    const FileDescriptor memory(checked(::memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create"));
    checked(::ftruncate(memory.get(), 4096), "ftruncate");
    checked(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), "F_ADD_SEALS");
    outside.send({4, 0, 0, 0, 0, 16}, memory.get());
    outside.send({5, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10}, memory.get());  // a ring of 1024 descriptors
    EXPECT_THAT(outside.refused(), HasSubstr("is not within its memory region of 4096 B"));
  }
  EXPECT_EQ(port()["state"], "no carrier");
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 0) << gateway->output();
}

TEST_F(SharedMemoryPort, ASocketThatCannotBeUsedIsReported) {
  for (const char* driver : {"memif", "vhost_user"}) {
    const std::string absent = file(fmt::format("driver: {}, socket: /nowhere/red.sock", driver));
    EXPECT_THAT(run({hilgate_program(), "check", "--live", absent}).output,
                HasSubstr(":3: ports.red.socket: there is no folder /nowhere; make it, or choose another path"));
    const Finished started = lab_->gateway().run(hilgate_program() + " run " + absent);
    EXPECT_EQ(started.status, 1);
    EXPECT_THAT(started.output, HasSubstr("port red: there is no folder /nowhere"));
  }
  const auto gateway =
      lab_->gateway().start({hilgate_program(), "run", file(fmt::format("driver: memif, socket: {}", socket_))});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  const RunFolder other;
  const std::string second =
      other.write(fmt::format("ports: {{red: {{driver: vhost_user, socket: {}}}}}\n"
                              "robots: {{red: {{port: red, mac: \"{}\"}}}}\nnetsim: {{type: wire}}\n",
                              socket_, NetLab::mac(0)));
  EXPECT_THAT(run({hilgate_program(), "check", "--live", second}).output,
              HasSubstr("another process is listening on unix:" + socket_));
  const Finished refused = lab_->gateway().run(hilgate_program() + " run " + second);
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.output, HasSubstr("another process is listening on unix:" + socket_));
}

}  // namespace
}  // namespace hilgate::test
