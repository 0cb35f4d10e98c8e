// SPDX-License-Identifier: Apache-2.0
// `hilgate help [COMMAND...]`, and the errors for unknown commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "config/nearest.h"
#include "frame/drop_reason.h"
#include "gateway/commands/command_line.h"
#include "gateway/status/model/run_status.h"
#include "gateway/views/metrics/metric_sources.h"

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

// `hilgate reference`: what the program knows about itself, as Markdown. docs/reference/ is made from it.
namespace {

// A cell of a Markdown table.
std::string reference_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    cell += c == '|' ? "\\|" : std::string(1, c);
  }
  return cell;
}

void print_options(const CLI::App& command, const std::string& name) {
  std::string usage = "hilgate" + name;
  std::string rows;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() == "--help") {
      continue;
    }
    const bool positional = option->get_positional();
    const std::string shown = positional ? option->get_name(true) : option->get_name();
    if (positional) {
      usage += option->get_required() ? " " + shown : " [" + shown + "]";
    }
    const std::string standard = option->get_default_str();
    rows += fmt::format("| `{}` | {}{} |\n", reference_cell(shown), reference_cell(option->get_description()),
                        standard.empty() ? "" : " [" + reference_cell(standard) + "]");
  }
  std::cout << fmt::format("## `{}`\n\n{}.\n", usage, command.get_description());
  if (!rows.empty()) {
    std::cout << "\n| argument | meaning |\n| --- | --- |\n" << rows;
  }
  std::cout << '\n';
}

void print_commands(const CLI::App& command, const std::string& name) {
  for (const CLI::App* each : command.get_subcommands([](const CLI::App* any) { return !any->get_group().empty(); })) {
    const std::string inner = name + " " + each->get_name();
    if (each->get_subcommands([](const CLI::App*) { return true; }).empty()) {
      print_options(*each, inner);
    } else {
      print_commands(*each, inner);
    }
  }
}

void print_drop_reasons() {
  std::cout << "| reason | meaning |\n| --- | --- |\n";
  for (const DropReasonRow& row : kDropReasonTable) {
    std::cout << fmt::format("| `{}` | {} |\n", row.name, reference_cell(row.text));
  }
}

void print_status_fields() {
  std::cout << "| key | meaning |\n| --- | --- |\n";
  for (const StatusField& field : status_fields()) {
    std::cout << fmt::format("| `{}` | {} |\n", field.key, reference_cell(field.text));
  }
}

void print_prometheus() {
  std::cout << "| metric | kind | labels | meaning | from the status |\n| --- | --- | --- | --- | --- |\n";
  for (const MetricSource& source : kMetricSources) {
    std::string labels = "run";
    for (const MetricLabel& label : kMetricLabels) {
      labels += label.list == source.list ? fmt::format(", {}", label.label) : "";
    }
    labels += source.by.empty() ? "" : fmt::format(", {}", source.by);
    const std::string_view kind = source.kind == MetricKind::kCounter ? "counter"
                                  : source.kind == MetricKind::kGauge ? "gauge"
                                                                      : "histogram";
    const std::string from = source.list.empty()
                                 ? std::string(source.key)
                                 : fmt::format("{}[]{}{}", source.list, source.key.empty() ? "" : ".", source.key);
    std::cout << fmt::format("| `{}` | {} | {} | {} | `{}` |\n", source.name, kind, labels, reference_cell(source.text),
                             from);
  }
}

}  // namespace

void add_reference(CLI::App& program, Action& action) {
  auto* reference = program.add_subcommand("reference", "Print a reference page as Markdown")->group("");
  reference->require_subcommand(1);
  const auto add = [&](const char* name, std::function<void()> print) {
    auto* command = reference->add_subcommand(name, "");
    command->callback([&action, print] {
      action = [print] {
        print();
        return 0;
      };
    });
  };
  add("commands", [&program] { print_commands(program, ""); });
  add("drop-reasons", print_drop_reasons);
  add("metrics", print_status_fields);
  add("prometheus", print_prometheus);
}

}  // namespace hilgate
