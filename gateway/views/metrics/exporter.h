// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hilgate {

struct MetricsOptions {
  std::string listen = "127.0.0.1:9477";  // address and port; port 0: any
  std::vector<std::string> runs;          // none: all that run on this machine
  std::size_t most_links = 4096;          // of a run; more are left out
  bool insecure = false;                  // the address may be one that other machines reach
  bool once = false;                      // print them, and be done
};

/// `hilgate metrics`: exports the `status` of this machine's gateways to Prometheus until SIGINT or SIGTERM.
/// Returns the exit status. Throws std::runtime_error when it cannot listen.
int metrics_command(const MetricsOptions& options);

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
