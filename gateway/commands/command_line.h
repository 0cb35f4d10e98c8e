// SPDX-License-Identifier: Apache-2.0
// What the commands share to read their options, and the table of them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

#include "clock/reference/reference_options.h"
#include "clock/time.h"
#include "config/quantity.h"

namespace hilgate {

/// What the parsed command line asks for; returns the exit status.
using Action = std::function<int()>;

/// An option that `take` reads; what it throws becomes a fault of the command line.
template <class Take>
CLI::Option* add_word(CLI::App& command, const std::string& name, const std::string& text, Take take) {
  return command.add_option_function<std::string>(
      name,
      [name, take](const std::string& given) {
        try {
          take(given);
        } catch (const std::exception& error) {
          throw CLI::ValidationError(name, error.what());
        }
      },
      text);
}

/// An option that parse_text<T> reads, with the unit that T needs.
template <class T, class Store>
void add_quantity(CLI::App& command, const std::string& name, const std::string& text, Store store) {
  add_word(command, name, text, [store](const std::string& given) { store(parse_text<T>(given)); });
}

inline void add_duration(CLI::App& command, const std::string& name, Nanoseconds& value, const std::string& text) {
  add_quantity<Nanoseconds>(command, name, text, [&value](Nanoseconds given) { value = given; });
}

/// The options that name a reference clock; they write into `reference`, which outlives the parsing.
void add_reference(CLI::App& command, ReferenceOptions& reference);

/// The error for a first word that is not a command, or for a command without the subcommand that it requires; empty
/// for commands that exist.
std::string wrong_command(const CLI::App& program, std::span<const char* const> words);

}  // namespace hilgate

// The commands of hilgate, in the order of the help. A file of gateway/commands/ defines add_NAME: the options of a
// command, and what it does; commands that show a run are in one file, and those that measure one.
#define HILGATE_COMMANDS(row)                                                                                         \
  row(new) row(edit) row(check) row(run) row(status) row(top) row(set) row(capture) row(extcap) row(record)           \
      row(replay) row(sweep) row(scenario) row(report) row(wire) row(lab) row(try) row(probe) row(bench) row(certify) \
          row(doctor) row(simulators) row(clock) row(metrics) row(web) row(radio) row(map) row(trace) row(track)      \
              row(survey) row(help) row(reference)

namespace hilgate {

#define HILGATE_DECLARE(name) void add_##name(CLI::App& program, Action& action);
HILGATE_COMMANDS(HILGATE_DECLARE)
#undef HILGATE_DECLARE

/// Adds all of them; the one that the command line names becomes `action`, which outlives `program`.
inline void add_commands(CLI::App& program, Action& action) {
#define HILGATE_ADD(name) add_##name(program, action);
  HILGATE_COMMANDS(HILGATE_ADD)
#undef HILGATE_ADD
}

}  // namespace hilgate
