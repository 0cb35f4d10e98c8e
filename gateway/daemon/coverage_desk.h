// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <list>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_server.h"
#include "host/background_work.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {

/// Computes where a robot's or access point's radio is received, by the models of the run, in the background and with
/// the lowest priority: one question at a time, and a new one ends the one before. Control thread.
class CoverageDesk {
 public:
  CoverageDesk(asio::io_context& context, BackgroundWork background);
  ~CoverageDesk();
  CoverageDesk(const CoverageDesk&) = delete;
  CoverageDesk& operator=(const CoverageDesk&) = delete;

  /// {"from": NAME, "position_m": [x, y, z], "height_m": of the receiver above ground, "west_m", "south_m", "cell_m",
  /// "columns", "rows"}, at most 10 000 cells. The result repeats these, with `snr_db` and `frame_loss` of each cell,
  /// row by row from the south; null where the radio is out of reach. Throws std::exception with what is wrong.
  void ask(const Configuration& configuration, std::shared_ptr<const SurveyedFloors> floors,
           const nlohmann::json& request, ControlServer::Answer answer);

 private:
  struct Job;
  void finish(const std::shared_ptr<Job>& job);

  asio::io_context& context_;
  BackgroundWork background_;
  std::list<std::shared_ptr<Job>> jobs_;  // the last one alone was not stopped
};

}  // namespace hilgate
