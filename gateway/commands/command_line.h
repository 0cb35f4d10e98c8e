// SPDX-License-Identifier: Apache-2.0
// Pieces of the command line: each function adds a command and what it takes. What commands do is in gateway/commands.
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

/// `sim physics|network`, `serve`: the ends of the protocols to simulators.
void add_sim(CLI::App& program, Action& action);
void add_serve(CLI::App& program, Action& action);
/// `bench windows`, beside the other benches.
void add_bench_windows(CLI::App& bench, Action& action);
/// `bench links`.
void add_bench_links(CLI::App& bench, Action& action);
/// `bench stream`.
void add_bench_stream(CLI::App& bench, Action& action);
/// `bench throughput|hold|release`.
void add_path_benches(CLI::App& bench, Action& action);
/// `capture`.
void add_capture(CLI::App& program, Action& action);
/// `extcap`, for Wireshark; not listed in the help.
void add_extcap(CLI::App& program, Action& action);
/// record show, export: what a run has written down of itself.
void add_record(CLI::App& program, Action& action);
/// `scenario import`.
void add_scenario(CLI::App& program, Action& action);
/// `replay`.
void add_replay(CLI::App& program, Action& action);
/// `sweep`.
void add_sweep(CLI::App& program, Action& action);
/// `report`.
void add_report(CLI::App& program, Action& action);
/// `doctor`.
void add_doctor(CLI::App& program, Action& action);
/// `radio list|show|plot|link|oracle`.
void add_radio(CLI::App& program, Action& action);
/// `certify`.
void add_certify(CLI::App& program, Action& action);
/// `map`.
void add_map(CLI::App& program, Action& action);
/// `trace check|plot`.
void add_trace(CLI::App& program, Action& action);
/// `survey`.
void add_survey(CLI::App& program, Action& action);
/// `clock status|watch|trace|doctor`.
void add_clock(CLI::App& program, Action& action);
/// `metrics`.
void add_metrics(CLI::App& program, Action& action);
/// `top`.
void add_top(CLI::App& program, Action& action);
/// `web`.
void add_web(CLI::App& program, Action& action);
/// `help [COMMAND...]`.
void add_help(CLI::App& program, Action& action);
/// What is wrong with the first word behind the program that should be a command and is none, or with a command that
/// needs another one behind it; empty for commands that are there.
std::string wrong_command(const CLI::App& program, std::span<const char* const> words);
/// `reference commands|drop-reasons|metrics|prometheus`: pages of docs/reference; not listed in the help.
void add_reference(CLI::App& program, Action& action);

}  // namespace hilgate
