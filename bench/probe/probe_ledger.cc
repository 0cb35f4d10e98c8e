// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe_ledger.h"

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>

namespace hilgate {

bool ProbeLedger::arrived(std::uint64_t sequence, HostTime now) {
  if (sequence >= plan_.count) {
    throw std::invalid_argument(fmt::format("probe {} of a run of {}", sequence, plan_.count));
  }
  if (sequence < settled_ || plan_.due(sequence) > now) {
    ++ignored_count_;
    return false;
  }
  const auto place = static_cast<std::size_t>(sequence - settled_);
  if (place < here_.size() && here_[place]) {
    ++ignored_count_;
    return false;
  }
  if (place >= here_.size()) {
    here_.resize(place + 1, false);
  }
  here_[place] = true;
  ++arrived_count_;
  settle_arrived();
  return true;
}

void ProbeLedger::settle(HostTime now, const std::function<void(std::uint64_t)>& lost) {
  while (!complete() && plan_.due(settled_) + grace_ <= now) {
    if (!here_.empty()) {
      here_.pop_front();
    }
    lost(settled_++);
    ++lost_count_;
    settle_arrived();
  }
}

void ProbeLedger::settle_arrived() {
  while (!here_.empty() && here_.front()) {
    here_.pop_front();
    ++settled_;
  }
}

}  // namespace hilgate
