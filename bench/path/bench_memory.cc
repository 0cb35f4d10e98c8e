// SPDX-License-Identifier: Apache-2.0
#include "bench/path/bench_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace hilgate {

void print_bars(std::string_view title, const std::vector<BenchBar>& bars) {
  constexpr double kLongest = 30;
  double largest = 0;
  std::size_t name = 0;
  std::size_t text = 0;
  for (const BenchBar& bar : bars) {
    largest = std::max(largest, bar.value);
    name = std::max(name, bar.name.size());
    text = std::max(text, bar.text.size());
  }
  fmt::print("{}\n", title);
  for (const BenchBar& bar : bars) {
    const auto length = static_cast<std::size_t>(largest > 0 ? kLongest * bar.value / largest + 0.5 : 0);
    std::string blocks;
    for (std::size_t i = 0; i < length; ++i) {
      blocks += "\u2588";
    }
    fmt::print("  {:<{}}  {:>{}}  {}\n", bar.name, name, bar.text, text, blocks);
  }
}

std::string with_prefix(double value) {
  constexpr std::array<std::string_view, 4> kPrefixes{"", "k", "M", "G"};
  std::size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix) {
    value /= 1000;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kPrefixes[prefix]);
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump());
}

namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
// What EAL, devices and rings take for themselves.
constexpr std::uint64_t kOverhead = 64 * kMib;
// Of an mbuf: rte_mbuf, headroom, the pool's header.
constexpr std::uint64_t kPerMbuf = 128 + 128 + 64;

std::uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  while (file >> key) {
    std::uint64_t kib = 0;
    file >> kib;
    if (key == "MemAvailable:") {
      return kib << 10;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

std::uint64_t free_hugepage_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages") >> pages;
  return std::filesystem::exists("/dev/hugepages") ? pages * 2 * kMib : 0;
}

}  // namespace

std::uint64_t mbuf_bytes(std::uint64_t frames, std::uint32_t room) {
  constexpr std::uint64_t kLine = 64;
  constexpr std::uint64_t kPage = 4096;
  // DPDK gives each an odd number of cache lines, so that they spread over the memory's channels, within one page.
  const std::uint64_t lines = ((kPerMbuf + room + kLine - 1) / kLine) | 1;
  const std::uint64_t on_a_page = kPage / (lines * kLine);
  return (frames / on_a_page + 1) * kPage + 2 * std::bit_ceil(frames + 1) * sizeof(void*);
}

BenchMemory bench_memory(std::uint64_t dpdk_bytes, std::uint64_t other_bytes, std::string_view what) {
  const std::uint64_t wanted = dpdk_bytes + kOverhead;
  const bool hugepages = free_hugepage_bytes() >= wanted;
  const std::uint64_t ordinary = other_bytes + (hugepages ? 0 : wanted);
  const std::uint64_t available = available_bytes() / 10 * 9;
  if (ordinary > available) {
    throw std::runtime_error(fmt::format(
        "{} needs {} MiB of memory, and this machine has {} MiB available: reduce it to {:.0f} % or less", what,
        ordinary / kMib, available / kMib, 100.0 * static_cast<double>(available) / static_cast<double>(ordinary)));
  }
  return {hugepages, static_cast<std::uint32_t>((hugepages ? wanted : kOverhead) / kMib + 1)};
}

EalOptions bench_eal(const BenchMemory& memory, std::vector<std::string> virtual_devices) {
  return {.file_prefix = fmt::format("hilgate-bench-{}", ::getpid()),
          .hugepages = memory.hugepages,
          .memory_mib = memory.mib,
          .devices = {},
          .virtual_devices = std::move(virtual_devices),
          .extra = {}};
}

}  // namespace hilgate
