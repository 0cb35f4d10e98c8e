// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "gateway/record/verdict_codec.h"

namespace hilgate {
namespace {

class RecordMessages {
 public:
  explicit RecordMessages(RecordVisitor& visitor) : visitor_(visitor) {}

  void take(const McapMessage& message) {
    const std::string& topic = message.channel.topic;
    if (topic == kLinksTopic) {
      require_varints(message.channel);
      const LinkTable& table = links_.decode(message.data);
      if (table.links.size() != layout_.ends.size() * layout_.ends.size()) {
        throw std::runtime_error("a link table is of other robots than its layout");
      }
      visitor_.links(message.at, {table, links_.changed(), links_.moved()});
    } else if (topic == kCountsTopic) {
      const std::vector<LinkCountsRow>& rows = counts_.decode(message.data);
      visitor_.counts(message.at, {rows, counts_.changed()});
    } else if (topic == kVerdictsTopic) {
      visitor_.verdicts(message.at, decode_verdicts(message.data));
    } else {
      const auto json = nlohmann::json::parse(message.data);
      if (topic == kLayoutTopic) {
        layout_ = RunLayout::of(json);
        visitor_.layout(message.at, layout_);
      } else {
        visitor_.said(message.at, topic, json);
      }
    }
  }

 private:
  RecordVisitor& visitor_;
  RunLayout layout_;
  LinkTableDecoder links_;
  CountDecoder counts_;
};

}  // namespace

std::filesystem::path record_file(const std::filesystem::path& record) {
  const std::filesystem::path file = std::filesystem::is_directory(record) ? record / kRecordFile : record;
  if (!std::filesystem::is_regular_file(file)) {
    throw std::runtime_error(
        fmt::format("{}: is no record; name the folder of a run, which has a file {}", record.string(), kRecordFile));
  }
  return file;
}

void require_varints(const McapChannel& channel) {
  if (channel.topic == kLinksTopic && channel.encoding == "hilgate") {
    throw std::runtime_error(
        "an old record, whose link tables are in arithmetic code; `python3 -m hilgate.convert_record OLD NEW` makes it "
        "readable");
  }
}

McapEnd read_record(const std::filesystem::path& record, RecordVisitor& visitor) {
  const std::filesystem::path file = record_file(record);
  RecordMessages messages(visitor);
  try {
    return read_mcap(file, [&](const McapMessage& message) { messages.take(message); });
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("{}: a message is not as a record has it: {}", file.string(), error.what()));
  }
}

RecordStream::RecordStream(const std::filesystem::path& record, std::vector<std::string> topics)
    : file_(record_file(record)), topics_(std::move(topics)) {}

const RecordStream::Message* RecordStream::next() {
  while (waiting_.empty() && file_.next([this](const McapMessage& message) {
    if (std::ranges::find(topics_, message.channel.topic) != topics_.end()) {
      require_varints(message.channel);
      waiting_.push_back({message.channel.topic, message.at, std::string(message.data)});
    }
  })) {
  }
  return waiting_.empty() ? nullptr : &waiting_.front();
}

}  // namespace hilgate
