// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/plain_text.h"
#include "gateway/record/record_reader.h"
#include "gateway/views/report/chart.h"

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

namespace {

constexpr std::size_t kMostLines = 8;     // of a chart
constexpr std::size_t kMostEvents = 500;  // of a list
constexpr std::size_t kMostLinks = 64;    // of a table
constexpr std::size_t kPoints = 480;      // of a line

std::string percent(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? "–" : fmt::format("{:.2f} %", 100 * static_cast<double>(part) / static_cast<double>(all));
}

std::string causes_of(const nlohmann::json& dropped) {
  std::string text;
  for (const auto& [reason, count] : dropped.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count.dump());
  }
  return text.empty() ? "none" : escaped(text);
}

/// Deliveries of the run by drop reason.
nlohmann::json dropped_of(const RunStory& run) {
  return run.totals.is_object() ? run.totals.value("dropped", nlohmann::json::object()) : nlohmann::json::object();
}

RunStory::Series scaled(RunStory::Series series, double factor) {
  for (auto& [at, value] : series) {
    value *= factor;
  }
  return series;
}

double mean_rate(const RunStory& run) {
  return run.seconds > 0 ? static_cast<double>(run.total("bytes_released")) * 8e-6 / run.seconds : 0;
}

std::string comparison(const std::vector<RunStory>& runs) {
  std::string rows = row_of({"run", "version", "seed", "began", "length, s", "in", "out", "dropped", "share dropped",
                             "released, Mbit/s", "by cause"},
                            "th");
  Chart rates{.y_label = "released, Mbit/s"};
  for (const RunStory& run : runs) {
    rows += row_of({escaped(run.said("run")), escaped(run.said("hilgate")), escaped(run.said("seed")),
                    escaped(run.said("began")), fmt::format("{:.1f}", run.seconds), std::to_string(run.total("in")),
                    std::to_string(run.total("out")), std::to_string(run.total("dropped_total")),
                    percent(run.total("dropped_total"), run.total("in")), fmt::format("{:.3f}", mean_rate(run)),
                    causes_of(dropped_of(run))});
    rates.lines.push_back(
        {run.said("run") + " " + run.said("began"), scaled(rate_of(run.bytes_released, kPoints), 8e-6)});
    rates.most = std::max(rates.most, run.seconds);
  }
  std::string html = section_of("Runs", "", "<div class=\"table\"><table>" + rows + "</table></div>");
  if (runs.size() > 1) {
    html += section_of("Rate of all links together", "", chart_svg(rates));
  }
  return html;
}

std::vector<ChartMark> marks_of(const RunStory& run) {
  std::vector<ChartMark> marks;
  for (const RunStory::Event& event : run.events) {
    if (event.what != "info" && event.what != "debug" && marks.size() < kMostEvents) {
      marks.push_back({event.at, event.what + " " + event.text});
    }
  }
  return marks;
}

/// The share of what was offered between two points that was not delivered there, in percent.
RunStory::Series loss_over_time(const RunStory::Link& link) {
  RunStory::Series loss;
  const RunStory::Series offered = rate_of(link.offered, kPoints);
  const RunStory::Series delivered = rate_of(link.delivered, kPoints);
  for (std::size_t i = 0; i < std::min(offered.size(), delivered.size()); ++i) {
    if (offered[i].second > 0) {
      loss.emplace_back(offered[i].first, std::clamp(100 * (1 - delivered[i].second / offered[i].second), 0.0, 100.0));
    }
  }
  return loss;
}

template <class Values>
std::string chart_of(const RunStory& run, const std::string& label, Values values) {
  Chart chart{.y_label = label, .marks = marks_of(run), .most = run.seconds};
  for (const RunStory::Link& link : run.links) {
    if (RunStory::Series series = values(link); !series.empty() && chart.lines.size() < kMostLines) {
      chart.lines.push_back({link.name, std::move(series)});
    }
  }
  return chart.lines.empty() ? std::string() : chart_svg(chart);
}

