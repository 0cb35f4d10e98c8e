// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <set>
#include <string>

#include "gateway/web/web_server.h"

namespace hilgate {

/// The page of a run, in a process of its own that ends with this one: it has no rights but those of its user, less of
/// the processor and of the memory than the packet path, and is started again when it fails.
class WebProcess {
 public:
  /// Before this process has threads. The page's process stays off `cpus`, those of packet loops. Throws
  /// std::runtime_error as open_entrance().
  WebProcess(const WebPage& page, const std::set<unsigned>& cpus);
  ~WebProcess();
  WebProcess(const WebProcess&) = delete;
  WebProcess& operator=(const WebProcess&) = delete;

 private:
  pid_t process_ = -1;
  std::string socket_;  // of the page, to be removed
};

/// What the processes of pages give up, for good.
void confine_page(const std::set<unsigned>& cpus);

}  // namespace hilgate
