// SPDX-License-Identifier: Apache-2.0
// `hilgate capture` of the real gateway, read by stock tshark.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <unordered_set>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

struct Packet {
  std::string interface, id, dropped, comment;

  /// The value of a word of the comment; empty without.
  [[nodiscard]] std::string word(const std::string& key) const {
    std::istringstream words(comment);
    for (std::string each; words >> each;) {
      if (each.starts_with(key + "=")) {
        return each.substr(key.size() + 1);
      }
    }
    return {};
  }
};

/// What a capture says in all, packet by packet: a million of them need not be in memory.
struct CaptureCounts {
  std::uint64_t packets = 0, captured = 0, released = 0, of_groups = 0;
  NamedCounts dropped;
  std::unordered_set<std::string> in, later;  // numbers of frames: as they came, and of what became of them

  void take(const Packet& packet) {
    ++packets;
    if (packet.interface.ends_with(" in")) {
      ++captured;
      in.insert(packet.id);
      return;
    }
    later.insert(packet.id);
    const std::string reason = packet.word("drop");
    if (!reason.empty()) {
      ++dropped[reason];
    } else if (!packet.word("given_us").empty()) {
      ++released;
    }
  }
};

class CaptureTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    folder_ = std::filesystem::temp_directory_path() / fmt::format("hilgate-capture-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// A capture that has begun.
  [[nodiscard]] std::unique_ptr<Process> capture(const RunningGateway& gateway, const std::string& file,
                                                 const std::vector<std::string>& options = {}) const {
    std::vector<std::string> command = {hilgate_program(), "capture", "--run", gateway.run(), "-w", file};
    command.insert(command.end(), options.begin(), options.end());
    auto process = std::make_unique<Process>(command);
    EXPECT_TRUE(process->wait_for_output("capturing to", 20s)) << process->output();
    return process;
  }
  /// Ends it as Ctrl-C does; what it says then: packets and missed.
  static std::pair<std::uint64_t, std::uint64_t> end(Process& process) {
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(60s), 0) << process.output();
    return summary(process);
  }
  static std::pair<std::uint64_t, std::uint64_t> summary(const Process& process) {
    std::uint64_t packets = 0;
    std::uint64_t missed = 0;
    const std::string output = process.output();
    const std::size_t line = output.find('\n') + 1;
    EXPECT_EQ(std::sscanf(output.c_str() + line, "%lu packets, %lu missed", &packets, &missed), 2) << output;
    return {packets, missed};
  }
  /// What tshark reads, which must have nothing to say about the file.
  void read(const std::string& file, const std::function<void(const Packet&)>& each) const {
    const std::string text = path("fields");
    const std::string errors = path("errors");
    Process tshark({"sh", "-c",
                    fmt::format("tshark -r {} -T fields -E separator=/t -e frame.interface_name -e frame.packet_id "
                                "-e frame.drop_count -e frame.comment > {} 2> {}",
                                file, text, errors)});
    EXPECT_EQ(tshark.wait(30min), 0) << tshark.output();
    std::ifstream said(errors);
    for (std::string line; std::getline(said, line);) {
      EXPECT_THAT(line, testing::HasSubstr("Running as user"));
    }
    std::ifstream rows(text);
    for (std::string row; std::getline(rows, row);) {
      std::istringstream cells(row);
      Packet packet;
      for (std::string* cell : {&packet.interface, &packet.id, &packet.dropped, &packet.comment}) {
        std::getline(cells, *cell, '\t');
      }
      each(packet);
    }
  }
  [[nodiscard]] std::vector<Packet> read(const std::string& file) const {
    std::vector<Packet> packets;
    read(file, [&packets](const Packet& packet) { packets.push_back(packet); });
    return packets;
  }

 private:
  std::filesystem::path folder_;
};

// Bursts at a pace at which none finds the gateway's rings full.
constexpr auto kPaceOfBursts = 4ms;
void send(Generator& generator, std::size_t frames) {
  for (const std::uint64_t end = generator.sent() + frames; generator.sent() < end;) {
    generator.burst();
    std::this_thread::sleep_for(kPaceOfBursts);
  }
}

