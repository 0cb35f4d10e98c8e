// SPDX-License-Identifier: Apache-2.0
// What the doctor requires of a host, and fixes with --fix.
#pragma once

#include <cstdint>

namespace hilgate {

constexpr const char* kBacklogFile = "proc/sys/net/core/netdev_max_backlog";
constexpr std::uint64_t kBacklog = 10'000;  // frames

constexpr const char* kHugePagesFile = "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
constexpr std::uint64_t kHugePages = 64;
constexpr std::uint64_t kHugePageKib = 2048;

}  // namespace hilgate
