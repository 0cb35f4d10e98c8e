// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hilgate {

/// A run as exported to Prometheus.
struct RunReport {
  std::string run;
  nlohmann::ordered_json status;  // null: it does not answer
};

/// The families of kMetricSources for all runs, each sample with the label `run`; a status without a key gives no
/// sample for it. For a run with more than `most_links` links, no link is exported and hilgate_links_left_out counts
/// them.
std::vector<prometheus::MetricFamily> metrics_of(const std::vector<RunReport>& runs, std::size_t most_links);

}  // namespace hilgate
