// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "clock/time.h"
#include "gateway/record/link_table_codec.h"
#include "host/mcap/mcap_writer.h"

namespace hilgate {

enum class RecordTopic : std::uint8_t {
  kRun,
  kLayout,
  kLinks,
  kCounts,
  kVerdicts,
  kTotals,
  kPositions,
  kClock,
  kChanges,
  kLog,
  kMissed,
  kEnd,
  kCount
};

/// The file of a record and the thread that writes it. Who hands something over never waits for the disk: what finds no
/// room is counted. Chunks end every second, so that a run that is killed has all but its last.
class RecordWriter {
 public:
  static constexpr std::size_t kRoom = std::size_t{64} << 20;  // bytes that wait for the thread

  /// What is shown of it; any thread.
  struct State {
    std::atomic<std::uint64_t> bytes{0};   // in the file
    std::atomic<std::uint64_t> tables{0};  // written
    std::atomic<std::uint64_t> missed{0};  // messages that found no room
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::string problem;  // by the mutex: why it has ended
  };

  /// Throws std::system_error when the file cannot be made.
  RecordWriter(const std::filesystem::path& file, const std::string& version, std::shared_ptr<State> state);
  /// Writes what waits, and the end of the file.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Any thread. A layout is always taken; the table after it is written whole.
  void put(RecordTopic topic, Nanoseconds at, std::string message);
  void put(const LinkTable& table, Nanoseconds at);

 private:
  struct Item {
    RecordTopic topic{};
    Nanoseconds at{};
    std::string message{};
    LinkTable table{};  // of kLinks
    [[nodiscard]] std::size_t bytes() const {
      return message.size() + table.links.size() * sizeof(LinkState) + sizeof(Item);
    }
  };

  void add(Item item, bool always);
  void run(const std::stop_token& stop);
  bool take(const std::stop_token& stop);
  void write_all();
  void write(Item& item);
  void fail(const std::string& why);

  std::shared_ptr<State> state_;
  McapWriter file_;
  std::array<std::uint16_t, static_cast<std::size_t>(RecordTopic::kCount)> channels_{};
  LinkTableEncoder encoder_;
  HostTime chunk_began_{};
  std::uint64_t missed_told_ = 0;
  std::vector<Item> taken_;

  std::mutex mutex_;
  std::condition_variable_any news_;
  std::vector<Item> waiting_;     // by the mutex, as what follows
  std::vector<LinkTable> spare_;  // with room for links
  std::size_t waiting_bytes_ = 0;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace hilgate
