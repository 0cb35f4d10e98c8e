// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "gateway/commands/command_line.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/planes/configured_kernel_path.h"
#include "host/unix_socket.h"
#include "xdp/kernel_path.h"

namespace hilgate {

struct WireOptions {
  std::string run;  // the name of a run whose ports have a fail mode
  bool on = false;
};

struct CloseOptions {
  std::string file;
};

struct DetachOptions {
  std::string run;
};

// `hilgate wire on|off RUN`: joins the robots in the kernel, past the packet path, whether a gateway runs or not; for
// comparing with and without the simulated air. Returns the exit status. Throws std::runtime_error when the run has
// left nothing in the kernel.
int wire_command(const WireOptions& options) {
  KernelPath::set_wired(kernel_path_directory(options.run), options.on);
  if (options.on) {
    fmt::print("run '{}': the robots are connected in the kernel, bypassing the packet path\n", options.run);
  } else if (socket_listener(control_socket(options.run).string())) {
    fmt::print("run '{}': the robots are on the packet path again\n", options.run);
  } else {
    fmt::print("run '{}': no gateway is running; its ports go by their fail modes\n", options.run);
  }
  return 0;
}

// `hilgate close FILE`: before the run, ports with a fail mode go by it, from before their interfaces are up.
int close_command(const CloseOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  const auto closed = close_ports(configuration);
  if (closed.empty()) {
    fmt::print("run '{}': no interface to close is there\n", configuration.name);
  } else {
    fmt::print("run '{}': closed {}\n", configuration.name, fmt::join(closed, ", "));
  }
  return 0;
}

// `hilgate detach RUN`: takes away what a dead gateway's ports with a fail mode have left in the kernel.
int detach_command(const DetachOptions& options) {
  const bool exists = socket_listener(control_socket(options.run).string()).has_value();
  const auto freed = KernelPath::detach(kernel_path_directory(options.run), exists);
  if (freed.empty()) {
    fmt::print("run '{}' keeps nothing in the kernel\n", options.run);
  } else {
    fmt::print("run '{}': detached {}\n", options.run, fmt::join(freed, ", "));
  }
  return 0;
}

namespace {

void add_wire_command(CLI::App& program, Action& action) {
  auto* wire = program.add_subcommand(
      "wire", "Connect the robots in the kernel, bypassing the simulation (manual fail-to-wire)");
  wire->require_subcommand(1);
  for (const bool on : {true, false}) {
    auto* command =
        wire->add_subcommand(on ? "on" : "off", on ? "Bypass the packet path" : "Return to the packet path");
    auto options = std::make_shared<WireOptions>();
    options->on = on;
    command->add_option("RUN", options->run, "name of a run whose ports have a fail mode")->required();
    command->callback([&action, options] { action = [options] { return wire_command(*options); }; });
  }
}

void add_close(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "close", "Put ports into their fail mode before their gateway runs, also while interfaces are down");
  auto options = std::make_shared<CloseOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->callback([&action, options] { action = [options] { return close_command(*options); }; });
}

void add_detach(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "detach", "Remove the XDP programs and maps that a stopped gateway's fail mode keeps in the kernel");
  auto options = std::make_shared<DetachOptions>();
  command->add_option("RUN", options->run, "name of the run")->required();
  command->callback([&action, options] { action = [options] { return detach_command(*options); }; });
}

}  // namespace

void add_wire(CLI::App& program, Action& action) {
  add_wire_command(program, action);
  add_close(program, action);
  add_detach(program, action);
}

}  // namespace hilgate
