// SPDX-License-Identifier: Apache-2.0
#include "host/neighbour_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>

namespace hilgate {

std::string few_neighbours(std::size_t robots, const std::filesystem::path& root) {
  std::ifstream file(root / "proc/sys/net/ipv4/neigh/default/gc_thresh3");
  std::uint64_t most = 0;
  const std::uint64_t needed = std::uint64_t{robots} * (robots > 0 ? robots - 1 : 0);
  if (!(file >> most) || needed <= most) {
    return {};
  }
  return fmt::format(
      "{0} robots that all speak to one another need {1} neighbour entries, the kernel keeps {2} for all "
      "namespaces: pings fail without a reason; sysctl -w net.ipv4.neigh.default.gc_thresh3={3} "
      "net.ipv4.neigh.default.gc_thresh2={1}",
      robots, needed, most, 2 * needed);
}

}  // namespace hilgate
