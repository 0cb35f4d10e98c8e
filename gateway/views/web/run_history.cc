// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/run_history.h"

#include <utility>

namespace hilgate {
namespace {

using namespace std::chrono_literals;
constexpr auto kHistoryInterval = 950ms;  // of a second, as timers have it
constexpr auto kHistorySpan = 10min;
constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;
constexpr std::size_t kTextBytes = std::size_t{8} << 20;

}  // namespace

void RunHistory::add(Time at, Text report) {
  if (!reports_.empty() && at - reports_.back().at < kHistoryInterval) {
    return;
  }
  all_.reset();
  bytes_ += report->size();
  reports_.push_back({at, std::move(report)});
  while (at - reports_.front().at > kHistorySpan || (bytes_ > kHistoryBytes && reports_.size() > 1)) {
    bytes_ -= reports_.front().text->size();
    reports_.pop_front();
  }
}

RunHistory::Text RunHistory::text() const {
  if (!all_) {
    const std::size_t step = bytes_ / kTextBytes + 1;
    std::string text;
    for (std::size_t i = (reports_.size() + step - 1) % step; i < reports_.size(); i += step) {
      text += *reports_[i].text;
      text += '\n';
    }
    all_ = std::make_shared<const std::string>(std::move(text));
  }
  return all_;
}

}  // namespace hilgate
