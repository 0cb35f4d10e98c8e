// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/doctor_of_service.h"

#include <algorithm>

#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/lab/lab_plan.h"
#include "hw/doctor/doctor.h"
#include "path/addresses/directory.h"

namespace hilgate {
namespace {

DoctorSubject subject_of(const Configuration& configuration) {
  DoctorSubject subject{.ports = configuration.ports,
                        .cpu = configuration.cores.front().cpu,
                        .hugepages = configuration.dpdk.hugepages,
                        .eal_arguments = configuration.dpdk.arguments,
                        .robots = {},
                        .neighbours = {}};
  for (const RobotConfig& robot : configuration.robots) {
    if (!robot.macs.empty()) {
      subject.neighbours.push_back(
          {robot.name, configuration.ports.at(robot.port.value()).name, robot.macs.front(), first_ipv4(robot.ips)});
    }
  }
  if (configuration.lab) {
    for (const LabRobot& robot : plan_lab(configuration).robots) {
      subject.robots.push_back({robot.robot, robot.netns, kRobotInterface});
    }
  }
  return subject;
}

}  // namespace

int doctor_command(const DoctorOptions& options) {
  std::optional<DoctorSubject> subject;
  if (!options.file.empty()) {
    subject = subject_of(load_configuration(options.file, known_names()));
  }
  if (options.service) {
    become_doctor_of_service(options);
  }
  const DoctorSubject* about = subject ? &*subject : nullptr;
  const Fixes fixes = options.fix ? fix_host(about) : Fixes{};
  const Findings findings = examine_host(about);
  if (options.json) {
    print_findings_json(findings, options.fix ? &fixes : nullptr);
  } else {
    if (options.fix) {
      print_fixes(fixes);
    }
    print_findings(findings);
  }
  return std::ranges::count(findings, CheckState::kFail, &Finding::state) == 0 ? 0 : 1;
}

void add_doctor(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("doctor", "Check whether this host is fit for a gateway; report what to change");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML) whose ports are checked too");
  command->add_flag("--json", options->json, "print JSON");
  auto* fix = command->add_flag("--fix", options->fix,
                                "first change what is safe and goes back with the next boot: offloads of ports and of "
                                "robots in a lab, huge pages, net.core.netdev_max_backlog; print what it was before");
  command
      ->add_flag(
          "--service", options->service,
          "look as the service sees this host: user, rights and sandbox of hilgate@NAME for NAME.yaml, of hilgate "
          "without FILE")
      ->excludes(fix);
  command->callback([&action, options] { action = [options] { return doctor_command(*options); }; });
}

}  // namespace hilgate
