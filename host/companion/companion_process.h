// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace hilgate {

/// A process next to a run, for libraries and foreign code that must not affect the packet path: it has less of the
/// processor and of the memory than the packet path, is started again when it ends, and ends within 2 s of this one.
class CompanionProcess {
 public:
  struct Work {
    std::string name;            // begins its lines of the log: "web"
    std::string what;            // for people: "the process of the page"
    std::function<void()> body;  // in the new process, which ends after it; exceptions go to the log
  };
  /// Before this process has threads. The new one stays off `cpus`, those of packet loops. Throws std::system_error.
  CompanionProcess(const Work& work, const std::set<unsigned>& cpus);
  ~CompanionProcess();
  CompanionProcess(const CompanionProcess&) = delete;
  CompanionProcess& operator=(const CompanionProcess&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Why its work is not done now; empty while it is. One that was started again counts as working after
  /// kProof. One thread.
  [[nodiscard]] std::string problem();

  static constexpr std::chrono::seconds kProof{3};

 private:
  struct Shared;  // with the process that starts the work again
  struct Unmap {
    void operator()(Shared* shared) const;
  };
  void look_at_keeper();

  std::string name_;
  std::string what_;
  std::unique_ptr<Shared, Unmap> shared_;
  pid_t process_ = -1;                                             // -1: it has ended
  std::string end_;                                                // how; empty: it has not
  std::optional<std::chrono::steady_clock::time_point> end_seen_;  // likewise
};

/// This process leaves processor and memory to packet paths, and `cpus` entirely.
void stand_back(const std::set<unsigned>& cpus);

/// The path of another of our programs that has a package of its own: next to this one, in a build tree as in an
/// installation. Throws std::runtime_error, which names `who` as needing it, when it is missing.
std::string companion_program(const std::string& name, const std::string& who);

/// Becomes that program, with one argument. Throws std::system_error where it cannot.
[[noreturn]] void become(const std::string& program, const std::string& argument);

}  // namespace hilgate
