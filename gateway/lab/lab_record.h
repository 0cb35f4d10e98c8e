// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gateway/lab/lab_keeper.h"
#include "gateway/lab/lab_robot.h"
#include "host/file_descriptor.h"

namespace hilgate {

struct LabRobotState {
  std::string robot;
  std::string problem;        // empty: as lab_up() makes it
  bool machine = false;       // only its machine is not as it is to be; lab_up() starts it again
  bool can_be_added = false;  // by lab_up(): what is missing there is made without touching the rest
};

/// How the lab is now, its robots in the plan's order; empty without a lab. Needs CAP_SYS_ADMIN, as lab_up(). Throws
/// std::runtime_error when its record cannot be understood.
std::optional<std::vector<LabRobotState>> lab_state(const LabPlan& plan);

/// Names of namespaces that the lab has made and the plan does not have.
class LabRecord;
std::vector<std::string> left_over(const LabPlan& plan, const LabRecord& record);

/// As long as it lives, no other process changes a lab of this machine. Waits until it may.
class LabLock {
 public:
  /// Throws std::runtime_error when there is no folder for labs, and none can be made.
  LabLock();

 private:
  FileDescriptor folder_;
};

/// What a lab has made, on disk, so that `down` removes that and nothing else. A namespace is recorded before it is
/// made; a process that dies in between leaves a record that `down` understands. Veth pairs need no entry: each has an
/// end in a namespace and is removed with it. Writers to a record hold the LabLock.
class LabRecord {
 public:
  struct Namespace {
    std::string name;
    std::uint64_t cookie = 0;  // of /run/netns/<name>, as netns_cookie(); 0: about to be made
    std::string interface {};  // the robot's end
    bool attached = false;     // the namespace of a foreign process or of another radio: only its name is the entry's
    unsigned link = 0;         // index of the interface there; 0: not made
    std::string port{};        // the gateway's end; empty in records of earlier versions, as the addresses are
    std::vector<std::string> addresses{};  // that the lab gave the robot's end, with prefix length
    bool tap = false;      // the gateway's end is a TAP device, and `link` its index; its name is recorded before it is
    KeptProcess keeper{};  // of the machine that was started there
    std::string engine{};  // that keeps the state of this machine, a container with the namespace's name; else empty
  };

  /// Starts a record. Throws std::runtime_error when there is one already, or it cannot be written.
  static LabRecord create(const std::string& lab);
  /// Reads a record. Throws std::runtime_error when it cannot be understood. Absent: empty optional.
  static std::optional<LabRecord> load(const std::string& lab);

  [[nodiscard]] const std::string& lab() const { return lab_; }
  [[nodiscard]] const std::vector<Namespace>& namespaces() const { return namespaces_; }
  /// Returns its index among them.
  std::size_t add(const Namespace& entry);
  void set_cookie(std::size_t place, std::uint64_t cookie);
  void set_link(std::size_t place, unsigned index);
  void set_engine(std::size_t place, const std::string& engine);
  void set_keeper(std::size_t place, const KeptProcess& keeper);
  /// The robot's end is as `robot` has it.
  void set_ends(std::size_t place, const LabRobot& robot);
  void forget(const std::string& name);
  /// Forgets all but the first of them.
  void keep(std::size_t first);
  void remove() const;  // the file; the end of the lab

  static std::filesystem::path path_of(const std::string& lab);

 private:
  explicit LabRecord(std::string lab) : lab_(std::move(lab)) {}
  void write() const;

  std::string lab_;
  std::vector<Namespace> namespaces_;
};

}  // namespace hilgate
