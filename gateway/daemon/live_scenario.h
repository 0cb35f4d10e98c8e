// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/scenario/scenario_player.h"
#include "gateway/daemon/change.h"
#include "gateway/run/capture/captures.h"
#include "gateway/run/capture/delay_meter.h"
#include "gateway/run/events/run_observer.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/time/run_clock.h"
#include "gateway/status/model/scenario_status.h"
#include "host/control_clock.h"
#include "path/data_plane.h"

namespace hilgate {

/// The scenario of a running gateway: the run's own, which ends with it, or one that was requested while the run went
/// on. Its steps are changes as by `hilgate set`. Control thread.
class LiveScenario final : private ScenarioRun, public RunObserver {
 public:
  /// The gateway that it is played on; all of it outlives this.
  struct Run {
    RunningConfiguration& running;
    DataPlane& plane;
    Windows& windows;
    RunClock& clock;
    RunObserver& observers;
    Captures& captures;
    ConfigChange& change;
    std::function<void(bool stand)> pause;  // stops or continues simulation time
    std::function<void()> stop;             // ends the run
  };

  /// `played`: the run's own scenario up to where the run begins; absent: it begins with the run.
  LiveScenario(asio::io_context& context, std::optional<ScenarioPlayer> played, Run run);

  /// Before the packet loops run: the first frames are measured as well.
  void prepare();
  /// The packet loops run: steps can be carried out.
  void begin();
  /// The run is over: judges what is open of its own scenario.
  void end();
  /// {"text": YAML, "name": "cut.yaml"} starts a scenario at the run's present time, {"stop": true} ends it and takes
  /// back what its steps have changed. Throws ConfigError or std::runtime_error, and leaves all as it was.
  void handle(const nlohmann::json& request);
  /// How the run's own scenario failed, "FILE:LINE: what" each.
  [[nodiscard]] std::vector<std::string> failures() const;
  /// Nothing without a scenario.
  [[nodiscard]] std::optional<ScenarioStatus> status() const;

  void window_began(SimTime from) override;
  void table_published(SimTime at) override;
  void station_came(const StationNews& news) override;

 private:
  /// A scenario that was requested during the run.
  struct Requested {
    SimTime begin{};
    std::vector<std::string> before{};  // what stood under the keys that it has changed
  };

  void play(SimTime now);
  void start(const std::string& text, const std::string& name);
  void stop();
  void measure_delays(const Scenario& scenario);
  /// Keeps what stands under these keys, as it was before the requested scenario.
  void remember(const std::vector<std::string>& values);

  void set_values(const std::vector<std::string>& values) override;
  std::vector<std::string> standing(const std::vector<std::string>& values) override;
  void take_back(const std::vector<std::string>& before) override;
  void pause_for(Nanoseconds length) override;
  void marked(const std::string& mark, SimTime at) override;
  void settle() override;
  std::vector<LinkSample> links(const LinkChoice& choice) override;
  void measure_delay(std::size_t item, const LinkChoice& links) override;
  std::optional<DelaySample> measured_delay(std::size_t item, double share) override;
  void judged(const Expectation& expectation, const std::string& failure) override;

  Run run_;
  std::optional<ScenarioPlayer> player_;  // absent: there is no scenario
  std::optional<Requested> requested_;    // absent: the scenario, if any, is the run's own
  std::shared_ptr<DelayMeter> delays_;    // null: no expectation is about delays
  ControlTimer resume_timer_;             // of a pause by the scenario
};

}  // namespace hilgate
