// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dpdk/eal.h"

// What benches print: figures for people with bars to compare them by, or one JSON object.

namespace hilgate {

struct BenchBar {
  std::string name;
  double value;
  std::string text;  // the value with its unit
};

/// Rows with bars as long as the values, the largest 30 characters.
void print_bars(std::string_view title, const std::vector<BenchBar>& bars);

/// "12.3 M": three digits and a decimal prefix.
std::string with_prefix(double value);

/// The object on a line of standard output.
void print_json(const nlohmann::ordered_json& json);

}  // namespace hilgate

// DPDK for a bench: huge pages where the host has enough of them free, ordinary memory else. Host settings stay.

namespace hilgate {

struct BenchMemory {
  bool hugepages = false;
  std::uint32_t mib = 0;  // for DPDK at its start; pools take ordinary memory themselves
  [[nodiscard]] std::string_view name() const { return hugepages ? "huge pages" : "ordinary memory"; }
};

/// Bytes of DPDK's memory for `frames` mbufs with `room` bytes each, the pool's ring included.
std::uint64_t mbuf_bytes(std::uint64_t frames, std::uint32_t room);

/// Memory options for DPDK with `dpdk_bytes`, in addition to `other_bytes` of ordinary memory. Throws
/// std::runtime_error, beginning with `what` (the option that asks for so much), when the host has not so much.
BenchMemory bench_memory(std::uint64_t dpdk_bytes, std::uint64_t other_bytes, std::string_view what);

/// `virtual_devices` as DPDK takes them, "net_null0,size=64".
EalOptions bench_eal(const BenchMemory& memory, std::vector<std::string> virtual_devices);

}  // namespace hilgate
