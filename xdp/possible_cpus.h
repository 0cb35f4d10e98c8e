// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bpf/libbpf.h>

#include <cstddef>
#include <system_error>

namespace hilgate {

/// How many values a map of the kind "per CPU" has for a key. Throws std::system_error: libbpf reads a file for it.
inline std::size_t possible_cpus() {
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) {
    throw std::system_error(-cpus, std::generic_category(), "the number of processors");
  }
  return static_cast<std::size_t>(cpus);
}

}  // namespace hilgate
