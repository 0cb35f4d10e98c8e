// SPDX-License-Identifier: Apache-2.0
// Files that somebody else has made, given to hilgate's commands.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "host/byte_cursor.h"
#include "host/mcap/mcap_format.h"
#include "tests/fault/fault_record.h"
#include "tests/fault/files/limited_run.h"
#include "tests/loop.h"
#include "tests/support/process.h"
#include "tests/support/sanitized.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr auto kFilePatience = 60s;
constexpr std::size_t kMostKib = kAddressSanitizer ? 1500U << 10U : 300U << 10U;
constexpr std::uint64_t kTerabyte = std::uint64_t{1} << 40;

constexpr const char* kConfiguration =
    "name: strangers\nseed: 3\nwindow: 10ms\npace: wall\n"
    "ports: {red: {interface: red}, blue: {interface: blue}}\n"
    "robots: {red: {port: red, mac: '02:68:67:00:00:01', radio: wifi_11n_2g4_adhoc},"
    " blue: {port: blue, mac: '02:68:67:00:00:02', radio: wifi_11n_2g4_adhoc}}\n"
    "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}],"
    " blue: [{at: 0s, position: [30m, 0m, 2m]}]}}\nnetsim: {type: embedded}\n";

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Commands are words of hilgate's, FILE among them.
using Command = std::vector<std::string>;

class StrangersFiles : public testing::Test {
 protected:
  void SetUp() override {
    write("good.yaml", kConfiguration);
    const LimitedRun made = hilgate({"sweep", path("good.yaml"), "--seeds", "1", "--capture", "-o", path("runs")});
    ASSERT_EQ(made.status, 0) << made.output;
    for (const auto& entry : fs::recursive_directory_iterator(path("runs"))) {
      if (entry.path().filename() == "run.mcap") {
        record_ = entry.path();
      } else if (entry.path().filename() == "frames.pcapng") {
        capture_ = entry.path();
      }
    }
    ASSERT_FALSE(record_.empty());
    ASSERT_FALSE(capture_.empty());
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  /// With a hole behind its content.
  void write_sparse(const std::string& name, const std::string& content) const {
    write(name, content);
    ASSERT_EQ(truncate(path(name).c_str(), static_cast<off_t>(kTerabyte)), 0);
  }

  LimitedRun hilgate(Command command) {
    command.insert(command.begin(), HILGATE_BIN_DIR "/hilgate");
    LimitedRun run = run_limited(command, kFilePatience);
    longest_ = std::max(longest_, run.time);
    most_kib_ = std::max(most_kib_, run.most_kib);
    ++runs_;
    return run;
  }
  /// It ends in time, with little memory and by itself; how.
  LimitedRun end_of(const Command& command, const std::string& file) {
    Command whole = command;
    std::replace(whole.begin(), whole.end(), std::string("FILE"), file);
    fs::remove_all(path("others"));  // of the copies before
    LimitedRun run = hilgate(whole);
    const std::string what = fmt::format("hilgate {}: {}", fmt::join(whole, " "), run.output);
    EXPECT_LE(run.status, 2) << what;
    EXPECT_LE(run.most_kib, kMostKib) << what;
    return run;
  }
  /// And says what is wrong with which file.
  void expect_refused(const Command& command, const std::string& file) {
    const LimitedRun run = end_of(command, file);
    EXPECT_NE(run.status, 0) << run.output;
    EXPECT_THAT(run.output, HasSubstr(file));
  }

  /// It says the same, and may make of the file's beginning what can be made of it.
  void expect_told(const Command& command, const std::string& file) {
    EXPECT_THAT(end_of(command, file).output, HasSubstr(file));
  }

  [[nodiscard]] std::vector<Command> of_records() const {
    return {{"record", "show", "FILE"},
            {"record", "export", "FILE", "-o", path("tables")},
            {"record", "scene", "FILE", "-o", path("scene.mcap")},
            {"report", "FILE", "-o", path("report.html")},
            {"replay", "FILE"}};
  }
  [[nodiscard]] std::vector<Command> of_captures() const {
    return {{"replay", record_.string(), "--frames", "FILE", "--force"},
            {"sweep", path("good.yaml"), "--frames", "FILE", "-o", path("others")}};
  }
  [[nodiscard]] std::vector<Command> of_texts() const {
    return {{"check", "FILE"},
            {"check", path("good.yaml"), "--scenario", "FILE"},
            {"map", "FILE"},
            {"sweep", "FILE", "-o", path("none")},
            {"scenario", "import", "FILE"},
            {"trace", "check", "FILE"}};
  }
  static std::vector<Command> all_of(const std::vector<std::vector<Command>>& lists) {
    std::vector<Command> all;
    for (const auto& list : lists) {
      all.insert(all.end(), list.begin(), list.end());
    }
    return all;
  }
  void conclude(const std::string& fault, const std::string& promise) const {
    record({fault, promise,
            fmt::format("{} commands; {} and {} MiB at most", runs_, text_of(longest_), most_kib_ >> 10U)});
  }

  TempDir folder_;
  fs::path record_, capture_;
  std::chrono::nanoseconds longest_{};
  std::size_t most_kib_ = 0;
  std::size_t runs_ = 0;
};

TEST_F(StrangersFiles, NotAFile) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_symlink(path("loop"), path("loop"));
  fs::create_symlink(path("nowhere"), path("dangling"));
  fs::create_directory(path("folder.yaml"));
  for (const Command& command : all_of({of_records(), of_captures(), of_texts()})) {
    for (const std::string& file : {path("fifo"), path("loop"), path("dangling"), std::string("/dev/zero")}) {
      expect_refused(command, file);
    }
  }
  for (const Command& command : all_of({of_captures(), of_texts()})) {
    expect_refused(command, path("folder.yaml"));
  }
  conclude(
      "FIFOs, devices, folders, symbolic links that lead to themselves or nowhere, as configuration, scenario, "
      "trace, event log, record or capture",
      "Refused at once, with the file's name");
}

