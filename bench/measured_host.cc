// SPDX-License-Identifier: Apache-2.0
#include "bench/measured_host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "hw/doctor/host_checks.h"

namespace hilgate {

nlohmann::ordered_json measured_host() {
  const HostFiles files;
  utsname system{};
  ::uname(&system);
  double load = 0;
  ::getloadavg(&load, 1);
  const std::string model = files.line_of("proc/cpuinfo", "model name").value_or("unknown processor");
  const std::size_t colon = model.find(": ");
  return {{"processor", colon == std::string::npos ? model : model.substr(colon + 2)},
          {"processors", ::sysconf(_SC_NPROCESSORS_ONLN)},
          {"kernel", system.release},
          {"load", load}};
}

}  // namespace hilgate
