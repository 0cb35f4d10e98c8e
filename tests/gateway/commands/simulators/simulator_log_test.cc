// SPDX-License-Identifier: Apache-2.0
// What simulator programs write where standard error leads to the journal. The journal here is this test's: the socket
// that sd_journal_sendv() writes to, in a mount namespace of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/host/unix_pair.h"
#include "tests/loop.h"
#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

constexpr auto kPatience = 60s;
constexpr const char* kJournalSocket = "/run/systemd/journal/socket";

using Entry = std::map<std::string, std::string>;

class JournalSocket {
 public:
  JournalSocket() : socket_(checked(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket")) {
    checked(unshare(CLONE_NEWNS), "unshare");
    checked(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make / private");
    checked(mount("tmpfs", "/run", "tmpfs", 0, nullptr), "mount /run");
    std::filesystem::create_directories(std::filesystem::path(kJournalSocket).parent_path());
    const sockaddr_un address = unix_address(kJournalSocket);
    checked(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind the journal");
  }

  /// What is there by now; no field has several lines.
  const std::vector<Entry>& entries() {
    std::string text(65536, '\0');
    for (ssize_t got = 0; (got = recv(socket_.get(), text.data(), text.size(), MSG_DONTWAIT)) >= 0;) {
      Entry entry;
      std::istringstream lines(text.substr(0, static_cast<std::size_t>(got)));
      for (std::string line; std::getline(lines, line);) {
        entry[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
      }
      entries_.push_back(entry);
    }
    return entries_;
  }
  void clear() {
    entries();
    entries_.clear();
  }

 private:
  FileDescriptor socket_;
  std::vector<Entry> entries_;
};

class SimulatorLog : public testing::Test {
 protected:
  static void SetUpTestSuite() { journal_ = std::make_unique<JournalSocket>(); }
  static void TearDownTestSuite() { journal_.reset(); }
  void SetUp() override { journal_->clear(); }

  /// As a service has it: standard error is the journal's stream. What leaks in ns-3 and Gazebo is not looked for.
  [[nodiscard]] static Process service(const std::string& command) {
    return Process(
        {"sh", "-c", "JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2) LSAN_OPTIONS=detect_leaks=0 exec " + command});
  }
  [[nodiscard]] std::string socket() const { return folder_.file("end.sock"); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }

  /// Somebody connects, says nonsense, and the program ends.
  void connect_with_garbage(Process& program) const {
    const FileDescriptor peer(checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    const sockaddr_un address = unix_address(socket());
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << program.output();
      ASSERT_FALSE(program.wait(10ms)) << program.output();
    }
    const std::string garbage(64, '\xff');
    ASSERT_EQ(send(peer.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL), 64);
    ASSERT_TRUE(program.wait(kPatience)) << program.output();
  }

  /// That it had a peer, what was wrong with it, and that this was the end.
  static void expect_entries(const std::string& name, const std::string& priority_of_end) {
    EXPECT_THAT(journal_->entries(), testing::Each(Contains(Pair("HILGATE_RUN", "told"))));
    EXPECT_THAT(journal_->entries(), Contains(AllOf(Contains(Pair("MESSAGE", HasSubstr("exceeds the limit"))),
                                                    Contains(Pair("PRIORITY", "4")))));
    EXPECT_THAT(journal_->entries(), Contains(AllOf(Contains(Pair("MESSAGE", HasSubstr(name + ": "))),
                                                    Contains(Pair("PRIORITY", priority_of_end)))));
    EXPECT_THAT(journal_->entries(),
                Contains(AllOf(Contains(Pair("MESSAGE", HasSubstr("connected"))), Contains(Pair("PRIORITY", "6")))));
  }

  inline static std::unique_ptr<JournalSocket> journal_;
  TempDir folder_;
};

TEST_F(SimulatorLog, OfSimHasPriorityAndRun) {
  Process sim = service(fmt::format("{}/hilgate sim physics --protocol native --listen --run told --socket unix:{}",
                                    HILGATE_BIN_DIR, socket()));
  connect_with_garbage(sim);
  expect_entries("physics simulator", "3");
  EXPECT_THAT(sim.output(), IsEmpty());
}

TEST_F(SimulatorLog, OfServeHasPriorityAndTheConfigurationsRun) {
  const std::string configuration = file("air.yaml", R"(name: told
ports: {red-port: {interface: a}, blue-port: {interface: b}}
robots:
  red: {port: red-port, mac: 02:68:67:0a:01:01, ip: 10.99.1.1, radio: wifi_11n_2g4_adhoc}
  blue: {port: blue-port, mac: 02:68:67:0a:01:02, ip: 10.99.1.2, radio: wifi_11n_2g4_adhoc}
physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}],
                                     blue: [{at: 0s, position: [5m, 0m, 1m]}]}}
netsim: {type: embedded}
)");
  Process serve = service(fmt::format("{}/hilgate serve {} --protocol native --listen --once --socket unix:{}",
                                      HILGATE_BIN_DIR, configuration, socket()));
  connect_with_garbage(serve);
  expect_entries("network simulator", "6");
  EXPECT_THAT(serve.output(), IsEmpty());
}

