// SPDX-License-Identifier: Apache-2.0
#include "clock/clock_command.h"

#include "gateway/cli/command_line.h"

namespace hilgate {
namespace {

void add_reference(CLI::App& command, const std::shared_ptr<ClockOptions>& options) {
  add_word(command, "--reference", "ptp4l, phc, ntpshm, tai or monotonic [monotonic]",
           [options](const std::string& word) { options->reference.kind = reference_kind(word); });
  command.add_option("--phc", options->reference.phc, "PHC device or interface");
  command.add_option("--domain", options->reference.domains, "PTP domains, in order of preference");
  command.add_option("--ntpshm-unit", options->reference.ntpshm_unit, "shared memory segment")->capture_default_str();
  add_quantity<Nanoseconds>(command, "--duration", "how long to look", [options](Nanoseconds duration) {
    options->duration = std::chrono::duration_cast<std::chrono::milliseconds>(duration);
  });
}

}  // namespace

void add_clock(CLI::App& program, Action& action) {
  auto* clock = program.add_subcommand("clock", "The reference clock: where it stands, what is wrong with it");
  clock->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, ClockTask task) {
    auto* command = clock->add_subcommand(name, text);
    auto options = std::make_shared<ClockOptions>();
    options->task = task;
    add_reference(*command, options);
    if (task == ClockTask::kStatus || task == ClockTask::kDoctor) {
      command->add_flag("--json", options->json, "for programs instead of people");
    }
    if (task == ClockTask::kDoctor) {
      command->add_option("--listen", options->listen_interface, "interface on which to listen for masters");
    }
    command->callback([&action, options] { action = [options] { return clock_command(*options); }; });
  };
  add("status", "Source, offset, rate, jitter, state, steps", ClockTask::kStatus);
  add("watch", "The same, live, with a plot", ClockTask::kWatch);
  add("trace", "CSV, a row per reading", ClockTask::kTrace);
  add("doctor", "What is wrong with the reference, and what to do", ClockTask::kDoctor);
}

}  // namespace hilgate