TEST_F(StrangersFiles, SparseFilesOfATerabyte) {
  write_sparse("zeros", "");
  write_sparse("text.yaml", kConfiguration);
  write_sparse("magic.mcap", std::string(kMcapMagic));
  for (const Command& command : all_of({of_records(), of_captures(), of_texts()})) {
    expect_refused(command, path("zeros"));
  }
  for (const Command& command : of_texts()) {
    expect_refused(command, path("text.yaml"));
  }
  for (const Command& command : of_records()) {
    expect_told(command, path("magic.mcap"));
  }
  write_sparse("cut.pcapng", content_of(capture_));
  for (const Command& command : of_captures()) {
    end_of(command, path("cut.pcapng"));
  }
  conclude("Files of a terabyte that are a hole, or have one after a valid beginning", "Refused, and never read whole");
}

// Counts and lengths that a file cannot keep, or that are to fill the memory of who believes them.
TEST_F(StrangersFiles, CountsWithoutEnd) {
  const auto number = [](std::uint64_t value, std::size_t bytes) {
    std::string text(bytes, '\0');
    std::memcpy(text.data(), &value, bytes);
    return text;
  };
  const auto record = [&](char opcode, std::uint64_t length) { return opcode + number(length, 8); };
  const std::string magic(kMcapMagic);
  const std::string chunk =
      std::string(16, '\0') + number(kTerabyte / 2, 8) + std::string(4, '\0') + number(0, 4) + number(kTerabyte / 2, 8);
  write_sparse("chunk.mcap", magic + record(6, kTerabyte - 100) + chunk);
  write_sparse("schema.mcap", magic + record(3, kTerabyte - 100) + number(1, 2) + number(4'000'000'000, 4));
  write_sparse("message.mcap", magic + record(5, kTerabyte - 100));
  write("length.mcap", magic + record(6, ~std::uint64_t{0}));
  // A schema of 32 MiB, and 60000 channels of it.
  constexpr std::uint64_t kSchema = std::uint64_t{32} << 20;
  std::string channels = magic + record(3, 2 + 4 + 4 + 4 + kSchema) + number(1, 2) + number(0, 4) + number(0, 4) +
                         number(kSchema, 4) + std::string(kSchema, 'a');
  for (std::uint64_t n = 0; n < 60'000; ++n) {
    channels += record(4, 2 + 2 + 4 + 4 + 4) + number(n, 2) + number(1, 2) + std::string(12, '\0');
  }
  write("channels.mcap", channels);
  for (const Command& command : of_records()) {
    for (const char* file : {"chunk.mcap", "schema.mcap", "message.mcap", "length.mcap", "channels.mcap"}) {
      expect_told(command, path(file));
    }
  }
  write("block.pcapng", content_of(capture_) + number(6, 4) + number(0xFFFFFFFC, 4));
  write("kept.pcapng", content_of(capture_) + number(6, 4) + number(36, 4) + number(0, 4) + std::string(8, '\0') +
                           number(0xFFFFFFFF, 4) + number(0xFFFFFFFF, 4) + std::string(4, '\0') + number(36, 4));
  for (const Command& command : of_captures()) {
    end_of(command, path("block.pcapng"));
    expect_refused(command, path("kept.pcapng"));
  }
  conclude("Records and captures with lengths and counts without end", "Refused, with the place; memory stays bounded");
}

TEST_F(StrangersFiles, CutOffAndDamaged) {
  std::mt19937_64 random(7);
  const auto try_all = [&](const fs::path& good, const std::vector<Command>& commands) {
    const std::string content = content_of(good);
    const std::string bad = path("bad" + good.extension().string());
    for (int n = 0; n < 12; ++n) {
      std::string changed =
          content.substr(0, n % 2 == 0 ? content.size() * static_cast<std::size_t>(n) / 12 : content.size());
      for (int flip = 0; n % 2 != 0 && flip < 20; ++flip) {
        changed[random() % changed.size()] = static_cast<char>(random());
      }
      std::ofstream(bad, std::ios::binary | std::ios::trunc) << changed;
      for (const Command& command : commands) {
        const LimitedRun run = end_of(command, bad);
        if (run.status != 0) {
          EXPECT_FALSE(run.output.empty());
        }
      }
    }
  };
  try_all(record_, {{"record", "show", "FILE"}, {"record", "export", "FILE", "-o", path("tables")}});
  try_all(capture_, of_captures());
  conclude("Records and captures that are cut off, or have other bytes here and there",
           "Read as far as they go, or refused; no command ends by a signal");
}

TEST_F(StrangersFiles, ARecordsFolderLeadsElsewhere) {
  write("precious", "mine");
  fs::create_symlink(path("precious"), record_.parent_path() / "replay.yaml");
  Process replay({HILGATE_BIN_DIR "/hilgate", "replay", record_.string(), "--force"});
  EXPECT_TRUE(replay.wait_for_output("running, ", 30s)) << replay.output();
  replay.stop(SIGTERM);
  EXPECT_EQ(content_of(path("precious")), "mine") << replay.output();
  EXPECT_FALSE(fs::is_symlink(record_.parent_path() / "replay.yaml"));
  conclude("In the folder of a record that is replayed, the file that the replay writes is a symbolic link",
           "It is replaced, not followed");
}

}  // namespace
}  // namespace hilgate::test
