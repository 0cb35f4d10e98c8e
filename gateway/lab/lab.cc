// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gateway/lab/lab_process.h"
#include "gateway/lab/lab_record.h"
#include "gateway/lab/lab_robot.h"
#include "host/held_signals.h"
#include "host/netns.h"
#include "host/process.h"

namespace hilgate {
namespace {

void make_robot(const LabPlan& plan, const LabRobot& robot, LabRecord& record) {
  if (netns_exists(robot.netns)) {
    throw std::runtime_error(
        fmt::format("network namespace '{0}' already exists and does not belong to this lab; remove it with "
                    "`ip netns del {0}`, or give the run another name",
                    robot.netns));
  }
  const std::uint32_t process = robot.attach ? process_of(robot) : 0;
  record.add({.name = robot.netns, .interface = robot.interface, .attached = robot.attach.has_value()});
  if (robot.attach) {
    run_or_throw({"ip", "netns", "attach", robot.netns, std::to_string(process)});
  } else {
    run_or_throw({"ip", "netns", "add", robot.netns});
  }
  record.set_inode(netns_inode(robot.netns));
  make_lab_link(plan, robot, [&record](unsigned link) { record.set_link(link); });
}

/// Removes a namespace unless another program has replaced it; of one that was attached, its name and the lab's link.
void remove_namespace(const LabRecord::Namespace& entry) {
  const std::uint64_t inode = netns_inode(entry.name);
  if (!netns_exists(entry.name) || (inode != 0 && entry.inode != 0 && inode != entry.inode)) {
    return;
  }
  if (inode != 0 && (!entry.attached || entry.link != 0)) {
    remove_lab_link(entry.name, entry.interface, entry.link);
  }
  run_or_throw({"ip", "netns", "del", entry.name});
}

void take_down(const LabRecord& record) {
  for (const LabRecord::Namespace& entry : record.namespaces()) {
    remove_namespace(entry);
  }
  record.remove();
}

/// Undoes a lab that could not be finished because of `cause`.
void take_back(const LabRecord& record, const std::exception& cause) {
  try {
    take_down(record);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}; not everything could be undone: {}", cause.what(), error.what()));
  }
}

/// One argument list for execvp, which does not write to it.
std::vector<char*> pointers_to(const std::vector<std::string>& command) {
  std::vector<char*> pointers;
  for (const std::string& word : command) {
    pointers.push_back(const_cast<char*>(word.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void lab_up(const LabPlan& plan) {
  require_lasting_netns();
  const HeldSignals signals;
  LabRecord record = LabRecord::create(plan.name);
  try {
    for (const LabRobot& robot : plan.robots) {
      if (signals.pending()) {
        throw std::runtime_error("interrupted; the lab has been removed");
      }
      make_robot(plan, robot, record);
    }
  } catch (const std::exception& error) {
    take_back(record, error);
    throw;
  }
}

bool lab_down(const LabPlan& plan) {
  require_lasting_netns();
  const HeldSignals signals;
  const auto record = LabRecord::load(plan.name);
  if (record) {
    take_down(*record);
  }
  return record.has_value();
}

void lab_exec(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& command) {
  if (!netns_exists(robot.netns)) {
    throw std::runtime_error(
        fmt::format("lab '{}' is not up: network namespace '{}' does not exist; run `hilgate lab up` first", plan.name,
                    robot.netns));
  }
  enter_netns(robot.netns);
  execvp(command.front().c_str(), pointers_to(command).data());
  const int error = errno;
  throw CommandNotRun(fmt::format("cannot run '{}': {}", command.front(), std::strerror(error)),
                      error == ENOENT ? 127 : 126);
}

}  // namespace hilgate
