// SPDX-License-Identifier: Apache-2.0
#include "gateway/radio_log/radio_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/config_file.h"
#include "frame/drop_reason.h"
#include "gateway/record/record_reader.h"

namespace hilgate {
namespace {

/// Losses that follow from the level: not those of queues, rules and other stations.
constexpr std::array kByLevel = {DropReason::kUnreachable, DropReason::kLostOnAir, DropReason::kRetriesSpent,
                                 DropReason::kHeaderHit};

/// One link, by its name over all layouts.
struct LinkRows {
  std::vector<MeasuredRow> rows;
  std::optional<Vec3> last_from{}, last_to{};
};

/// A link of the layout at hand.
struct LinkNow {
  std::string from{}, to{};
  double level_sum = 0;  // dB, of the tables since the last counts
  std::size_t levels = 0;
  std::optional<double> level{};                             // of the last table
  std::optional<std::uint64_t> released{}, lost{}, bytes{};  // as counted last
};

class LinkCollector final : public RecordVisitor {
 public:
  LinkCollector(bool is_snr, std::string link) : is_snr_(is_snr), link_(std::move(link)) {}

  void layout(Nanoseconds, const RunLayout& layout) override;
  void links(Nanoseconds, const Links& links) override;
  void counts(Nanoseconds at, const Counts& counts) override;
  void verdicts(Nanoseconds, const std::vector<Verdict>&) override {}
  void said(Nanoseconds, const std::string& topic, const nlohmann::json& json) override;

  MeasuredLog finish(const std::string& file, const McapEnd& end);

 private:
  [[nodiscard]] bool uses(const LinkNow& link) const {
    return link.from != link.to && (link_.empty() || link_ == link.from + ">" + link.to);
  }
  void add_row(Nanoseconds at, LinkNow& link, const LinkCountsRow* counts);
  void count(LinkNow& link, const LinkCountsRow& counts, MeasuredRow& row) const;