NamedCounts difference(const NamedCounts& after, const NamedCounts& before) {
  NamedCounts counts;
  for (const auto& [name, count] : after) {
    if (count != before(name)) {
      counts[name] = count - before(name);
    }
  }
  return counts;
}

// Impaired unicast, duplicated and reordered, broadcasts and multicasts; frames of nobody.
constexpr const char* kImpaired =
    "netsim: {type: wire}\n"
    "links:\n"
    "  - {from: red, to: blue, delay: {base: 5ms, distribution: normal, mean: 1ms, deviation: 300us, "
    "jitter: independent}, loss: 10 %, ber: 2e-5, policy: corrupt_raw, duplicate: 3 %}\n"
    "  - {from: blue, to: green, delay: 1ms, loss: 30 %}\n"
    "  - {from: blue, to: red, ber: 1e-4}\n";

// What a capture says is what the gateway counts.
void expect_equal_counts(const CaptureCounts& counts, const GatewayStatus& before, const GatewayStatus& after) {
  EXPECT_EQ(counts.dropped, difference(after.dropped, before.dropped));
  EXPECT_EQ(counts.released, after.totals("out") - before.totals("out"));
  EXPECT_EQ(counts.captured, after.totals("frames_captured") - before.totals("frames_captured"));
  EXPECT_EQ(counts.in.size(), counts.captured) << "each frame has a number of its own";
  for (const std::string& id : counts.later) {
    ASSERT_TRUE(counts.in.contains(id)) << id;
  }
}

// HILGATE_CAPTURE_FRAMES: for longer runs by hand, docs/how-to/captures.md.
unsigned rounds_asked() {
  constexpr unsigned long kInRound = 2112;
  const char* const frames = std::getenv("HILGATE_CAPTURE_FRAMES");  // NOLINT(concurrency-mt-unsafe): one thread
  return frames != nullptr ? static_cast<unsigned>(std::stoul(frames) / kInRound + 1) : 10;
}

// Events of frames: those that there have been, and those that were read for captures or counted as missed.
struct Events {
  std::uint64_t happened = 0, accounted = 0;

  static Events of(const nlohmann::ordered_json& status) {
    const auto& totals = status.at("totals");
    const auto& capture = status.at("capture");
    return {.happened = totals.at("frames_captured").get<std::uint64_t>() + totals.at("out").get<std::uint64_t>() +
                        totals.at("dropped_total").get<std::uint64_t>(),
            .accounted = capture.at("captured").get<std::uint64_t>() + capture.at("missed").get<std::uint64_t>()};
  }
};

// All that has happened since `before` has been read for the capture, or is counted as missed.
void await_capture(const RunningGateway& gateway, const Events& before) {
  status_when(gateway.run(), [&before](const nlohmann::ordered_json& status) {
    const Events now = Events::of(status);
    return now.accounted - before.accounted >= now.happened - before.happened;
  });
}

void pass_traffic(const RunningGateway& gateway, unsigned rounds = 10) {
  constexpr MacAddress kGroup{0x0100'5e00'0001};
  Generator to_blue(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0), .frame_bytes = 300});
  Generator to_all(gateway.robot(1), "eth0", {.to = kBroadcast, .from = robot_mac(1), .frame_bytes = 120});
  Generator to_group(gateway.robot(0), "eth0", {.to = kGroup, .from = robot_mac(0), .frame_bytes = 300});
  Generator of_nobody(gateway.robot(2), "eth0", {.to = robot_mac(0), .from = robot_mac(9)});
  const Events before = Events::of(status_of(gateway.run()));
  for (unsigned round = 0; round < rounds; ++round) {
    send(to_blue, 1280);
    send(to_all, 448);
    send(to_group, 256);
    send(of_nobody, 128);
    await_capture(gateway, before);  // a long run is not about how much a slow one misses
  }
  const GatewayStatus settled = gateway.settled(to_blue.sent() + to_all.sent() + to_group.sent() + of_nobody.sent());
  EXPECT_EQ(settled.totals("held"), 0U);
}

