// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <deque>
#include <functional>
#include <stdexcept>
#include <thread>

#include "clock/host_now.h"
#include "gateway/commands/clock/clock_command.h"
#include "gateway/commands/command_line.h"
#include "gateway/run/control/control_client.h"
#include "gateway/status/clock_status.h"

namespace hilgate {

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

int exit_status(const Json& clock) {
  const auto state = clock["state"].get<std::string>();
  return state == "tracking" || state == "free" ? 0 : 1;
}

// Asks as often as the gateway asks its reference, and calls `fresh` for what is new.
Json observe(const std::filesystem::path& socket, const ClockOptions& options,
             const std::function<void(const Json&, bool measured)>& look) {
  const HostTime end = options.duration ? host_now() + *options.duration : HostTime::max();
  Json before;
  for (;;) {
    Json clock = control_request(socket, {{"command", "clock"}});
    const bool measured = before.is_null() || clock["offset_last_ns"] != before["offset_last_ns"] ||
                          clock["measurements"] != before["measurements"];
    look(clock, measured);
    before = std::move(clock);
    if (host_now() >= end) {
      return before;
    }
    std::this_thread::sleep_for(options.poll_every);
  }
}

int watch(const std::filesystem::path& socket, const ClockOptions& options) {
  constexpr std::size_t kColumns = 72;
  constexpr std::size_t kLines = 11;
  std::deque<double> offsets;
  HostTime drawn{};
  return exit_status(observe(socket, options, [&](const Json& clock, bool measured) {
    if (measured) {
      offsets.push_back(clock["offset_last_ns"].get<double>());
    }
    if (offsets.size() > kColumns) {
      offsets.pop_front();
    }
    if (host_now() - drawn >= 500ms) {
      drawn = host_now();
      fmt::print("\033[H\033[2J{}\n{}", clock_text(clock), plot(offsets, kColumns, kLines, "ns"));
      std::fflush(stdout);
    }
  }));
}

int trace(const std::filesystem::path& socket, const ClockOptions& options) {
  fmt::print("wall_ns,sim_ns,offset_ns,rate_ppb,path_delay_ns,state,grandmaster\n");
  return exit_status(observe(socket, options, [](const Json& clock, bool measured) {
    if (measured) {
      const auto or_nothing = [&](const char* key) { return clock[key].is_null() ? std::string() : clock[key].dump(); };
      fmt::print("{},{},{},{:.3f},{},{},{}\n", clock["wall_ns"].get<std::int64_t>(),
                 clock["sim_ns"].get<std::int64_t>(), clock["offset_last_ns"].get<std::int64_t>(),
                 clock["rate_ppb"].get<double>(), or_nothing("path_delay_ns"), clock["state"].get<std::string>(),
                 clock["grandmaster"].is_string() ? clock["grandmaster"].get<std::string>() : "");
      std::fflush(stdout);
    }
  }));
}

}  // namespace

// `hilgate clock status|watch|trace RUN`: the clock of a running gateway, as it sees it itself. Prints to standard
// output; watch and trace continue until interrupted, or for options.duration. 0: it tracks its reference or has none
// by choice. Throws std::runtime_error when there is no such run, and for doctor, which looks at a reference itself.
int clock_of_run_command(const ClockOptions& options, const std::string& run) {
  const auto socket = running_gateway(run);
  switch (options.task) {
    case ClockTask::kWatch:
      return watch(socket, options);
    case ClockTask::kTrace:
      return trace(socket, options);
    case ClockTask::kDoctor:
      throw std::runtime_error(
          "`clock doctor` checks a reference, not a run; name the reference with the same options as the run");
    case ClockTask::kStatus:
      break;
  }
  const Json clock = control_request(socket, {{"command", "clock"}});
  fmt::print("{}", options.json ? clock.dump(2) + "\n" : clock_text(clock));
  return exit_status(clock);
}

void add_reference(CLI::App& command, ReferenceOptions& reference) {
  add_word(command, "--reference", "ptp4l, phc, ntpshm, tai or monotonic [monotonic]",
           [&reference](const std::string& word) { reference.kind = reference_kind(word); });
  command.add_option("--phc", reference.phc, "PHC device or interface");
  command.add_option("--socket", reference.ptp4l.server, "ptp4l's uds_address; {domain} stands for the domain number");
  command.add_option("--domain", reference.domains, "PTP domains, in order of preference");
  command.add_option("--ntpshm-unit", reference.ntpshm_unit, "number of the shared memory segment")
      ->capture_default_str();
}

void add_clock(CLI::App& program, Action& action) {
  auto* clock = program.add_subcommand("clock", "Show and diagnose the reference clock");
  clock->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, ClockTask task) {
    auto* command = clock->add_subcommand(name, text);
    auto options = std::make_shared<ClockOptions>();
    options->task = task;
    add_reference(*command, options->reference);
    add_quantity<Nanoseconds>(*command, "--duration", "measuring time", [options](Nanoseconds duration) {
      options->duration = std::chrono::duration_cast<std::chrono::milliseconds>(duration);
    });
    if (task == ClockTask::kStatus || task == ClockTask::kDoctor) {
      command->add_flag("--json", options->json, "print JSON");
    }
    if (task == ClockTask::kDoctor) {
      command->add_option("--listen", options->listen_interface, "listen for PTP masters on this interface");
    }
    auto run = std::make_shared<std::string>();
    if (task != ClockTask::kDoctor) {
      command->add_option("RUN", *run, "name of a running gateway whose clock to show, instead of a reference");
    }
    command->callback([&action, options, run] {
      action = [options, run] { return run->empty() ? clock_command(*options) : clock_of_run_command(*options, *run); };
    });
  };
  add("status", "Print source, offset, rate, state and steps", ClockTask::kStatus);
  add("watch", "Show the same live, with a plot", ClockTask::kWatch);
  add("trace", "Print CSV, one row per reading", ClockTask::kTrace);
  add("doctor", "Report faults of the reference and how to fix them", ClockTask::kDoctor);
}

}  // namespace hilgate
