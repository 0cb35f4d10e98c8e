// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/stopped_outputs.h"

#include <fmt/format.h>

#include <utility>

namespace hilgate {
namespace {

void add_file(const char* name, std::string problem, std::vector<StoppedOutput>& stopped) {
  if (!problem.empty()) {
    stopped.push_back(
        {.name = name,
         .why = std::move(problem),
         .remedy = fmt::format("the {} has ended and is incomplete, traffic continues; make room for it and "
                               "start the run again",
                               name),
         .is_logged = false});
  }
}

}  // namespace

std::vector<StoppedOutput> stopped_outputs(const RunOutputs& outputs) {
  std::vector<StoppedOutput> stopped;
  add_file("record", outputs.recorder.problem(), stopped);
  add_file("capture", outputs.captures.problem(), stopped);
  for (CompanionProcess* const companion : outputs.companions) {
    if (std::string problem = companion->problem(); !problem.empty()) {
      stopped.push_back(
          {.name = companion->name(), .why = std::move(problem), .remedy = "traffic continues; the log has the cause"});
    }
  }
  for (const auto& port : outputs.time_server.ports()) {
    if (!port->problem.empty()) {
      stopped.push_back({.name = "ptp on " + port->name,
                         .why = "serves no time: " + port->problem,
                         .remedy = "it is served from when the interface can",
                         .is_logged = false});
    }
  }
  return stopped;
}

std::vector<std::string> incomplete_outputs(const Configuration& configuration, const RunOutputs& outputs) {
  std::vector<std::string> incomplete;
  for (const StoppedOutput& output : stopped_outputs(outputs)) {
    incomplete.push_back(fmt::format("{}: {}: {}", configuration.file.string(), output.name, output.why));
  }
  return incomplete;
}

}  // namespace hilgate
