// SPDX-License-Identifier: Apache-2.0
// hilgate-gz: a world of Gazebo as the physics simulator of a gateway, over hilgate's native protocol.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "config/quantity.h"
#include "host/log/log.h"
#include "host/run_folder.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/simulator_server.h"
#include "physics_link/gz/gz_physics.h"
#include "physics_link/native/native_physics_codec.h"

namespace hilgate::gz {
namespace {

struct Options {
  std::string world;
  std::string sdf;
  std::string socket;
  std::string run;
  bool listen = false;
  bool follow = false;
  bool paced = false;
  std::optional<Nanoseconds> step_size;
  Nanoseconds patience{std::chrono::seconds(30)};
  Nanoseconds silence{std::chrono::seconds(5)};
};

// Discovery takes a moment, and the world may be started after us.
void wait_for_world(const World& world, Nanoseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!world.present()) {
    if (std::chrono::steady_clock::now() > deadline) {
      std::string there;
      for (const std::string& name : world.worlds()) {
        there += (there.empty() ? "" : ", ") + name;
      }
      throw std::runtime_error(fmt::format(
          "world '{}' not found on Gazebo's transport for {:g} s; {}. Only worlds of the same IGN_PARTITION are "
          "visible{}",
          world.name(), static_cast<double>(patience.count()) / 1e9,
          there.empty() ? "there are no worlds" : "existing worlds: " + there,
          std::getenv("IGN_PARTITION") == nullptr ? "" : fmt::format(", here '{}'", std::getenv("IGN_PARTITION"))));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Endpoint endpoint_of(const Options& options) {
  if (!options.socket.empty()) {
    return Endpoint::parse(options.socket);
  }
  const std::string run = options.run.empty() ? only_run() : options.run;
  return {.is_unix = true, .path = run_folder(run, RunSide::kSimulator) / "physics.sock"};
}

int run(const Options& options) {
  log_plainly(options.run);
  SdfWorld sdf;
  if (!options.sdf.empty()) {
    sdf = read_sdf_world(options.sdf);
    for (const std::string& left_out : sdf.left_out) {
      spdlog::warn("left out: {}", left_out);
    }
    spdlog::info("world '{}' has {} obstacles", sdf.name, sdf.obstacles.size());
  }
  GzOptions gz{.steps = !options.follow && !options.paced, .paces = options.paced, .silence = options.silence};
  if (options.step_size || sdf.step_s) {
    gz.step_size = options.step_size.value_or(Nanoseconds{std::llround(sdf.step_s.value_or(0) * 1e9)});
  }
  asio::io_context io(1);
  World world(io, options.world.empty() ? sdf.name : options.world);
  wait_for_world(world, options.patience);

  int status = 0;
  auto codec = std::make_unique<NativePhysicsCodec>(
      NativeOptions{.hello = {.role = native::Role::kPhysics, .name = "hilgate-gz"}, .peer = native::Role::kGateway});
  const NativePhysicsCodec& gateway = *codec;
  GzPhysics physics(io, world, gz, std::move(sdf.obstacles), [&gateway] { return gateway.peer().robots; });
  const auto over = [&](const std::string& why) {
    status = physics.begun() && !physics.failed() ? 0 : 1;
    spdlog::log(status == 0 ? spdlog::level::info : spdlog::level::err, "{}", why);
    io.stop();
  };
  ServedSimulator<PhysicsCodec> server(io,
                                       {.name = "gateway",
                                        .endpoint = endpoint_of(options),
                                        .role = options.listen ? ConnectionRole::kListen : ConnectionRole::kConnect,
                                        .patience = Nanoseconds{0}},
                                       std::move(codec), physics, FaultInjection{}, log_connection, over);
  server.open();
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](std::error_code error, int) {
    if (!error) {
      io.stop();
    }
  });
  spdlog::info("world '{}' found, {}", world.name(), gz.steps ? "stepped" : "followed");
  io.run();
  if (physics.old_poses() > 0) {
    spdlog::warn("{} steps used poses from before the step", physics.old_poses());
  }
  return status;
}

}  // namespace
}  // namespace hilgate::gz

int main(int argc, char** argv) {
  using namespace hilgate;
  gz::Options options;
  CLI::App program("hilgate-gz: use a Gazebo world as the physics simulator of a gateway (physics: {type: native})");
  program.add_option("--world", options.world, "name of the world [the SDF file's]");
  program.add_option("--sdf", options.sdf, "SDF file of the world: its static models block line of sight");
  program.add_option("--socket", options.socket, "socket of the gateway, unix:PATH or tcp:HOST:PORT [the run's]");
  program.add_option("--run", options.run, "name of the run, for its socket [the only one]");
  program.add_flag("--listen", options.listen, "wait for the gateway to connect");
  program.add_flag("--follow", options.follow,
                   "follow a world that runs by itself, for pace wall; without it the world is stepped");
  program.add_flag("--paced", options.paced,
                   "follow a world that runs by itself and have the gateway keep step with it, for pace follow");
  const auto duration = [&program](const char* name, auto& value, const char* text) {
    program.add_option_function<std::string>(
        name,
        [&value, name](const std::string& given) {
          try {
            value = parse_text<Nanoseconds>(given);
          } catch (const std::invalid_argument& error) {
            throw CLI::ValidationError(name, error.what());
          }
        },
        text);
  };
  duration("--step-size", options.step_size, "step of the world's physics [max_step_size of the SDF file, or 1ms]");
  duration("--patience", options.patience, "time to wait for the world [30s]");
  duration("--silence", options.silence, "silence of the world after which the run ends [5s]");
  CLI11_PARSE(program, argc, argv);
  if (options.world.empty() && options.sdf.empty()) {
    log_failure("hilgate-gz: give --world NAME or --sdf FILE");
    return 2;
  }
  try {
    return gz::run(options);
  } catch (const std::exception& error) {
    log_failure(fmt::format("hilgate-gz: {}", error.what()));
    return 1;
  }
}
