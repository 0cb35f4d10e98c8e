// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/foxglove/foxglove_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "clock/host_now.h"
#include "gateway/run/control/control_client.h"
#include "gateway/views/foxglove/foxglove_server.h"
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
                                                serve_foxglove(config, served,
                                                               checked(::dup(listening.get()), address));
                                              }},
                   cpus);
  log_readiness(fmt::format("Foxglove at {}", address));
}

}  // namespace hilgate
