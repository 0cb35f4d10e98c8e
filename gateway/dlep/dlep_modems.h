// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/dlep/dlep_modem.h"
#include "gateway/run/conditions/conditions.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/status/model/peer_status.h"
#include "host/control_clock.h"

namespace hilgate {

/// The modems of all robots at this gateway's ports that have `dlep`. They live in host time, as routers do. Control
/// thread.
class DlepModems {
 public:
  /// All of these are the running gateway's own, and change with it.
  struct Gateway {
    const Configuration& configuration;
    const Simulation& simulation;
    const Windows& windows;
    const TscClock& clock;
  };

  DlepModems(asio::io_context& context, const Gateway& gateway);
  ~DlepModems();
  DlepModems(const DlepModems&) = delete;
  DlepModems& operator=(const DlepModems&) = delete;

  void start();
  /// The configuration has changed: modems whose `dlep` is another end their sessions and begin anew, others continue.
  void changed();
  /// Nothing where no robot has `dlep`.
  [[nodiscard]] std::optional<std::vector<DlepStatus>> status() const;
  /// Modems without an interface or without a session.
  void find_conditions(std::vector<Condition>& found) const;

 private:
  void tick();
  void arrange();
  [[nodiscard]] std::shared_ptr<DlepModem> make(const std::string& robot, const DlepConfig& config);

  asio::io_context& context_;
  Gateway gateway_;
  ControlTimer timer_;
  bool started_ = false;
  bool ticks_ = false;
  std::vector<std::shared_ptr<DlepModem>> modems_;
};

}  // namespace hilgate
