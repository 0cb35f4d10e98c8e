// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/simulators/sim.h"

#include <csignal>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <asio/signal_set.hpp>

#include "gateway/commands/simulators/simulator_ends.h"
#include "host/log/log.h"
#include "netsim_link/connection/network_codec.h"
#include "netsim_link/scripted_network.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/simulator_server.h"
#include "physics_link/scripted_physics.h"

namespace hilgate {
namespace {

// A simulator and the socket it serves, until the coordinator goes.
class Sim {
 public:
  Sim(asio::io_context& io, const SimOptions& options)
      : io_(io),
        options_(options),
        physics_({.robots = options.robots, .moves = !options.idle}),
        network_({.robots = options.robots,
                  .delay = options.delay,
                  .loss = options.loss,
                  .ber = options.ber,
                  .seed = options.seed}) {
    const auto over = [this](const std::string& why) { finish(why); };
    if (options.kind == SimKind::kPhysics) {
      physics_server_.emplace(io, simulator_link(options), simulator_physics_codec(options), physics_,
                              options.fault_injection, log_connection, over);
      physics_server_->open();
    } else {
      network_server_.emplace(io, simulator_link(options), simulator_network_codec(options), network_,
                              options.fault_injection, log_connection, over);
      network_server_->open();
    }
  }

  [[nodiscard]] std::string shortcoming() const { return network_server_ ? network_server_->shortcoming() : ""; }

  [[nodiscard]] int status() const {
    const ConnectionCounters& counters =
        physics_server_ ? physics_server_->server().counters() : network_server_->server().counters();
    const bool sane = counters.count(LinkEventKind::kFault) == 0;
    return counters.frames_in > 0 && sane ? 0 : 1;
  }

 private:
  void finish(const std::string& why) {
    spdlog::log(status() == 0 ? spdlog::level::info : spdlog::level::err, "{}", why);
    const bool come_again = !options_.once && status() == 0;
    if (!come_again) {
      io_.stop();
    } else if (physics_server_) {
      physics_server_->open();
    } else {
      network_server_->open();
    }
  }

  asio::io_context& io_;
  const SimOptions& options_;
  ScriptedPhysics physics_;
  ScriptedNetwork network_;
  std::optional<ServedSimulator<PhysicsCodec>> physics_server_;
  std::optional<ServedSimulator<NetworkCodec>> network_server_;
};

}  // namespace

SimulatorProtocol parse_protocol(std::string_view text) {
  if (text == "native") {
    return SimulatorProtocol::kNative;
  }
  if (text == "rosnetsim") {
    return SimulatorProtocol::kRosNetSim;
  }
  if (text == "dancers") {
    return SimulatorProtocol::kDancers;
  }
  throw std::invalid_argument(fmt::format("unknown protocol '{}'; allowed: native, rosnetsim, dancers", text));
}

int sim_command(const SimOptions& options) {
  log_plainly(options.run);
  asio::io_context io(1);
  Sim sim(io, options);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](std::error_code error, int) {
    if (!error) {
      io.stop();
    }
  });
  io.run();
  log_shortcoming(sim.shortcoming());
  return sim.status();
}

}  // namespace hilgate
