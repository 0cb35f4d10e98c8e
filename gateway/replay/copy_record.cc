// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/copy_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gateway/status/status_report.h"

namespace hilgate {
namespace {

constexpr Nanoseconds kUsualEvery{10'000'000};      // of a configuration that has no record
constexpr Nanoseconds kCountsEvery{1'000'000'000};  // as of a running gateway

}  // namespace

CopyRecord::CopyRecord(const RunSources& sources, const AirPlan& air, const RunIdentity& identity,
                       const std::filesystem::path& folder, Nanoseconds utc)
    : configuration_(sources.configuration),
      utc_(utc),
      every_(configuration_.record ? configuration_.record->every : kUsualEvery) {
  keep_sources(sources, folder);
  writer_ = std::make_unique<RecordWriter>(folder / kRecordFile, identity.version, state_);
  put(RecordTopic::kRun, {}, run_document(sources, identity, utc));
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
      {{"sim_s", seconds_of(at.time_since_epoch())}, {"window", window}, {"totals", totals_status(path.totals(), {})}});
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
  writer_->put(topic, time(at), json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace hilgate
