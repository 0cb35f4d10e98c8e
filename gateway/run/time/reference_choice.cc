// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/time/reference_choice.h"

#include <fmt/format.h>
#include <sys/timex.h>

#include <algorithm>
#include <stdexcept>

#include "clock/hardware/phc_device.h"

namespace hilgate {
namespace {

bool ptp4l_is_there(const ReferenceOptions& options) {
  return std::any_of(options.domains.begin(), options.domains.end(), [&](std::uint8_t domain) {
    std::error_code none;
    return std::filesystem::is_socket(ptp4l_socket(options, domain), none);
  });
}

bool system_is_disciplined() {
  timex facts{};  // modes 0: asks, changes nothing
  return adjtimex(&facts) >= 0 && (facts.status & STA_UNSYNC) == 0;
}

std::string phc_of_ports(const std::vector<PortConfig>& ports) {
  std::string why;
  for (const PortConfig& port : ports) {
    if (port.driver == PortDriver::kElsewhere) {
      continue;
    }
    try {
      return phc_of_interface(port.interface);
    } catch (const std::runtime_error& none) {
      why += fmt::format("; port '{}': {}", port.name, none.what());
    }
  }
  throw std::runtime_error(
      fmt::format("clock.source: phc without a 'device' uses the clock of a port, but no port has one{}", why));
}

}  // namespace

ReferenceOptions chosen_reference(const Configuration& configuration) {
  ReferenceOptions options = configuration.clock.reference;
  if (configuration.clock.automatic && !ptp4l_is_there(options)) {
    options.kind = system_is_disciplined() ? ReferenceKind::kTai : ReferenceKind::kMonotonic;
  }
  if (options.kind == ReferenceKind::kPhc && options.phc.empty()) {
    options.phc = phc_of_ports(configuration.ports);
  }
  return options;
}

}  // namespace hilgate
