// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/report/run_story.h"

#include <algorithm>

#include "gateway/record/record_reader.h"

namespace hilgate {
namespace {

constexpr double kSampleEach = 0.1;  // of series that link tables make, s

class StoryTeller final : public RecordVisitor {
 public:
  explicit StoryTeller(RunStory& story) : story_(story) {}

  void layout(Nanoseconds at, const RunLayout& layout) override {
    seconds(at);
    layout_ = layout;
    numbers_.assign(layout.ends.size() * layout.ends.size(), nullptr);
  }

  void links(Nanoseconds at, const Links& links) override {
    const double now = seconds(at);
    for (const std::size_t place : links.changed) {
      const LinkState& state = links.table.links[place];
      RunStory::Link& link = link_at(place);
      if (link.delay_us.empty() || now - link.delay_us.back().first >= kSampleEach) {
        link.delay_us.emplace_back(now, microseconds_of(state.delay));
        if (state.snr_db != 0 || state.rssi_dbm != 0) {
          link.snr_db.emplace_back(now, static_cast<double>(state.snr_db));
        }
      }
    }
  }

  void counts(Nanoseconds at, const Counts& counts) override {
    const double now = seconds(at);
    for (const std::size_t place : counts.changed) {
      const LinkCountsRow& row = counts.rows[place];
      RunStory::Link& link = link_at(place);
      link.in = row[0];
      link.released = row[1];
      link.bytes = row[2];
      link.released_bytes.emplace_back(now, static_cast<double>(link.bytes));
      link.offered.emplace_back(now, static_cast<double>(link.in));
      link.delivered.emplace_back(now, static_cast<double>(link.released));
      for (std::size_t i = kCounterNames.size(); i < row.size(); ++i) {
        if (row[i] > 0) {
          link.dropped[layout_.reasons.at(i - kCounterNames.size())] = row[i];
        }
      }
    }
  }

  void verdicts(Nanoseconds at, const std::vector<Verdict>&) override { seconds(at); }

  void said(Nanoseconds at, const std::string& topic, const nlohmann::json& json) override {
    const double now = seconds(at);
    if (topic == kRunTopic) {
      story_.run = json;
    } else if (topic == kTotalsTopic) {
      story_.totals = json.at("totals");
      story_.bytes_released.emplace_back(now, story_.totals.at("bytes_released").get<double>());
    } else if (topic == kPositionsTopic) {
      for (const auto& [robot, place] : json.at("robots").items()) {
        tracks_[robot].emplace_back(place.at("x").get<double>(), place.at("y").get<double>());
      }
    } else if (topic == kLogTopic) {
      story_.events.push_back({now, json.value("level", "info"), json.value("text", "")});
    } else if (topic == kChangesTopic) {
      std::string text;
      for (const auto& value : json.value("values", nlohmann::json::array())) {
        text += (text.empty() ? "" : "  ") + value.get<std::string>();
      }
      story_.events.push_back({now, json.value("what", "change"), text});
    } else if (topic == kMissedTopic) {
      story_.events.push_back(
          {now, "missed", "messages that the record has not, so far: " + json.at("messages").dump()});
    } else if (topic == kEndTopic) {
      story_.events.push_back({now, "end", json.value("why", "")});
    }
  }

  void finish() {
    for (auto& [name, link] : links_) {
      if (link.in > 0) {
        story_.links.push_back(std::move(link));
      }
    }
    std::ranges::stable_sort(story_.links, std::ranges::greater{}, &RunStory::Link::in);
    for (auto& [name, track] : tracks_) {
      story_.tracks.emplace_back(name, std::move(track));
    }
  }

 private:
  double seconds(Nanoseconds at) {
    first_ = first_.count() == 0 ? at : first_;
    const double now = seconds_of(at - first_);
    story_.seconds = std::max(story_.seconds, now);
    return now;
  }
  RunStory::Link& link_at(std::size_t place) {
    RunStory::Link*& link = numbers_.at(place);
    if (link == nullptr) {
      const std::string name = layout_.link_name(place);
      link = &links_[name];
      link->name = name;
    }
    return *link;
  }

  RunStory& story_;
  Nanoseconds first_{0};
  RunLayout layout_;
  std::map<std::string, RunStory::Link> links_;
  std::vector<RunStory::Link*> numbers_;  // by position in the layout
  std::map<std::string, RunStory::Series> tracks_;
};

}  // namespace

std::uint64_t RunStory::Link::dropped_total() const {
  std::uint64_t sum = 0;
  for (const auto& [reason, count] : dropped) {
    sum += count;
  }
  return sum;
}

RunStory RunStory::of(const std::filesystem::path& record) {
  RunStory story;
  story.record = record.string();
  StoryTeller teller(story);
  story.end = read_record(record, teller);
  teller.finish();
  return story;
}

std::string RunStory::said(const char* key) const {
  if (!run.is_object() || !run.contains(key)) {
    return {};
  }
  return run.at(key).is_string() ? run.at(key).get<std::string>() : run.at(key).dump();
}

std::uint64_t RunStory::total(const char* key) const {
  return totals.is_object() ? totals.value(key, std::uint64_t{0}) : 0;
}

RunStory::Series rate_of(const RunStory::Series& sum, std::size_t points) {
  RunStory::Series rates;
  const double span = sum.empty() ? 0 : sum.back().first / static_cast<double>(points);
  std::pair<double, double> before{0, 0};
  for (const auto& [at, value] : sum) {
    if (at - before.first >= std::max(span, 0.2)) {
      rates.emplace_back((at + before.first) / 2, (value - before.second) / (at - before.first));
      before = {at, value};
    }
  }
  return rates;
}

}  // namespace hilgate
