// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/foxglove/foxglove_process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "clock/host_now.h"
#include "gateway/run/control/control_client.h"
#include "gateway/views/web/http_server.h"
#include "host/confinement.h"
#include "host/file_descriptor.h"
#include "host/log/log.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kStatusPatience{5};

}  // namespace

FoxgloveProcess::FoxgloveProcess(const FoxgloveConfig& config, const std::string& run,
                                 const std::string& control_socket, const std::set<unsigned>& cpus) {
  FileDescriptor listening;
  try {
    listening = listen_for_http(config.listen);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("foxglove: cannot listen at {}; choose another `listen`", error.what()));
  }
  void* const memory =
      ::mmap(nullptr, sizeof(FoxgloveCounts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    checked(-1, "memory for the counts of Foxglove");
  }
  counts_.reset(new (memory) FoxgloveCounts);
  std::string address = http_address(config.listen, listening);
  address.replace(0, std::string_view("http").size(), "ws");
  const FoxgloveRun served{.name = run,
                           .status =
                               [&] {
                                 return control_request(control_socket, {{"command", "status"}}, kStatusPatience);
                               },
                           .utc_now = [] { return host_now().time_since_epoch() + utc_ahead_of_host(); }};
  process_.emplace(CompanionProcess::Work{.name = "foxglove",
                                          .what = "the process of Foxglove",
                                          .body =
                                              [&] {
                                                confine({});
                                                serve_foxglove(config, served, checked(::dup(listening.get()), address),
                                                               *counts_);
                                              }},
                   cpus);
  log_readiness(fmt::format("Foxglove at {}", address));
}

FoxgloveStatus FoxgloveProcess::status() const {
  return {.clients = counts_->clients, .left_out = counts_->left_out};
}

void FoxgloveProcess::Unmap::operator()(FoxgloveCounts* counts) const {
  ::munmap(counts, sizeof *counts);
}

}  // namespace hilgate