std::string links_of(const RunStory& run) {
  std::string rows = row_of({"link", "in", "released", "dropped", "share dropped", "bytes released", "by cause"}, "th");
  for (std::size_t i = 0; i < std::min(run.links.size(), kMostLinks); ++i) {
    const RunStory::Link& link = run.links[i];
    rows += row_of({escaped(link.name), std::to_string(link.in), std::to_string(link.released),
                    std::to_string(link.dropped_total()), percent(link.dropped_total(), link.in),
                    std::to_string(link.bytes), causes_of(link.dropped)});
  }
  return "<div class=\"table\"><table>" + rows + "</table></div>" +
         (run.links.size() > kMostLinks ? fmt::format("<p>and {} more</p>", run.links.size() - kMostLinks) : "");
}

std::string causes_chart(const RunStory& run) {
  std::vector<ChartBar> bars;
  const nlohmann::json dropped = dropped_of(run);
  for (const auto& [reason, count] : dropped.items()) {
    const auto deliveries = count.get<std::uint64_t>();
    bars.push_back({reason, static_cast<double>(deliveries),
                    fmt::format("{} ({})", deliveries, percent(deliveries, run.total("in")))});
  }
  std::ranges::stable_sort(bars, std::ranges::greater{}, &ChartBar::value);
  return bars.empty() ? std::string() : bars_svg(bars);
}

std::string events_of(const RunStory& run) {
  std::string rows = row_of({"time, s", "what", ""}, "th");
  for (std::size_t i = 0; i < std::min(run.events.size(), kMostEvents); ++i) {
    const RunStory::Event& event = run.events[i];
    rows += row_of({fmt::format("{:.3f}", event.at), fmt::format("<span class=\"{0}\">{0}</span>", escaped(event.what)),
                    escaped(event.text)});
  }
  return "<div class=\"table\"><table>" + rows + "</table></div>" +
         (run.events.size() > kMostEvents ? fmt::format("<p>and {} more</p>", run.events.size() - kMostEvents) : "");
}

std::string map_of(const RunStory& run) {
  std::vector<ChartLine> tracks;
  for (const auto& [name, track] : run.tracks) {
    tracks.push_back({name, track});
  }
  return map_svg(tracks);
}

std::string story_of(const RunStory& run) {
  const std::string end =
      run.end.whole ? "" : fmt::format("The record has no end; it is read up to byte {}.", run.end.offset);
  return fmt::format("<h2>{} <small>{}</small></h2><p class=\"no\">{}</p>\n", escaped(run.said("run")),
                     escaped(run.said("began")), escaped(end)) +
         section_of("Loss by cause", "Deliveries that were dropped, of those that came in.", causes_chart(run)) +
         section_of("Links", "", run.links.empty() ? "" : links_of(run)) +
         section_of(
             "Rate", "Of the links with most frames. Dashed lines: changes and warnings.",
             chart_of(run, "released, Mbit/s",
                      [](const RunStory::Link& link) { return scaled(rate_of(link.released_bytes, kPoints), 8e-6); })) +
         section_of("Loss", "Share of deliveries that came in and did not leave in the same interval.",
                    chart_of(run, "not delivered, %", loss_over_time)) +
         section_of("Signal to noise", "Of the same links, as the radio models or the network simulator say.",
                    chart_of(run, "SNR, dB", [](const RunStory::Link& link) { return link.snr_db; })) +
         section_of("Delay of the links", "What link tables say: propagation and fixed latency, without queues.",
                    chart_of(run, "delay, us", [](const RunStory::Link& link) { return link.delay_us; })) +
         section_of("Map", "Ways of the robots, x to the right and y up; dots are where they end.", map_of(run)) +
         section_of("Events", "", events_of(run));
}

}  // namespace

std::string report_page(const std::vector<RunStory>& runs) {
  std::string names;
  std::string body;
  for (const RunStory& run : runs) {
    names += (names.empty() ? "" : ", ") + run.said("run");
    body += story_of(run);
  }
  return page_of(names, comparison(runs) + body);
}

}  // namespace hilgate
