// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/clock/clock_command.h"

#include "gateway/commands/clock_of_run.h"
#include "gateway/commands/command_line.h"

namespace hilgate {

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
