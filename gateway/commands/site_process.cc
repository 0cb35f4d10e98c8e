// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/site_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "gateway/daemon/site/site_bus.h"
#include "gateway/site/bus/bus_settings.h"

namespace hilgate {
namespace {

// Beside this program, in a build tree as in an installation.
std::string site_program() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hilgate-site";
  if (::access(program.c_str(), X_OK) != 0) {
    throw std::runtime_error(fmt::format(
        "a gateway of a site needs {}, which is not installed: sudo apt install hilgate-site", program.string()));
  }
  return program.string();
}

}  // namespace

SiteProcess start_site(const Configuration& configuration, const std::set<unsigned>& cpus) {
  const GatewayConfig* const own = own_gateway(configuration);
  if (own == nullptr) {
    return {};
  }
  const std::string program = site_program();
  BusEnds ends = make_bus_ends();
  BusSettings settings{.run = configuration.name,
                       .site = configuration.site->name,
                       .gateway = own->name,
                       .address = own->address.text(),
                       .socket = ends.program.get()};
  for (const GatewayConfig& gateway : configuration.site->gateways) {
    settings.others.push_back(gateway.address.text());
  }
  const std::string argument = nlohmann::json(settings).dump();
  auto process = std::make_unique<CompanionProcess>(
      CompanionProcess::Work{.name = "site",
                             .what = "hilgate-site",
                             .body =
                                 [&program, &argument] {
                                   checked(::execl(program.c_str(), program.c_str(), argument.c_str(), nullptr),
                                           program);
                                 }},
      cpus);
  return {.process = std::move(process), .socket = std::move(ends.own)};
}

}  // namespace hilgate
