// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "gateway/lab/lab_keeper.h"
#include "gateway/lab/lab_machine.h"
#include "gateway/lab/lab_record.h"
#include "gateway/lab/lab_robot.h"
#include "host/netns.h"
#include "host/process.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::array<const char*, 2> kEngines = {"podman", "docker"};

std::uint32_t number_in(const std::string& text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The process of a running container; 0 of one that does not run. Asks each engine that is installed.
std::uint32_t process_of_container(const std::string& robot, const std::string& container) {
  std::string answers;
  for (const char* engine : kEngines) {
    try {
      return number_in(
          run_for_output({engine, "inspect", "--type", "container", "--format", "{{.State.Pid}}", container}));
    } catch (const std::runtime_error& error) {
      answers += fmt::format("{}{}", answers.empty() ? "" : "; ", error.what());
    }
  }
  throw std::runtime_error(fmt::format("robot '{}': there is no container '{}': {}", robot, container, answers));
}

bool same_network(std::uint32_t process) {
  struct stat theirs {};
  struct stat ours {};
  return ::stat(fmt::format("/proc/{}/ns/net", process).c_str(), &theirs) == 0 &&
         ::stat("/proc/self/ns/net", &ours) == 0 && theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

// The id of the process that the robot is attached to, which runs and has a network namespace of its own. Requires
// robot.attach. Throws std::runtime_error with what to do when no such process runs.
std::uint32_t process_of(const LabRobot& robot) {
  const LabProcess& attach = *robot.attach;
  const std::string* container = std::get_if<std::string>(&attach);
  const std::string name = container != nullptr ? fmt::format("container '{}'", *container)
                                                : fmt::format("process {}", std::get<std::uint32_t>(attach));
  const std::uint32_t process =
      container != nullptr ? process_of_container(robot.robot, *container) : std::get<std::uint32_t>(attach);
  struct stat there {};
  if (process == 0 || ::stat(fmt::format("/proc/{}/ns/net", process).c_str(), &there) != 0) {
    throw std::runtime_error(fmt::format("robot '{}': {} does not run; start it first", robot.robot, name));
  }
  if (same_network(process)) {
    throw std::runtime_error(fmt::format(
        "robot '{}': {} is in the gateway's own network; start it in one of its own ({})", robot.robot, name,
        container != nullptr ? "without `--network host`, best with `--network none`" : "`unshare --net ...`"));
  }
  return process;
}

/// The record, as the threads that make robots write to it.
class SharedRecord {
 public:
  explicit SharedRecord(LabRecord& record) : record_(record) {}
  std::size_t add(const LabRecord::Namespace& entry) {
    const std::lock_guard alone(mutex_);
    return record_.add(entry);
  }
  void set_cookie(std::size_t place, std::uint64_t cookie) {
    const std::lock_guard alone(mutex_);
    record_.set_cookie(place, cookie);
  }
  void set_link(std::size_t place, unsigned index) {
    const std::lock_guard alone(mutex_);
    record_.set_link(place, index);
  }
  void set_ends(const LabRobot& robot) {
    const std::lock_guard alone(mutex_);
    record_.set_ends(place_of(robot), robot);
  }
  [[nodiscard]] std::size_t place_of(const LabRobot& robot) const {
    const auto& made = record_.namespaces();
    return static_cast<std::size_t>(std::ranges::find(made, robot.netns, &LabRecord::Namespace::name) - made.begin());
  }
  [[nodiscard]] std::vector<std::string> addresses_of(const LabRobot& robot) const {
    return record_.namespaces()[place_of(robot)].addresses;
  }

 private:
  LabRecord& record_;
  std::mutex mutex_;
};

/// Does `work` for each number below `count`, some at a time: the kernel makes a thread that changes an interface wait
/// for all processors, and others continue meanwhile. After an exception nothing new is begun, and the first one is
/// rethrown.
void each_of(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kAtOnce = 16;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard alone(mutex);
        first = first ? first : std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(count, kAtOnce); ++i) {
      threads.emplace_back(take_turns);
    }
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

void make_link(const LabPlan& plan, const LabRobot& robot, const std::function<void(unsigned)>& made) {
  if (robot.tap) {
    make_lab_tap(plan, robot, made);
  } else if (robot.has_interface()) {
    make_lab_link(plan, robot, made);
  }
}

void remove_link_of(const LabRecord::Namespace& entry) {
  if (entry.tap) {
    remove_lab_tap(entry.port, entry.link);
  } else if (!entry.attached || entry.link != 0) {
    remove_lab_link(entry.name, entry.interface, entry.link);
  }
}

void make_robot(const LabPlan& plan, const LabRobot& robot, SharedRecord& record) {
  if (netns_exists(robot.netns)) {
    throw std::runtime_error(
        fmt::format("network namespace '{0}' already exists and does not belong to this lab; remove it with "
                    "`ip netns del {0}`, or give the run another name",
                    robot.netns));
  }
  if (robot.tap) {
    check_port_is_free(robot);  // before it is recorded as the lab's
  }
  const std::uint32_t process = robot.attach ? process_of(robot) : 0;
  const bool is_attached = robot.attach || !robot.shares.empty();
  const std::size_t place = record.add({.name = robot.netns,
                                        .interface = robot.interface,
                                        .attached = is_attached,
                                        .port = robot.port_interface,
                                        .addresses = robot.addresses,
                                        .tap = robot.tap});
  if (robot.attach) {
    run_or_throw({"ip", "netns", "attach", robot.netns, std::to_string(process)});
  } else if (!robot.shares.empty()) {
    const NetnsScope inside(robot.shares);  // of this thread, which `ip` takes for a process
    run_or_throw({"ip", "netns", "attach", robot.netns, std::to_string(::gettid())});
  } else {
    run_or_throw({"ip", "netns", "add", robot.netns});
  }
  record.set_cookie(place, netns_cookie(robot.netns));
  make_link(plan, robot, [&record, place](unsigned link) { record.set_link(place, link); });
}

void stop_machine(const LabRecord::Namespace& entry) {
  stop_kept(entry.keeper);
  if (!entry.engine.empty()) {
    remove_container(entry.engine, entry.name);  // one whose keeper was killed runs on
  }
}

/// Removes a namespace unless another program has replaced it; of one that was attached, its name and the lab's link.
void remove_namespace(const LabRecord::Namespace& entry) {
  stop_machine(entry);
  if (entry.tap) {
    remove_link_of(entry);
  }
  const std::uint64_t cookie = netns_cookie(entry.name);
  if (!netns_exists(entry.name) || (cookie != 0 && entry.cookie != 0 && cookie != entry.cookie)) {
    return;
  }
  if (cookie != 0 && !entry.tap) {
    remove_link_of(entry);
  }
  run_or_throw({"ip", "netns", "del", entry.name});
}

void take_down(const LabRecord& record) {
  each_of(record.namespaces().size(), [&record](std::size_t i) { remove_namespace(record.namespaces()[i]); });
  record.remove();
  std::filesystem::remove_all(machine_folder(record.lab()));
}

/// Undoes what was added after the first `before` because of `cause`.
void take_back(LabRecord& record, std::size_t before, const std::exception& cause) {
  try {
    if (before == 0) {
      return take_down(record);
    }
    each_of(record.namespaces().size() - before,
            [&record, before](std::size_t i) { remove_namespace(record.namespaces()[before + i]); });
    record.keep(before);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}; not everything could be undone: {}", cause.what(), error.what()));
  }
}

/// The robots of a plan by what is to be done about them.
struct Missing {
  std::vector<const LabRobot*> robots;    // that are not there
  std::vector<const LabRobot*> pairs;     // whose namespace is there without its link
  std::vector<const LabRobot*> settings;  // whose link lacks something
  std::vector<const LabRobot*> machines;  // that are as they are to be but for their machine
};

Missing missing_of(const LabPlan& plan, LabRecord& record) {
  Missing missing;
  const std::vector<LabRobotState> states = lab_state(plan).value_or(std::vector<LabRobotState>{});
  for (std::size_t i = 0; i < states.size(); ++i) {
    const LabRobot& robot = plan.robots[i];
    if (states[i].problem.empty()) {
      continue;
    }
    if (states[i].machine) {
      missing.machines.push_back(&robot);
      continue;
    }
    if (!states[i].can_be_added) {
      throw std::runtime_error(fmt::format("robot '{}': {}; put this right, or remove the lab with `hilgate lab down`",
                                           robot.robot, states[i].problem));
    }
    const auto made = std::ranges::find(record.namespaces(), robot.netns, &LabRecord::Namespace::name);
    const bool is_there = made != record.namespaces().end() && made->cookie != 0 && netns_exists(robot.netns) &&
                          (robot.shares.empty() || netns_cookie(robot.shares) == made->cookie);
    if (!is_there) {
      if (made != record.namespaces().end()) {
        remove_namespace(*made);  // what was left of it
        record.forget(robot.netns);
      }
      missing.robots.push_back(&robot);
    } else if (robot.tap) {
      missing.pairs.push_back(&robot);
    } else {
      (if_nametoindex(robot.port_interface.c_str()) == 0 ? missing.pairs : missing.settings).push_back(&robot);
    }
  }
  return missing;
}

std::vector<std::string> names_of(const std::vector<const LabRobot*>& robots) {
  std::vector<std::string> names;
  std::ranges::transform(robots, std::back_inserter(names), [](const LabRobot* robot) { return robot->robot; });
  return names;
}

bool is_its_own(const LabRecord::Namespace& entry) {
  return entry.cookie != 0 && netns_cookie(entry.name) == entry.cookie;
}

/// Removes the links of robots that have another port now, and of robots that the plan does not have any more where
/// another one has their port. Programs in the namespaces continue.
void free_ports(const LabPlan& plan, LabRecord& record) {
  const std::vector<LabRecord::Namespace> made = record.namespaces();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const LabRecord::Namespace& entry = made[i];
    const auto robot = std::ranges::find(plan.robots, entry.name, &LabRobot::netns);
    const auto& named = robot != plan.robots.end() ? robot->port_interface : entry.port;
    const bool is_wanted = std::ranges::find(plan.robots, entry.port, &LabRobot::port_interface) != plan.robots.end();
    const bool stays = robot != plan.robots.end() ? named == entry.port : !is_wanted;
    const bool is_taken =
        if_nametoindex(named.c_str()) != 0 && std::ranges::find(made, named, &LabRecord::Namespace::port) == made.end();
    if (entry.port.empty() || entry.link == 0 || stays || is_taken || !is_its_own(entry)) {
      continue;
    }
    remove_link_of(entry);
    record.set_link(i, 0);
  }
}

