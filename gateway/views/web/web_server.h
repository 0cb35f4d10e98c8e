// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "gateway/configuration/web_config.h"
#include "gateway/views/web/web_page.h"
#include "host/companion/companion_process.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// A listening socket of the page, with the token that visitors must know; empty: none.
struct WebEntrance {
  FileDescriptor socket;
  std::string token;
  std::string address;  // for people: http://127.0.0.1:8080/
};

/// Throws std::runtime_error when it cannot listen there, or the token cannot be read.
WebEntrance open_entrance(const WebConfig& config);

/// Serves the page until SIGINT or SIGTERM.
void serve_page(const WebPage& page, WebEntrance entrance);

/// The page of a run, in a process of its own without any rights but those of its user.
class WebProcess {
 public:
  /// Before this process has threads. The page's process stays off `cpus`, those of packet loops. Throws
  /// std::runtime_error as open_entrance().
  WebProcess(const WebPage& page, const std::set<unsigned>& cpus);
  ~WebProcess();
  WebProcess(const WebProcess&) = delete;
  WebProcess& operator=(const WebProcess&) = delete;

  [[nodiscard]] CompanionProcess& process() { return *process_; }

 private:
  std::string socket_;  // of the page, to be removed
  std::optional<CompanionProcess> process_;
};

/// What the processes of pages give up, for good.
void confine_page(const std::set<unsigned>& cpus);

}  // namespace hilgate