  bool is_snr_;
  std::string link_;
  std::vector<LinkNow> now_;           // by the layout's link
  std::vector<std::size_t> by_level_;  // indices of counters
  std::map<std::string, Vec3> places_;
  std::map<std::string, LinkRows> all_;
  std::optional<Nanoseconds> first_{};
  std::size_t without_place_ = 0, without_radio_ = 0;
};

void LinkCollector::layout(Nanoseconds, const RunLayout& layout) {
  now_.assign(layout.ends.size() * layout.ends.size(), {});
  for (std::size_t link = 0; link < now_.size(); ++link) {
    now_[link].from = layout.ends[link / layout.ends.size()];
    now_[link].to = layout.ends[link % layout.ends.size()];
  }
  by_level_.clear();
  for (const DropReason reason : kByLevel) {
    const auto found = std::ranges::find(layout.reasons, name(reason));
    if (found != layout.reasons.end()) {
      by_level_.push_back(kCounterNames.size() + static_cast<std::size_t>(found - layout.reasons.begin()));
    }
  }
}

void LinkCollector::links(Nanoseconds, const Links& links) {
  for (const std::size_t changed : links.changed) {
    const LinkState& state = links.table.links[changed];
    LinkNow& link = now_.at(changed);
    const bool has_radio = state.rssi_dbm != 0 || state.snr_db != 0;
    link.level = has_radio ? std::optional(static_cast<double>(is_snr_ ? state.snr_db : state.rssi_dbm)) : std::nullopt;
  }
  for (LinkNow& link : now_) {
    link.level_sum += link.level.value_or(0);
    link.levels += link.level ? 1 : 0;
  }
}

void LinkCollector::counts(Nanoseconds at, const Counts& counts) {
  for (std::size_t link = 0; link < now_.size(); ++link) {
    if (uses(now_[link])) {
      add_row(at, now_[link], link < counts.rows.size() ? &counts.rows[link] : nullptr);
    }
    now_[link].level_sum = 0;
    now_[link].levels = 0;
  }
}

void LinkCollector::count(LinkNow& link, const LinkCountsRow& counts, MeasuredRow& row) const {
  constexpr std::size_t kReleased = 1, kBytes = 2;  // of kCounterNames
  std::uint64_t lost = 0;
  for (const std::size_t reason : by_level_) {
    lost += reason < counts.size() ? counts[reason] : 0;
  }
  const std::uint64_t released = counts.at(kReleased);
  const std::uint64_t bytes = counts.at(kBytes);
  if (link.released && released >= *link.released && lost >= *link.lost && bytes >= *link.bytes) {
    const std::uint64_t lost_now = lost - *link.lost;
    row.tally = {released - *link.released + lost_now, lost_now};
    row.rate_bps = 8 * static_cast<double>(bytes - *link.bytes);
  }
  link.released = released;
  link.lost = lost;
  link.bytes = bytes;
}

void LinkCollector::add_row(Nanoseconds at, LinkNow& link, const LinkCountsRow* counts) {
  MeasuredRow row{.pair = {}};
  if (counts != nullptr) {
    count(link, *counts, row);
  }
  const auto from = places_.find(link.from);
  const auto to = places_.find(link.to);
  if (from == places_.end() || to == places_.end()) {
    ++without_place_;
    return;
  }
  if (link.levels == 0) {
    ++without_radio_;
    return;
  }
  const Vec3 &a = from->second, &b = to->second;
  const auto moved = [](const std::optional<Vec3>& before, const Vec3& now) {
    return before ? distance_m(now, *before) : 0;
  };
  LinkRows& path = all_[link.from + ">" + link.to];
  const Nanoseconds first = first_ ? *first_ : first_.emplace(at);
  row.time_s = std::chrono::duration<double>(at - first).count();
  row.pair =
      pair_between(std::hypot(a.x - b.x, a.y - b.y), std::max(a.z, kLowestAntenna), std::max(b.z, kLowestAntenna));
  row.moved_m = (path.rows.empty() ? 0 : path.rows.back().moved_m) + moved(path.last_from, a) + moved(path.last_to, b);
  row.level_db = link.level_sum / static_cast<double>(link.levels);
  path.last_from = a;
  path.last_to = b;
  path.rows.push_back(row);
}

void LinkCollector::said(Nanoseconds, const std::string& topic, const nlohmann::json& json) {
  if (topic == kPositionsTopic) {
    for (const auto& [robot, place] : json.at("robots").items()) {
      places_[robot] = {place.at("x").get<double>(), place.at("y").get<double>(), place.at("z").get<double>()};
    }
  }
}

MeasuredLog LinkCollector::finish(const std::string& file, const McapEnd& end) {
  std::string names;
  for (const LinkNow& link : now_) {
    if (link.from != link.to) {
      names += (names.empty() ? "" : ", ") + link.from + ">" + link.to;
    }
  }
  if (!link_.empty() && std::ranges::none_of(now_, [this](const LinkNow& link) { return uses(link); })) {
    throw ConfigError({{file, 0, "", fmt::format("has no link '{}'; it has {}", link_, names)}});
  }
  if (all_.empty()) {
    throw ConfigError(
        {{file, 0, "",
          fmt::format("has no second with the positions and the level of a link: {} without a position, {} "
                      "without a radio",
                      without_place_, without_radio_)}});
  }
  MeasuredLog out{.rows = {},
                  .is_snr = is_snr_,
                  .has_heights = true,
                  .has_positions = true,
                  .has_times = true,
                  .paths = all_.size(),
                  .after_tries = true,
                  .row_name = "second"};
  std::size_t path = 0;
  for (auto& [link, of] : all_) {
    for (MeasuredRow& row : of.rows) {
      row.line = static_cast<int>(std::lround(row.time_s));
      row.path = path;
      out.rows.push_back(row);
    }
    ++path;
  }
  out.notes.push_back(
      fmt::format("record of a run: {} links; the level is the mean {} of the states of a second, as the run's radio "
                  "models gave it; lost is what errors took or was out of reach, after all tries",
                  all_.size(), is_snr_ ? "SNR" : "power"));
  if (without_place_ + without_radio_ > 0) {
    out.notes.push_back(fmt::format("left out: {} seconds of links without positions of both ends, {} without a radio",
                                    without_place_, without_radio_));
  }
  if (!end.whole) {
    out.notes.push_back(fmt::format("the record {}", end.text()));
  }
  return out;
}

}  // namespace

MeasuredLog recorded_rows(const RadioLogOptions& options) {
  const RadioValue value = options.value.value_or(RadioValue::kRssi);
  if (value != RadioValue::kRssi && value != RadioValue::kSnr) {
    throw ConfigError({{options.log, 0, "",
                        "is a record, whose links have rssi and snr; --use remrssi and remsnr are of "
                        "RADIO_STATUS"}});
  }
  LinkCollector collector(value == RadioValue::kSnr, options.link);
  const McapEnd end = read_record(options.log, collector);
  return collector.finish(options.log, end);
}

}  // namespace hilgate