TEST_F(CaptureTest, OfSeveralLoopsIsOneAndItsCountsOfEveryReasonEqualTheGateways) {
  const RunningGateway gateway(
      {.yaml = std::string(kImpaired) + "packet_loop: {cores: [{ports: [red]}, {ports: [blue, green]}]}\n",
       .robots = {"red", "blue", "green"}});
  gateway.mute();
  const auto process = capture(gateway, path("all.pcapng"), {"--snaplen", "64"});
  const GatewayStatus before = gateway.status();
  pass_traffic(gateway, rounds_asked());
  const GatewayStatus after = gateway.status();
  const auto [packets, missed] = end(*process);
  EXPECT_EQ(missed, 0U);
  CaptureCounts counts;
  read(path("all.pcapng"), [&counts](const Packet& packet) {
    counts.take(packet);
    if (packet.interface == "blue out" && packet.word("drop").empty()) {
      EXPECT_NE(packet.word("bits"), "") << "what was said on another core is known: " << packet.comment;
    }
  });
  EXPECT_EQ(counts.packets, packets);
  EXPECT_GT(after.dropped("configured_loss"), 0U);
  EXPECT_GT(after.dropped("lost_on_air"), 0U);
  EXPECT_GT(after.dropped("unknown_sender"), 0U);
  EXPECT_GT(after.totals("out") + after.dropped("configured_loss"), after.totals("frames_captured"))
      << "copies and group frames";
  expect_equal_counts(counts, before, after);
  RecordProperty("frames", static_cast<int>(counts.captured));
}

TEST_F(CaptureTest, ContainsFateAndReleaseTime) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\n"
                                        "links: [{from: red, to: blue, delay: 20ms, ber: 1e-2, policy: corrupt_raw,\n"
                                        "         protect_headers: false}]\n"});
  gateway.mute();
  const auto process = capture(gateway, path("fates.pcapng"));
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0), .frame_bytes = 1000});
  generator.burst();
  ASSERT_EQ(gateway.settled(generator.sent()).totals("out"), generator.sent());
  end(*process);
  for (const Packet& packet : read(path("fates.pcapng"))) {
    if (packet.interface == "blue out") {
      EXPECT_TRUE(packet.comment.starts_with("red>blue ")) << packet.comment;
      EXPECT_EQ(packet.word("ber"), "0.01");
      EXPECT_GT(std::stoul(packet.word("bits")), 0U);
      EXPECT_EQ(packet.word("tries"), "1");
      EXPECT_EQ(packet.word("asked_us"), "20000.000");
      EXPECT_GE(std::stod(packet.word("given_us")), 20000.0);
      EXPECT_NE(packet.word("window"), "");
    } else {
      EXPECT_EQ(packet.interface, "red in");
    }
  }
}

