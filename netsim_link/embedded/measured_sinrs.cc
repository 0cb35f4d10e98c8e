// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/measured_sinrs.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace hilgate {

void MeasuredSinrs::add(LinkIndex link, std::size_t links, std::shared_ptr<const TraceSchedule> trace,
                        const std::array<Decibels, 16>& by_cqi) {
  sinr_db_.resize(links, std::numeric_limits<double>::quiet_NaN());
  std::erase_if(traces_, [link](const LinkTrace& other) { return other.link == link.value(); });
  traces_.push_back({link.value(), std::move(trace), by_cqi});
}

double MeasuredSinrs::sinr_db(LinkTrace& trace, Nanoseconds since_start) {
  if (since_start >= trace.schedule->clear_from()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const TraceEntry now = trace.schedule->at(since_start, trace.hint);
  return trace.schedule->has_cqi() ? trace.by_cqi[now.cqi].value : now.sinr_db;
}

void MeasuredSinrs::play(SimTime at) {
  const Nanoseconds since_start = std::max(at.time_since_epoch(), Nanoseconds{0});
  for (LinkTrace& trace : traces_) {
    sinr_db_[trace.link] = sinr_db(trace, since_start);
  }
}

}  // namespace hilgate
