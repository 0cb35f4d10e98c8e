// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/copy_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "clock/host_now.h"
#include "config/plain_text.h"
#include "gateway/replay/offline_path.h"
#include "gateway/replay/replayed_tables.h"
#include "gateway/run/capture/capture_names.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/status/status_report.h"

namespace hilgate {
namespace {

// Student's t at 0.975, by degrees of freedom from 1 on; beyond, M. Abramowitz, I. A. Stegun, "Handbook of Mathematical
// Functions", 26.7.5.
double student(std::size_t freedom) {
  constexpr std::array kSmall = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281};
  if (freedom <= kSmall.size()) {
    return kSmall[freedom - 1];
  }
  constexpr double kNormal = 1.959964;
  const auto n = static_cast<double>(freedom);
  const double cube = kNormal * kNormal * kNormal;
  const double fifth = cube * kNormal * kNormal;
  return kNormal + (cube + kNormal) / (4 * n) + (5 * fifth + 16 * cube + 3 * kNormal) / (96 * n * n);
}

}  // namespace

SampleInterval SampleInterval::of(std::span<const double> values, const Limits& limits) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) {
    return {mean, mean, mean};
  }
  const double squares = std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
  const double half = student(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return {mean, std::max(mean - half, limits.least), std::min(mean + half, limits.most)};
}

namespace {

constexpr Nanoseconds kUsualEvery{10'000'000};      // of a configuration that has no record
constexpr Nanoseconds kCountsEvery{1'000'000'000};  // as of a running gateway

}  // namespace

CopyRecord::CopyRecord(const RunSources& sources, const AirPlan& air, const RunIdentity& identity,
                       const std::filesystem::path& folder, Nanoseconds utc)
    : configuration_(sources.configuration),
      utc_(utc),
      every_(configuration_.record ? configuration_.record->every : kUsualEvery) {
  const auto kept = keep_sources(sources, folder);
  writer_ = std::make_unique<RecordWriter>(folder / kRecordFile, identity.version, state_);
  put(RecordTopic::kRun, {}, run_document(sources, identity, utc, kept));
  put(RecordTopic::kLayout, {}, layout_of(configuration_, air).json());
}

void CopyRecord::links(const LinkTable& table) {
  if (table.at >= next_links_) {
    next_links_ = table.at + every_;
    writer_->put(table, time(table.at));
  }
}

void CopyRecord::count(const OfflinePath& path, SimTime at, std::uint64_t window) {
  if (at >= next_counts_) {
    next_counts_ = at + kCountsEvery;
    put_counts(path, at, window);
  }
}

void CopyRecord::put_counts(const OfflinePath& path, SimTime at, std::uint64_t window) {
  put(RecordTopic::kTotals, at,
      {{"sim_s", seconds_of(at.time_since_epoch())},
       {"window", window},
       {"totals", to_json(totals_status(path.totals(), {}))}});
  const std::size_t ends = link_ends(configuration_);
  const std::size_t robots = configuration_.robots.size();
  writer_->put(RecordTopic::kCounts, time(at), counts_.encode(ends * ends, [&](std::size_t link) {
    const RobotIndex from{static_cast<std::uint32_t>(link / ends)};
    const RobotIndex to{static_cast<std::uint32_t>(link % ends)};
    const bool is_link = from.value() < robots && to.value() < robots && are_linked(configuration_, from, to);
    return is_link ? path.counts(from, to) : LinkCounts{};
  }));
}

void CopyRecord::end(const OfflinePath& path, SimTime at, std::uint64_t window) {
  put_counts(path, at, window);
  put(RecordTopic::kEnd, at, {{"why", ""}, {"status", nullptr}});
  writer_.reset();
  const std::scoped_lock lock(state_->mutex);
  if (!state_->problem.empty() || state_->missed > 0) {
    throw std::runtime_error(state_->problem.empty()
                                 ? fmt::format("its record misses {} messages; record less often: `record: {{every}}`",
                                               state_->missed.load())
                                 : state_->problem);
  }
}

void CopyRecord::put(RecordTopic topic, SimTime at, const nlohmann::ordered_json& json) {
  writer_->put(topic, time(at), json_line(json));
}

namespace {

constexpr Nanoseconds kLongestWay = std::chrono::hours(1);

// Where simulated time begins in path time: media have been idle for long then, as when a gateway starts.
constexpr Nanoseconds kBegin = std::chrono::seconds(1000);

HostTime on_path(SimTime at) {
  return HostTime{kBegin + at.time_since_epoch()};
}

/// How long deliveries took, by link.
class DelaySums {
 public:
  void hear(const FrameEvent& event) {
    if (event.what == FrameEvent::What::kCaptured || event.what == FrameEvent::What::kInjected) {
      arrivals_.push_back(event.at);  // frames are numbered from 1
    } else if (event.what == FrameEvent::What::kReleased && event.packet > 0 && event.packet <= arrivals_.size()) {
      Sum& sum = sums_[event.link];
      sum.all += event.at - arrivals_[event.packet - 1];
      ++sum.count;
    }
  }
  [[nodiscard]] double mean_ms(LinkSlot link) const {
    const auto found = sums_.find(link);
    return found == sums_.end() ? 0
                                : microseconds_of(found->second.all) / 1e3 / static_cast<double>(found->second.count);
  }