/// Robots find one another anew, where one has another MAC address now. Permanent entries stay.
void forget_neighbours(const LabPlan& plan) {
  each_of(plan.robots.size(), [&plan](std::size_t i) {
    if (!plan.robots[i].has_interface()) {
      return;
    }
    const NetnsScope inside(plan.robots[i].netns);
    run_or_throw({"ip", "neighbour", "flush", "dev", plan.robots[i].interface});
  });
}

/// A machine that cannot start, or has nothing to do, ends at once.
constexpr std::chrono::milliseconds kProofOfMachine{1000};

/// Starts the machines of robots, whose namespaces and links are there, and looks whether they stay.
void start_machines(const LabPlan& plan, const std::vector<const LabRobot*>& robots, LabRecord& record) {
  const auto place_of = [&record](const LabRobot& robot) {
    return std::ranges::find(record.namespaces(), robot.netns, &LabRecord::Namespace::name) -
           record.namespaces().begin();
  };
  for (const LabRobot* robot : robots) {
    const auto place = static_cast<std::size_t>(place_of(*robot));
    stop_machine(record.namespaces()[place]);  // what is left of one that has ended
    record.set_engine(place, engine_of_machine(*robot));
    start_kept(program_of_machine(plan, *robot),
               [&record, place](const KeptProcess& keeper) { record.set_keeper(place, keeper); });
  }
  const auto proven = std::chrono::steady_clock::now() + (robots.empty() ? 0ms : kProofOfMachine);
  while (std::chrono::steady_clock::now() < proven) {
    std::this_thread::sleep_for(20ms);
    for (const LabRobot* robot : robots) {
      const KeptProcess keeper = record.namespaces()[static_cast<std::size_t>(place_of(*robot))].keeper;
      if (const std::string end = end_of_machine(plan.name, *robot, keeper); !end.empty()) {
        throw std::runtime_error(fmt::format("robot '{}': {}", robot->robot, end));
      }
    }
  }
}

