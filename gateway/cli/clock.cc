// SPDX-License-Identifier: Apache-2.0
#include "clock/command/clock_command.h"

#include "gateway/cli/command_line.h"
#include "gateway/commands/clock_of_run.h"

namespace hilgate {

void add_reference(CLI::App& command, ReferenceOptions& reference) {
  add_word(command, "--reference", "ptp4l, phc, ntpshm, tai or monotonic [monotonic]",
           [&reference](const std::string& word) { reference.kind = reference_kind(word); });
  command.add_option("--phc", reference.phc, "PHC device or interface");
  command.add_option("--socket", reference.ptp4l.server, "ptp4l's uds_address, {domain} for its number");
  command.add_option("--domain", reference.domains, "PTP domains, in order of preference");
  command.add_option("--ntpshm-unit", reference.ntpshm_unit, "shared memory segment")->capture_default_str();
}

void add_clock(CLI::App& program, Action& action) {
  auto* clock = program.add_subcommand("clock", "The reference clock: where it stands, what is wrong with it");
  clock->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, ClockTask task) {
    auto* command = clock->add_subcommand(name, text);
    auto options = std::make_shared<ClockOptions>();
    options->task = task;
    add_reference(*command, options->reference);
    add_quantity<Nanoseconds>(*command, "--duration", "how long to look", [options](Nanoseconds duration) {
      options->duration = std::chrono::duration_cast<std::chrono::milliseconds>(duration);
    });
    if (task == ClockTask::kStatus || task == ClockTask::kDoctor) {
      command->add_flag("--json", options->json, "for programs instead of people");
    }
    if (task == ClockTask::kDoctor) {
      command->add_option("--listen", options->listen_interface, "interface on which to listen for masters");
    }
    auto run = std::make_shared<std::string>();
    if (task != ClockTask::kDoctor) {
      command->add_option("RUN", *run, "the clock of this running gateway, instead of a reference");
    }
    command->callback([&action, options, run] {
      action = [options, run] { return run->empty() ? clock_command(*options) : clock_of_run_command(*options, *run); };
    });
  };
  add("status", "Source, offset, rate, jitter, state, steps", ClockTask::kStatus);
  add("watch", "The same, live, with a plot", ClockTask::kWatch);
  add("trace", "CSV, a row per reading", ClockTask::kTrace);
  add("doctor", "What is wrong with the reference, and what to do", ClockTask::kDoctor);
}

}  // namespace hilgate
