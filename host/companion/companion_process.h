// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <set>
#include <string>

namespace hilgate {

/// A process that a run has beside itself, for libraries and strangers that the packet path is to feel nothing of: it
/// has less of the processor and of the memory than the packet path, is started again when it ends, and ends with this
/// one.
class CompanionProcess {
 public:
  struct Work {
    std::string name;            // begins its lines of the log: "web"
    std::string what;            // for people: "the process of the page"
    std::function<void()> body;  // in the new process, which ends behind it; what it throws goes to the log
  };
  /// Before this process has threads. The new one stays off `cpus`, those of packet loops. Throws std::system_error.
  CompanionProcess(const Work& work, const std::set<unsigned>& cpus);
  ~CompanionProcess();
  CompanionProcess(const CompanionProcess&) = delete;
  CompanionProcess& operator=(const CompanionProcess&) = delete;

 private:
  pid_t process_ = -1;
};

/// This process leaves processor and memory to packet paths, and `cpus` entirely.
void stand_back(const std::set<unsigned>& cpus);

}  // namespace hilgate
