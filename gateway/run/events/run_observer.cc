// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/events/run_observer.h"

#include <nlohmann/json.hpp>

namespace hilgate {

void RunObservers::window_began(SimTime from) {
  for (RunObserver& observer : observers_) {
    observer.window_began(from);
  }
}

void RunObservers::table_made(const LinkTable& table) {
  for (RunObserver& observer : observers_) {
    observer.table_made(table);
  }
}

void RunObservers::table_published(SimTime at) {
  for (RunObserver& observer : observers_) {
    observer.table_published(at);
  }
}

void RunObservers::verdicts(std::span<const Verdict> verdicts) {
  for (RunObserver& observer : observers_) {
    observer.verdicts(verdicts);
  }
}

void RunObservers::station_came(const StationNews& news) {
  for (RunObserver& observer : observers_) {
    observer.station_came(news);
  }
}

void RunObservers::happened(std::string_view event, const nlohmann::ordered_json& fields) {
  for (RunObserver& observer : observers_) {
    observer.happened(event, fields);
  }
}

}  // namespace hilgate