TEST_F(SimulatorLog, OfSimOnATerminalIsItsLinesAlone) {
  Process sim({HILGATE_BIN_DIR "/hilgate", "sim", "physics", "--protocol", "native", "--listen", "--run", "told",
               "--socket", "unix:" + socket()});
  connect_with_garbage(sim);
  EXPECT_THAT(sim.output(), testing::StartsWith("physics simulator: "));
  EXPECT_THAT(sim.output(), HasSubstr("connected"));
  EXPECT_THAT(journal_->entries(), IsEmpty());
}

#ifdef HILGATE_WITH_NS3
TEST_F(SimulatorLog, OfNs3HasPriorityAndRun) {
  const std::string scenario =
      file("ns3.yaml",
           "robots: {red: {ip: 10.77.0.1, at: [0m, 0m, 2m]}, blue: {ip: 10.77.0.2, at: [20m, 0m, 2m]}}\n"
           "network: {type: wifi, standard: 802.11n, rate_control: ideal}\n"
           "propagation: {type: log_distance, settings: {Exponent: 3, ReferenceLoss: 40.05}}\n");
  Process ns3 = service(
      fmt::format("{}/hilgate-ns3 {} --listen --run told --socket unix:{}", HILGATE_BIN_DIR, scenario, socket()));
  connect_with_garbage(ns3);
  expect_entries("hilgate-ns3", "3");
  EXPECT_THAT(journal_->entries(), Contains(AllOf(Contains(Pair("MESSAGE", HasSubstr("ready: 2 robots"))),
                                                  Contains(Pair("PRIORITY", "6")))));
  EXPECT_THAT(ns3.output(), IsEmpty());
}

TEST_F(SimulatorLog, ReportsWrongNs3ScenariosLineByLine) {
  const std::string scenario = file("wrong.yaml", "robots: {red: {colour: 1}}\nnetwork: {type: pigeons}\n");
  Process ns3 = service(fmt::format("{}/hilgate-ns3 {} --run told", HILGATE_BIN_DIR, scenario));
  ASSERT_EQ(ns3.wait(kPatience), 2);
  ASSERT_THAT(journal_->entries(), Not(IsEmpty()));
  EXPECT_THAT(journal_->entries(),
              testing::Each(AllOf(Contains(Pair("HILGATE_RUN", "told")), Contains(Pair("PRIORITY", "3")),
                                  Contains(Pair("MESSAGE", testing::StartsWith(scenario + ":"))))));
  EXPECT_THAT(ns3.output(), IsEmpty());
}
#endif

#ifdef HILGATE_WITH_GZ
TEST_F(SimulatorLog, OfGzHasPriorityAndRun) {
  setenv("IGN_IP", "127.0.0.1", 1);
  Process gz = service(fmt::format("{}/hilgate-gz --sdf {}/tests/physics_link/gz/wall.sdf --run told --patience 100ms",
                                   HILGATE_BIN_DIR, HILGATE_SOURCE_DIR));
  ASSERT_EQ(gz.wait(kPatience), 1);
  EXPECT_THAT(journal_->entries(), testing::Each(Contains(Pair("HILGATE_RUN", "told"))));
  EXPECT_THAT(journal_->entries(), Contains(AllOf(Contains(Pair("MESSAGE", HasSubstr("world 'yard' has 1 obstacles"))),
                                                  Contains(Pair("PRIORITY", "6")))));
  EXPECT_THAT(journal_->entries(), Contains(AllOf(Contains(Pair("MESSAGE", HasSubstr("world 'yard' not found"))),
                                                  Contains(Pair("PRIORITY", "3")))));
  EXPECT_THAT(gz.output(), IsEmpty());
}
#endif

}  // namespace
}  // namespace hilgate::test