 private:
  struct Sum {
    Nanoseconds all{0};
    std::int64_t count = 0;
  };
  std::vector<HostTime> arrivals_;
  std::map<LinkSlot, Sum> sums_;
};

class Copy {
 public:
  Copy(const CopyPlan& plan, const RunIdentity& identity)
      : configuration_(plan.sources.configuration),
        simulation_(make_simulation(configuration_)),
        path_(
            configuration_, simulation_.air, [this](const FrameEvent& event) { hear(event); },
            plan.capture ? CaptureRequest::kWhole : 0) {
    const Nanoseconds utc = host_now().time_since_epoch() + utc_ahead_of_host();
    record_ = std::make_unique<CopyRecord>(plan.sources, simulation_.air, identity, plan.folder, utc);
    if (plan.capture) {
      // Times as the record has them: a replay takes up each table when it was written.
      capture_.emplace(std::make_shared<CaptureNames>(configuration_, path_.slots()), plan.folder / kCopyCapture,
                       utc - kBegin, on_path(SimTime{}));
    }
  }

  std::vector<CopyLink> run(FrameSource& frames) {
    take_table();
    for (SourceFrame frame; frames.next(frame);) {
      follow(frame.at);
      record_->count(path_, frame.at, window_of(frame.at));
      path_.arrive(frame.port, frame.bytes, frame.length, on_path(frame.at));
    }
    finish();
    const SimTime end = std::max(at_, SimTime{path_.now().time_since_epoch() - kBegin});
    record_->end(path_, end, window_of(end));
    if (capture_) {
      capture_->end(path_.now());
    }
    return links();
  }

 private:
  // Runs until no frame is in flight.
  void finish() {
    const HostTime longest = path_.now() + kLongestWay;
    for (HostTime due = path_.next_due(); due < longest; due = path_.next_due()) {
      if (next_table_ < SimTime::max() && on_path(next_table_) <= due) {
        follow(next_table_);
      } else {
        path_.settle(std::min(longest, next_table_ < SimTime::max() ? on_path(next_table_) : longest));
      }
    }
  }

  // The windows that begin until then.
  void follow(SimTime until) {
    while (next_table_ <= until) {
      at_ = next_table_;
      path_.run_until(on_path(at_));
      take_table();
    }
  }

  // Windows whose table would be the same are left out.
  void take_table() {
    LinkTable table = table_of_models(configuration_, simulation_, at_, on_path(at_));
    table.window = window_of(at_);
    record_->links(table);
    record_->count(path_, at_, table.window);
    path_.publish(table);
    const SimTime same =
        simulation_.netsim->changes_with_time() ? at_ : std::max(at_, simulation_.physics->still_until(at_));
    next_table_ = same == SimTime::max()
                      ? same
                      : SimTime{configuration_.window * (same.time_since_epoch() / configuration_.window + 1)};
  }

  [[nodiscard]] std::uint64_t window_of(SimTime at) const {
    return static_cast<std::uint64_t>(at.time_since_epoch() / configuration_.window);
  }

  void hear(const FrameEvent& event) {
    delays_.hear(event);
    if (capture_) {
      capture_->take(event);
    }
  }

  [[nodiscard]] std::vector<CopyLink> links() const {
    std::vector<CopyLink> links;
    const auto robots = static_cast<std::uint32_t>(configuration_.robots.size());
    for (std::uint32_t from = 0; from < robots; ++from) {
      for (std::uint32_t to = 0; to < robots; ++to) {
        const LinkCounts counts = path_.counts(RobotIndex{from}, RobotIndex{to});
        if (counts.deliveries > 0) {
          links.push_back({.from = configuration_.robots[from].name,
                           .to = configuration_.robots[to].name,
                           .deliveries = counts.deliveries,
                           .released = counts.released,
                           .delay_ms = delays_.mean_ms(path_.slots().link(RobotIndex{from}, RobotIndex{to}))});
        }
      }
    }
    return links;
  }

  const Configuration& configuration_;
  Simulation simulation_;
  DelaySums delays_;
  OfflinePath path_;
  std::unique_ptr<CopyRecord> record_;
  std::optional<OfflineCapture> capture_;
  SimTime at_{};          // where the window of the newest table begins
  SimTime next_table_{};  // where the next one does that may have another
};

}  // namespace

nlohmann::ordered_json CopyLink::json() const {
  return {{"from", from}, {"to", to}, {"in", deliveries}, {"released", released}, {"delay_ms", delay_ms}};
}

CopyLink CopyLink::of(const nlohmann::ordered_json& json) {
  return {.from = json.at("from"),
          .to = json.at("to"),
          .deliveries = json.at("in"),
          .released = json.at("released"),
          .delay_ms = json.at("delay_ms")};
}

void check_copy(const Configuration& configuration) {
  if (configuration.external_physics.index() != 0 || external_netsim(configuration) != nullptr ||
      configuration.vehicles) {
    throw std::runtime_error(
        "copies of a run have no simulators in other processes and no vehicles that say where they are; use physics of "
        "the type trajectory, and the netsim embedded, wire or trace");
  }
}

std::vector<CopyLink> run_copy(const CopyPlan& plan, FrameSource& frames, const RunIdentity& identity) {
  return Copy(plan, identity).run(frames);
}

}  // namespace hilgate
