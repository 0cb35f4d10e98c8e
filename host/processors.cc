// SPDX-License-Identifier: Apache-2.0
#include "host/processors.h"

#include <sched.h>

namespace hilgate {
namespace {

cpu_set_t allowed() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(0, sizeof mask, &mask);
  return mask;
}

}  // namespace

std::size_t processors_allowed() {
  const cpu_set_t mask = allowed();
  return static_cast<std::size_t>(CPU_COUNT(&mask));
}

void stay_off(const std::set<unsigned>& processors) {
  cpu_set_t mask = allowed();
  for (const unsigned processor : processors) {
    if (processor < CPU_SETSIZE) {
      CPU_CLR(processor, &mask);
    }
  }
  if (CPU_COUNT(&mask) > 0) {
    ::sched_setaffinity(0, sizeof mask, &mask);
  }
}

}  // namespace hilgate
