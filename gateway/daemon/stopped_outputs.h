// SPDX-License-Identifier: Apache-2.0
// Outputs that a configuration requires in addition to the traffic, and that are not running.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/capture/captures.h"
#include "gateway/run/conditions/found_conditions.h"
#include "gateway/run/recorder/recorder.h"
#include "gateway/run/time/time_server.h"
#include "gateway/status/model/peer_status.h"
#include "host/companion/companion_process.h"

namespace hilgate {

/// All outputs of a run. They outlive this.
struct RunOutputs {
  const Recorder& recorder;
  const Captures& captures;
  const TimeServer& time_server;
  std::vector<CompanionProcess*> companions;
  std::function<FoxgloveStatus()> foxglove;  // empty without
};

/// Each that has ended or does not work at present. Control thread.
std::vector<StoppedOutput> stopped_outputs(const RunOutputs& outputs);

/// When the run is over: what is incomplete of what its file asks for, "FILE: what" each.
std::vector<std::string> incomplete_outputs(const Configuration& configuration, const RunOutputs& outputs);

}  // namespace hilgate