TEST_F(CaptureTest, FiltersAndCountAndTheirFaults) {
  const RunningGateway gateway({.yaml = kImpaired, .robots = {"red", "blue", "green"}});
  gateway.mute();
  const auto refused = [&](const std::vector<std::string>& options) {
    std::vector<std::string> command = {hilgate_program(), "capture", "--run", gateway.run(), "-w", path("no.pcapng")};
    command.insert(command.end(), options.begin(), options.end());
    const Finished finished = run(command);
    EXPECT_NE(finished.status, 0);
    EXPECT_FALSE(std::filesystem::exists(path("no.pcapng")));
    return finished.output;
  };
  EXPECT_THAT(refused({"--robot", "blew"}), testing::HasSubstr("'blew' is no robot of this run"));
  EXPECT_THAT(refused({"--link", "red-blue"}), testing::HasSubstr("write FROM>TO"));
  EXPECT_THAT(refused({"--reason", "bad_luck"}), testing::HasSubstr("'bad_luck' is no drop reason"));
  EXPECT_THAT(refused({"--filter", "udp prot 1"}), testing::HasSubstr("syntax error"));
  const auto lost = capture(gateway, path("lost.pcapng"), {"--reason", "configured_loss", "--link", "blue>green"});
  const auto small = capture(gateway, path("small.pcapng"), {"--filter", "ether proto 0x88b5 and less 200"});
  const auto green = capture(gateway, path("green.pcapng"), {"--robot", "green"});
  const auto ten = capture(gateway, path("ten.pcapng"), {"--count", "10"});
  pass_traffic(gateway);
  const GatewayStatus after = gateway.status();
  EXPECT_EQ(ten->wait(20s), 0) << ten->output();
  EXPECT_EQ(summary(*ten).first, 10U);
  EXPECT_EQ(read(path("ten.pcapng")).size(), 10U);
  EXPECT_EQ(end(*lost).first, after.link("blue", "green").dropped("configured_loss"));
  for (const Packet& packet : read(path("lost.pcapng"))) {
    ASSERT_TRUE(packet.comment.starts_with("blue>green drop=configured_loss")) << packet.comment;
  }
  EXPECT_GT(end(*small).first, 5000U);
  for (const Packet& packet : read(path("small.pcapng"))) {
    ASSERT_FALSE(packet.comment.starts_with("red>blue")) << packet.comment;
  }
  // What came in at its port from nobody's address is there as it came, and as it was refused.
  EXPECT_EQ(end(*green).first, after.link("blue", "green").counts("in") + after.link("red", "green").counts("in") +
                                   2 * after.dropped("unknown_sender"));
}

TEST_F(CaptureTest, ARingOfFilesKeepsTheNewest) {
  const RunningGateway gateway({.robots = {"red", "blue"}});
  gateway.mute();
  const auto process = capture(gateway, path("ring.pcapng"), {"--ring-size", "1", "--ring-files", "2"});
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0), .frame_bytes = 1500});
  send(generator, 2000);
  gateway.settled(generator.sent());
  const auto [packets, missed] = end(*process);
  EXPECT_EQ(packets + missed, 2 * generator.sent());
  std::size_t files = 0;
  for (unsigned number = 1; number < 30; ++number) {
    const std::string file = path(fmt::format("ring_{:05}.pcapng", number));
    if (std::filesystem::exists(file)) {
      ++files;
      EXPECT_GT(read(file).size(), 0U);
      EXPECT_LE(std::filesystem::file_size(file), (1U << 20) + 4096);
    }
  }
  EXPECT_EQ(files, 2U);
}

TEST_F(CaptureTest, KilledCaptureIsReadableAndTheGatewayContinues) {
  const RunningGateway gateway({.robots = {"red", "blue"}});
  gateway.mute();
  const auto process = capture(gateway, path("killed.pcapng"));
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0)});
  send(generator, 2000);
  gateway.status_when(
      [&](const GatewayStatus&) { return std::filesystem::file_size(path("killed.pcapng")) >= 100'000; });
  process->signal(SIGKILL);
  ASSERT_EQ(process->wait(10s), 128 + SIGKILL);
  EXPECT_GT(read(path("killed.pcapng")).size(), 100U);
  const auto next = capture(gateway, path("next.pcapng"));
  const std::uint64_t before = generator.sent();
  send(generator, 100);
  EXPECT_EQ(gateway.settled(generator.sent()).totals("out"), generator.sent());
  EXPECT_EQ(end(*next).first, 2 * (generator.sent() - before));
}

TEST_F(CaptureTest, SlowReadersLossesAreCountedAndNoFrameIsLostOnThePath) {
  const RunningGateway gateway({.robots = {"red", "blue"}});
  gateway.mute();
  const auto process = capture(gateway, path("slow.pcapng"));
  const Events begin = Events::of(status_of(gateway.run()));
  process->signal(SIGSTOP);
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0), .frame_bytes = 1500});
  send(generator, 5000);
  EXPECT_EQ(gateway.settled(generator.sent()).totals("out"), generator.sent());
  process->signal(SIGCONT);
  await_capture(gateway, begin);  // what comes now says how much is missing
  generator.burst();
  EXPECT_EQ(gateway.settled(generator.sent()).totals("out"), generator.sent());
  const auto [packets, missed] = end(*process);
  EXPECT_GT(missed, 0U);
  EXPECT_EQ(packets + missed, 2 * generator.sent());
  std::uint64_t said = 0;
  for (const Packet& packet : read(path("slow.pcapng"))) {
    said += packet.dropped.empty() ? 0 : std::stoull(packet.dropped);
  }
  EXPECT_EQ(said, missed);
}

