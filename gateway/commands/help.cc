// SPDX-License-Identifier: Apache-2.0
// `hilgate help [COMMAND...]`, and the errors for unknown commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "config/nearest.h"
#include "gateway/commands/command_line.h"

namespace hilgate {
namespace {

constexpr int kNoSuchCommand = 2;

// Those that the help lists.
std::vector<std::string> commands_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App* any) { return !any->get_group().empty(); })) {
    names.push_back(each->get_name());
  }
  return names;
}

const CLI::App* command_named(const CLI::App& command, const std::string& name) {
  const auto found = command.get_subcommands([&name](const CLI::App* any) { return any->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + command.get_name();
}

std::string no_command(const CLI::App& command, const std::string& word) {
  return fmt::format("'{}' is not a command of {}; {}", word, full_name(command),
                     hint_for(word, commands_below(command)));
}

int print_help(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    const CLI::App* below = command_named(*command, word);
    if (below == nullptr) {
      std::cerr << no_command(*command, word) << '\n';
      return kNoSuchCommand;
    }
    command = below;
  }
  // Not App::help(), which prints the help of the parsed command: this one.
  std::cout << command->get_formatter()->make_help(command, full_name(*command), CLI::AppFormatMode::Normal);
  return 0;
}

}  // namespace

std::string wrong_command(const CLI::App& program, std::span<const char* const> words) {
  const CLI::App* command = &program;
  for (const std::string word : words) {
    if (commands_below(*command).empty() || word.starts_with('-')) {
      return {};
    }
    const CLI::App* below = command_named(*command, word);
    if (below == nullptr) {
      return no_command(*command, word);
    }
    command = below;
  }
  const std::vector<std::string> names = commands_below(*command);
  return names.empty() ? "" : fmt::format("{} needs a command: {}", full_name(*command), fmt::join(names, ", "));
}

void add_help(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("help", "Show what a command does and takes");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "the command, with those below it: lab up; all without");
  command->callback([&program, &action, words] { action = [&program, words] { return print_help(program, *words); }; });
}

}  // namespace hilgate