std::vector<const LabRobot*> machines_to_start(const LabPlan& plan, const LabRecord& record) {
  std::vector<const LabRobot*> robots;
  for (const LabRobot& robot : plan.robots) {
    const auto made = std::ranges::find(record.namespaces(), robot.netns, &LabRecord::Namespace::name);
    if (robot.machine && made != record.namespaces().end() && !is_there(made->keeper)) {
      robots.push_back(&robot);
    }
  }
  return robots;
}

LabUp make_missing(const LabPlan& plan, LabRecord& record, const HeldSignals& signals) {
  free_ports(plan, record);
  const Missing missing = missing_of(plan, record);
  const std::size_t before = record.namespaces().size();
  try {
    SharedRecord shared(record);
    for (const bool sharing : {false, true}) {  // a namespace before the interfaces that share it
      each_of(missing.robots.size(), [&](std::size_t i) {
        if (signals.pending()) {
          throw std::runtime_error("interrupted; what was made has been removed");
        }
        if (sharing != missing.robots[i]->shares.empty()) {
          make_robot(plan, *missing.robots[i], shared);
        }
      });
    }
    for (const LabRobot* robot : missing.pairs) {
      make_link(plan, *robot, [&](unsigned link) { shared.set_link(shared.place_of(*robot), link); });
      shared.set_ends(*robot);
    }
    for (const LabRobot* robot : missing.settings) {
      complete_lab_link(plan, *robot, shared.addresses_of(*robot));
      shared.set_ends(*robot);
    }
    if (!missing.pairs.empty() || !missing.settings.empty()) {
      forget_neighbours(plan);
    }
    start_machines(plan, machines_to_start(plan, record), record);
  } catch (const std::exception& error) {
    take_back(record, before, error);
    throw;
  }
  LabUp done{
      .made = names_of(missing.robots), .completed = names_of(missing.pairs), .left_over = left_over(plan, record)};
  for (const auto& completed : {missing.settings, missing.machines}) {
    std::ranges::move(names_of(completed), std::back_inserter(done.completed));
  }
  return done;
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

/// Lets programs find the lab's robots by their names, in addition to the machine's own entries.
void show_names(const LabPlan& plan) {
  constexpr const char* kHosts = "/etc/hosts";
  std::ifstream file(kHosts);
  if (!file) {
    return;  // a machine without the file has no names in files
  }
  std::string text(std::istreambuf_iterator<char>(file), {});
  text += fmt::format("\n# robots of lab '{}'\n", plan.name);
  for (const LabRobot& robot : plan.robots) {
    for (const std::string& address : robot.addresses) {
      const std::string body = robot.robot.substr(0, robot.robot.find('.'));
      text += fmt::format("{} {}{}\n", address.substr(0, address.find('/')), robot.robot,
                          body != robot.robot ? " " + body : "");
    }
  }
  show_in_file(kHosts, text);
}

}  // namespace

LabUp lab_up(const LabPlan& plan) {
  require_lasting_netns();
  for (const LabRobot& robot : plan.robots) {
    if (robot.machine) {
      check_machine(robot);
    }
  }
  const LabLock lock;
  const HeldSignals signals;
  std::optional<LabRecord> record = LabRecord::load(plan.name);
  if (!record) {
    record = LabRecord::create(plan.name);
  }
  return make_missing(plan, *record, signals);
}

bool lab_down(const LabPlan& plan) {
  require_lasting_netns();
  const LabLock lock;
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
  show_names(plan);
  execvp(command.front().c_str(), pointers_to(command).data());
  const int error = errno;
  throw CommandNotRun(fmt::format("cannot run '{}': {}", command.front(), std::strerror(error)),
                      error == ENOENT ? 127 : 126);
}

}  // namespace hilgate
