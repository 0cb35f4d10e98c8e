// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "path/data_plane.h"
#include "path/ports/port_plan.h"
#include "serial/serial_io.h"
#include "serial/serial_port.h"
#include "xdp/umem.h"

namespace hilgate {

/// The serial lines of a run, with the thread that reads and writes them. Control thread, but for the ports themselves.
class SerialPorts {
 public:
  /// `pool_of(core)`: the memory of the frames. Throws std::runtime_error when a pseudo-terminal cannot be made; a
  /// device may come later.
  SerialPorts(const Configuration& configuration, const PortPlan& plan, const TscClock& clock,
              const std::function<Umem&(std::size_t)>& pool_of);

  SerialPort<Umem>& port(PortSlot slot) { return *ends_[slot.value()]->port; }
  [[nodiscard]] PortReport report(PortSlot slot) const;
  [[nodiscard]] std::uint8_t free_percent(PortSlot slot) const { return ends_[slot.value()]->line->free_percent(); }
  /// Adds those whose other end was opened or closed since the last call.
  void add_changes(std::vector<PortChange>& news);

 private:
  struct End {
    End(LoopWaker& waker, const PortConfig& port_config) : config(port_config), exchange(waker) {}
    PortConfig config;
    std::string path;  // for people: the link, or the device
    SerialExchange exchange;
    std::unique_ptr<SerialPort<Umem>> port;
    const SerialLine* line = nullptr;
    std::string problem;  // as last reported
  };

  LoopWaker waker_;
  std::vector<std::unique_ptr<End>> ends_;  // by PortSlot; null: another kind of port
  SerialIo io_;
};

}  // namespace hilgate
