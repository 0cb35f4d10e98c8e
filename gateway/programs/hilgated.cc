// SPDX-License-Identifier: Apache-2.0
// hilgated: `hilgate run` for service managers, with the configuration of the system as default.
#include <CLI/CLI.hpp>

#include "gateway/commands/run.h"
#include "gateway/programs/guarded_main.h"

namespace {

int run_daemon(int argc, char** argv) {
  CLI::App program{"hilgated: the hilgate gateway as a system service", "hilgated"};
  program.set_version_flag("--version", "hilgated " HILGATE_VERSION);
  hilgate::RunOptions options{.file = "/etc/hilgate/hilgate.yaml", .version = HILGATE_VERSION};
  program.add_option("FILE", options.file, "configuration file (YAML)")->capture_default_str();
  program.add_option("--gateway", options.gateway, "which gateway of the file's site this one is");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  }
  return hilgate::run_command(options);
}

}  // namespace

int main(int argc, char** argv) {
  return hilgate::guarded_main("hilgated", [&] { return run_daemon(argc, argv); });
}
