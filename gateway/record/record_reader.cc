// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "gateway/record/varint.h"
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

namespace {

class Summarizer final : public RecordVisitor {
 public:
  explicit Summarizer(RecordSummary& summary) : summary_(summary) {}

  void layout(Nanoseconds at, const RunLayout&) override { note(at); }
  void links(Nanoseconds at, const Links&) override {
    note(at);
    ++summary_.tables;
  }
  void counts(Nanoseconds at, const Counts&) override { note(at); }
  void verdicts(Nanoseconds at, const std::vector<Verdict>& verdicts) override {
    note(at);
    summary_.verdicts += verdicts.size();
  }
  void said(Nanoseconds at, const std::string& topic, const nlohmann::json& json) override {
    note(at);
    if (topic == kRunTopic) {
      summary_.run = json;
    } else if (topic == kTotalsTopic) {
      summary_.totals = json.at("totals");
    } else if (topic == kChangesTopic) {
      ++summary_.changes;
    } else if (topic == kLogTopic) {
      ++summary_.lines;
    } else if (topic == kMissedTopic) {
      summary_.missed = json.at("messages").get<std::uint64_t>();
    }
  }

 private:
  void note(Nanoseconds at) {
    summary_.first = summary_.first.count() == 0 ? at : std::min(summary_.first, at);
    summary_.last = std::max(summary_.last, at);
  }

  RecordSummary& summary_;
};

}  // namespace

RecordSummary RecordSummary::of(const std::filesystem::path& record) {
  RecordSummary summary;
  Summarizer summarizer(summary);
  summary.end = read_record(record, summarizer);
  return summary;
}

std::string RecordSummary::end_text() const {
  return end.text();
}

nlohmann::ordered_json RecordSummary::json() const {
  const auto said = [this](const char* key) {
    return run.is_object() ? run.value(key, nlohmann::ordered_json()) : nullptr;
  };
  return {{"run", said("run")},
          {"hilgate", said("hilgate")},
          {"began", said("began")},
          {"seed", said("seed")},
          {"seconds", seconds_of(last - first)},
          {"tables", tables},
          {"verdicts", verdicts},
          {"changes", changes},
          {"log_lines", lines},
          {"missed", missed},
          {"whole", end.whole},
          {"readable_bytes", end.offset},
          {"totals", totals}};
}

namespace {

RecordedAir::Place place_of_table(const RecordStream::Message& message) {
  VarintReader reader(message.data);
  RecordedAir::Place place{.window = reader.number(), .written = message.at};
  place.at = SimTime{Nanoseconds{reader.signed_number()}};
  return place;
}

RunLayout layout_of_message(const RecordStream::Message& message) {
  try {
    return RunLayout::of(nlohmann::json::parse(message.data));
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("a layout of the record is invalid: {}", error.what()));
  }
}

}  // namespace

RecordedAir::RecordedAir(const std::filesystem::path& record) : messages_(record, {kLinksTopic, kLayoutTopic}) {
  if (!next()) {
    throw std::runtime_error(fmt::format("{}: has no link table", record.string()));
  }
  advance();
}

void RecordedAir::go_to(SimTime at) {
  for (auto following = next(); following && following->at <= at; following = next()) {
    advance();
  }
}

std::optional<RecordedAir::Place> RecordedAir::next() {
  const RecordStream::Message* message = messages_.next();
  for (; message != nullptr && message->topic == kLayoutTopic; message = messages_.next()) {
    next_layout_ = layout_of_message(*message);
    messages_.pop();
  }
  return message == nullptr ? std::nullopt : std::optional(place_of_table(*message));
}

void RecordedAir::advance() {
  const RecordStream::Message& message = *messages_.next();
  place_ = place_of_table(message);
  table_ = &decoder_.decode(message.data);
  messages_.pop();
  if (next_layout_) {
    layout_ = std::move(*next_layout_);
    next_layout_.reset();
    ++layouts_;
  }
  if (table_->links.size() != layout_.ends.size() * layout_.ends.size()) {
    throw std::runtime_error("a link table of the record is of other robots than its layout");
  }
}

}  // namespace hilgate
