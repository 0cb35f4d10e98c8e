// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "gateway/lab/lab_keeper.h"
#include "gateway/lab/lab_machine.h"
#include "gateway/lab/lab_robot.h"
#include "host/file_descriptor.h"
#include "host/netns.h"
#include "host/plain_file.h"
#include "host/shared_files.h"
#include "xdp/interface.h"

namespace hilgate {
namespace {

// The carrier of a TAP device is the machine that has it open.
std::string problem_of(const std::string& name, bool tap = false) {
  const std::optional<Interface> interface = look_up_interface(name);
  return !interface                    ? fmt::format("interface {} is gone", name)
         : !interface->up              ? fmt::format("interface {} is down", name)
         : !interface->carrier && !tap ? fmt::format("interface {} has no carrier", name)
                                       : "";
}

LabRobotState link_state_of(const LabPlan& plan, const LabRecord& record, const LabRobot& robot) {
  const auto unlike = [&robot](std::string problem, bool can_be_added) {
    return LabRobotState{.robot = robot.robot, .problem = std::move(problem), .can_be_added = can_be_added};
  };
  const auto made = std::ranges::find(record.namespaces(), robot.netns, &LabRecord::Namespace::name);
  if (made == record.namespaces().end()) {
    return unlike("the lab was made without this robot", true);
  }
  const std::uint64_t cookie = netns_cookie(robot.netns);
  if (cookie == 0) {
    return unlike(fmt::format("namespace {} is gone", robot.netns), true);
  }
  if (made->cookie == 0) {
    return unlike(fmt::format("namespace {} was left unfinished", robot.netns), true);
  }
  if (made->cookie != cookie) {
    return unlike(fmt::format("namespace {} is not the lab's any more", robot.netns), false);
  }
  if (!robot.shares.empty() && netns_cookie(robot.shares) != cookie) {
    return unlike(fmt::format("namespace {} is another than {}", robot.netns, robot.shares), true);
  }
  if (made->link != 0 && !made->port.empty() && made->port != robot.port_interface) {
    return unlike(
        fmt::format("namespace {} is connected to {}, not to {}", robot.netns, made->port, robot.port_interface),
        !look_up_interface(robot.port_interface).has_value());
  }
  if (!robot.has_interface() && !robot.tap) {
    return unlike("", false);
  }
  if (const std::string at_port = problem_of(robot.port_interface, robot.tap); !at_port.empty()) {
    return unlike(at_port, !look_up_interface(robot.port_interface).has_value());
  }
  if (robot.tap) {
    return unlike("", false);
  }
  const NetnsScope inside(robot.netns);
  if (const std::string at_robot = problem_of(robot.interface); !at_robot.empty()) {
    return unlike(at_robot, false);
  }
  const std::string difference = difference_of_robot_end(plan, robot, made->addresses);
  return unlike(difference, !difference.empty());
}

LabRobotState state_of(const LabPlan& plan, const LabRecord& record, const LabRobot& robot) {
  LabRobotState state = link_state_of(plan, record, robot);
  const auto made = std::ranges::find(record.namespaces(), robot.netns, &LabRecord::Namespace::name);
  if (state.problem.empty() && robot.machine) {
    state.problem = end_of_machine(plan.name, robot, made->keeper);
    state.machine = state.can_be_added = !state.problem.empty();
  }
  return state;
}

}  // namespace

std::optional<std::vector<LabRobotState>> lab_state(const LabPlan& plan) {
  const auto record = LabRecord::load(plan.name);
  if (!record) {
    return std::nullopt;
  }
  std::vector<LabRobotState> states;
  for (const LabRobot& robot : plan.robots) {
    states.push_back(state_of(plan, *record, robot));
  }
  return states;
}

namespace {

constexpr std::size_t kLongestRecord = std::size_t{1} << 20;

// Always a new file, never one that is there or that a link leads to.
void write_new(const std::filesystem::path& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
  if (file.valid()) {
    share_with_group(file.get());
  }
  if (!file.valid() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    if (error == EEXIST) {
      throw std::runtime_error(fmt::format("{} exists already; if no lab is up, remove the file", path.string()));
    }
    throw std::runtime_error(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
  }
}

// A number beyond its type is no record either; the library would give any number for it.
template <class T>
T whole(const nlohmann::json& number) {
  if (!number.is_number_unsigned() || number.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
    throw std::range_error(
        fmt::format("{} is no whole number from 0 to {}", number.dump(), std::numeric_limits<T>::max()));
  }
  return number.get<T>();
}

}  // namespace

std::vector<std::string> left_over(const LabPlan& plan, const LabRecord& record) {
  std::vector<std::string> names;
  for (const LabRecord::Namespace& made : record.namespaces()) {
    if (std::ranges::find(plan.robots, made.name, &LabRobot::netns) == plan.robots.end()) {
      names.push_back(made.name);
    }
  }
  return names;
}

LabLock::LabLock() {
  const std::filesystem::path folder = LabRecord::path_of("any").parent_path();
  make_run_root(folder);
  folder_ = FileDescriptor(checked(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder.string()));
  while (::flock(folder_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      throw std::runtime_error(fmt::format("cannot lock {}: {}", folder.string(), std::strerror(errno)));
    }
  }
}

std::filesystem::path LabRecord::path_of(const std::string& lab) {
  return std::filesystem::path("/run/hilgate") / (lab + ".lab.json");
}

LabRecord LabRecord::create(const std::string& lab) {
  const auto path = path_of(lab);
  make_run_root(path.parent_path());
  LabRecord record(lab);
  write_new(path, nlohmann::json{{"lab", lab}, {"namespaces", nlohmann::json::array()}}.dump());
  return record;
}

std::optional<LabRecord> LabRecord::load(const std::string& lab) {
  const auto path = path_of(lab);
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) {
    return std::nullopt;
  }
  const std::string text = read_plain_file(path, {.most_bytes = kLongestRecord, .owner = ::geteuid()});
  const auto unlike = [&](const std::exception& error) {
    return std::runtime_error(
        fmt::format("{} is not a lab record ({}); delete it, and remove remaining namespaces with `ip netns del`",
                    path.string(), error.what()));
  };
  try {
    LabRecord record(lab);
    const auto json = nlohmann::json::parse(text);
    for (const auto& entry : json.at("namespaces")) {
      record.namespaces_.push_back(
          {.name = entry.at("name").get<std::string>(),
           .cookie = whole<std::uint64_t>(entry.at("cookie")),
           .interface = entry.value("interface", std::string("eth0")),
           .attached = entry.value("attached", false),
           .link = entry.contains("link") ? whole<unsigned>(entry["link"]) : 0U,
           .port = entry.value("port", std::string()),
           .addresses = entry.value("addresses", std::vector<std::string>()),
           .tap = entry.value("tap", false),
           .keeper = {.process = entry.value("keeper", 0), .since = entry.value("since", std::uint64_t{0})},
           .engine = entry.value("engine", std::string())});
    }
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw unlike(error);
  } catch (const std::range_error& error) {
    throw unlike(error);
  }
}

std::size_t LabRecord::add(const Namespace& entry) {
  namespaces_.push_back(entry);
  write();
  return namespaces_.size() - 1;
}

void LabRecord::set_cookie(std::size_t place, std::uint64_t cookie) {
  namespaces_[place].cookie = cookie;
  write();
}

void LabRecord::set_link(std::size_t place, unsigned index) {
  namespaces_[place].link = index;
  write();
}

void LabRecord::set_engine(std::size_t place, const std::string& engine) {
  namespaces_[place].engine = engine;
  write();
}

void LabRecord::set_keeper(std::size_t place, const KeptProcess& keeper) {
  namespaces_[place].keeper = keeper;
  write();
}

void LabRecord::set_ends(std::size_t place, const LabRobot& robot) {
  namespaces_[place].port = robot.port_interface;
  namespaces_[place].addresses = robot.addresses;
  write();
}

void LabRecord::forget(const std::string& name) {
  std::erase_if(namespaces_, [&name](const Namespace& entry) { return entry.name == name; });
  write();
}

void LabRecord::keep(std::size_t first) {
  namespaces_.resize(first);
  write();
}

void LabRecord::remove() const {
  std::filesystem::remove(path_of(lab_));
}

void LabRecord::write() const {
  auto namespaces = nlohmann::json::array();
  for (const Namespace& entry : namespaces_) {
    namespaces.push_back({{"name", entry.name},
                          {"cookie", entry.cookie},
                          {"interface", entry.interface},
                          {"attached", entry.attached},
                          {"link", entry.link},
                          {"port", entry.port},
                          {"addresses", entry.addresses},
                          {"tap", entry.tap},
                          {"keeper", entry.keeper.process},
                          {"since", entry.keeper.since},
                          {"engine", entry.engine}});
  }
  // In two steps, so that the file is whole at every instant.
  const auto path = path_of(lab_);
  const std::filesystem::path next = path.string() + ".new";
  std::filesystem::remove(next);  // of a process that died, or a symbolic link
  write_new(next, nlohmann::json{{"lab", lab_}, {"namespaces", namespaces}}.dump());
  std::filesystem::rename(next, path);
}

}  // namespace hilgate
