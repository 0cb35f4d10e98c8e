// SPDX-License-Identifier: Apache-2.0
// hilgate: the command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <span>
#include <string>

#include "gateway/commands/command_line.h"
#include "gateway/programs/guarded_main.h"

namespace hilgate {
namespace {

constexpr int kUsageError = 2;

int run_program(int argc, char** argv) {
  CLI::App program{"hilgate: a hardware-in-the-loop packet gateway", "hilgate"};
  program.require_subcommand(1);
  program.set_version_flag("--version", "hilgate " HILGATE_VERSION);
  Action action;
  add_commands(program, action);
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  if (const std::string wrong = wrong_command(program, words.subspan(std::min<std::size_t>(1, words.size())));
      !wrong.empty()) {
    std::cerr << wrong << '\n';
    return kUsageError;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kUsageError;
  }
  return action();
}

}  // namespace
}  // namespace hilgate

int main(int argc, char** argv) {
  return hilgate::guarded_main("hilgate", [&] { return hilgate::run_program(argc, argv); });
}
