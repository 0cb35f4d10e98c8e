// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/record/record_reader.h"

namespace hilgate {
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

}  // namespace hilgate
