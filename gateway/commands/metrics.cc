// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/metrics/exporter.h"

#include "gateway/commands/command_line.h"

namespace hilgate {

void add_metrics(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("metrics", "Serve the state of running gateways to Prometheus");
  auto options = std::make_shared<MetricsOptions>();
  command->add_option("RUN", options->runs, "names of runs; all that run on this machine without");
  command->add_option("--listen", options->listen, "address and port; port 0: any")->capture_default_str();
  command->add_option("--links", options->most_links, "links of a run; those of a run with more are left out")
      ->capture_default_str();
  command->add_flag("--insecure", options->insecure, "the address may be one that other machines reach");
  command->add_flag("--once", options->once, "print the metrics and end");
  command->callback([&action, options] { action = [options] { return metrics_command(*options); }; });
}

}  // namespace hilgate
