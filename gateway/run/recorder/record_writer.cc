// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/recorder/record_writer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

#include "clock/host_now.h"
#include "gateway/record/run_layout.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr auto kChunkTime = 1s;
constexpr auto kPause = 20ms;  // within it messages gather: the thread wakes 50 times a second at most

constexpr const char* kAnyObject = R"({"type":"object"})";
constexpr const char* kBinary = "varints; docs/how-to/records.md of hilgate, gateway/record/";

struct Topic {
  const char* name;
  bool json;
};
constexpr std::array<Topic, static_cast<std::size_t>(RecordTopic::kCount)> kTopics = {{{kRunTopic, true},
                                                                                       {kLayoutTopic, true},
                                                                                       {kLinksTopic, false},
                                                                                       {kCountsTopic, false},
                                                                                       {kVerdictsTopic, false},
                                                                                       {kTotalsTopic, true},
                                                                                       {kPositionsTopic, true},
                                                                                       {kClockTopic, true},
                                                                                       {kChangesTopic, true},
                                                                                       {kLogTopic, true},
                                                                                       {kMissedTopic, true},
                                                                                       {kEndTopic, true}}};

McapChannel channel_of(const Topic& topic) {
  const std::string name = topic.name;
  return {.topic = name,
          .encoding = topic.json ? "json" : kVarintEncoding,
          .schema = "hilgate." + name.substr(1),
          .schema_encoding = topic.json ? "jsonschema" : "hilgate",
          .schema_text = topic.json ? kAnyObject : kBinary};
}

}  // namespace

RecordWriter::RecordWriter(const std::filesystem::path& file, const std::string& version, std::shared_ptr<State> state)
    : state_(std::move(state)), file_(file, "hilgate " + version), chunk_began_(host_now()) {
  for (std::size_t i = 0; i < kTopics.size(); ++i) {
    channels_[i] = file_.add_channel(channel_of(kTopics[i]));
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

RecordWriter::~RecordWriter() {
  thread_.request_stop();
  thread_.join();
}

void RecordWriter::put(RecordTopic topic, Nanoseconds at, std::string message) {
  add({.topic = topic, .at = at, .message = std::move(message)}, topic == RecordTopic::kLayout);
}

void RecordWriter::put(const LinkTable& table, Nanoseconds at) {
  Item item{.topic = RecordTopic::kLinks, .at = at};
  {
    const std::scoped_lock lock(mutex_);
    if (!spare_.empty()) {
      item.table = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  item.table = table;
  add(std::move(item), false);
}

void RecordWriter::add(Item item, bool always) {
  if (state_->failed.load(std::memory_order_relaxed)) {
    return;
  }
  const std::size_t bytes = item.bytes();
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    if (!always && waiting_bytes_ + bytes > kRoom) {
      state_->missed.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    first = waiting_.empty();
    waiting_bytes_ += bytes;
    waiting_.push_back(std::move(item));
  }
  if (first) {
    news_.notify_one();
  }
}

void RecordWriter::run(const std::stop_token& stop) {
  try {
    while (take(stop)) {
      write_all();
    }
    write_all();
    file_.finish();
    state_->bytes.store(file_.bytes(), std::memory_order_relaxed);
  } catch (const std::system_error& error) {
    fail(error.what());
  }
}

// Waits for messages, or for the end of a chunk. False: it is to end, with what it has taken.
bool RecordWriter::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_news = [this] { return !waiting_.empty(); };
  if (file_.waiting() > 0) {
    news_.wait_for(lock, stop, std::max(chunk_began_ + kChunkTime - host_now(), Nanoseconds{0}), has_news);
  } else {
    news_.wait(lock, stop, has_news);
  }
  if (!waiting_.empty() && !stop.stop_requested()) {
    news_.wait_for(lock, stop, kPause, [] { return false; });
  }
  std::swap(taken_, waiting_);
  waiting_bytes_ = 0;
  return !stop.stop_requested();
}

void RecordWriter::write_all() {
  for (Item& item : taken_) {
    write(item);
  }
  if (const std::uint64_t missed = state_->missed.load(std::memory_order_relaxed);
      missed != missed_told_ && !taken_.empty()) {
    file_.write(channels_[static_cast<std::size_t>(RecordTopic::kMissed)], taken_.back().at,
                fmt::format(R"({{"messages":{}}})", missed));
    missed_told_ = missed;
  }
  {
    const std::scoped_lock lock(mutex_);
    for (Item& item : taken_) {
      if (item.topic == RecordTopic::kLinks) {
        spare_.push_back(std::move(item.table));
      }
    }
  }
  taken_.clear();
  if (host_now() - chunk_began_ >= kChunkTime) {
    file_.end_chunk();
    chunk_began_ = host_now();
  }
  state_->bytes.store(file_.bytes(), std::memory_order_relaxed);
}

void RecordWriter::write(Item& item) {
  if (item.topic == RecordTopic::kLayout) {
    encoder_.restart();
  }
  if (item.topic == RecordTopic::kLinks) {
    item.message = encoder_.encode(item.table);
    state_->tables.fetch_add(1, std::memory_order_relaxed);
  }
  file_.write(channels_[static_cast<std::size_t>(item.topic)], item.at, item.message);
}

void RecordWriter::fail(const std::string& why) {
  state_->failed.store(true, std::memory_order_relaxed);
  state_->bytes.store(file_.bytes(), std::memory_order_relaxed);
  {
    const std::scoped_lock lock(state_->mutex);
    state_->problem = why;
  }
  spdlog::error("record: {}; it has ended, traffic continues", why);
}

}  // namespace hilgate