TEST_F(CaptureTest, OnAFullDiskItEndsAndTrafficContinues) {
  RunningGateway gateway(
      {.yaml = fmt::format("netsim: {{type: wire}}\ncapture: {{file: {}}}\n", path("d/f.pcapng")),
       .robots = {"red", "blue"},
       .under = {"unshare", "--mount", "sh", "-c",
                 fmt::format("mkdir -p {0} && mount -t tmpfs -o size=400k none {0} && exec \"$@\"", path("d")), "sh"}});
  gateway.mute();
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0), .frame_bytes = 1000});
  send(generator, 1000);
  const auto status =
      status_when(gateway.run(), [](const auto& now) { return now.at("capture").contains("problem"); }).at("capture");
  EXPECT_THAT(status.value("problem", ""), testing::HasSubstr("No space left on device"));
  EXPECT_EQ(status.at("going_on"), 0);
  EXPECT_THAT(gateway.output(), testing::HasSubstr("traffic continues"));
  send(generator, 100);
  EXPECT_EQ(gateway.settled(generator.sent()).totals("out"), generator.sent());
  std::filesystem::copy_file(fmt::format("/proc/{}/root{}", gateway.process().pid(), path("d/f.pcapng")),
                             path("full.pcapng"));
  EXPECT_GT(read(path("full.pcapng")).size(), 100U);
  EXPECT_THAT(run_ok({hilgate_program(), "status", gateway.run()}),
              testing::AllOf(testing::HasSubstr("! capture: "), testing::HasSubstr("the capture has ended")));
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(30s), 1) << gateway.output();
  EXPECT_THAT(gateway.output(), testing::HasSubstr(gateway.file() + ": capture: "));
}

TEST_F(CaptureTest, WiresharkListsLinksByItself) {
  const RunningGateway gateway({.robots = {"red", "blue"}});
  gateway.mute();
  const std::string programs = path("extcap");
  std::filesystem::create_directories(programs);
  std::filesystem::copy(HILGATE_SOURCE_DIR "/gateway/commands/hilgate-extcap", programs);
  // Where Debian's Wireshark looks, as only these processes see it.
  const auto with_extcap = [&](const std::string& arguments) {
    return std::vector<std::string>{
        "unshare", "--mount", "sh", "-c",
        fmt::format("mount --bind {} \"$(tshark -G folders 2>/dev/null | sed -n 's/^Extcap path:[[:space:]]*//p')\" && "
                    "PATH={}:$PATH exec tshark {}",
                    programs, HILGATE_BIN_DIR, arguments)};
  };
  const std::string list = run_ok(with_extcap("-D"));
  const std::string link = fmt::format("hilgate:{}:red>blue", gateway.run());
  EXPECT_THAT(list, testing::HasSubstr(link));
  Process live(with_extcap(fmt::format("-i '{}' -c 20 -T fields -e frame.interface_name -e frame.comment", link)));
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0)});
  std::optional<int> ended;
  for (unsigned i = 0; i < 600 && !ended; ++i) {
    generator.one();
    ended = live.wait(100ms);
  }
  EXPECT_EQ(ended, 0) << live.output();
  EXPECT_THAT(live.output(), testing::HasSubstr("red>blue window="));
}

}  // namespace
}  // namespace hilgate::test
