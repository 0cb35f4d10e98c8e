// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hilgate {

/// A run, as Prometheus is told of it.
struct RunReport {
  std::string run;
  nlohmann::ordered_json status;  // null: it does not answer
};

/// The families of kMetricSources for all runs, each sample with the label `run`; without samples of what a status does
/// not have. Where a run has more than `most_links` links, none of them is told, and hilgate_links_left_out says how
/// many there are.
std::vector<prometheus::MetricFamily> metrics_of(const std::vector<RunReport>& runs, std::size_t most_links);

}  // namespace hilgate
