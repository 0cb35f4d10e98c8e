// SPDX-License-Identifier: Apache-2.0
// The benches as `hilgate` has them: in a program of its own, hilgate-bench, which is `hilgate` with gateway/bench and
// traffic generators in it. Who builds a gateway need not build them.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "gateway/bench/bench.h"
#include "gateway/bench/bench_links.h"
#include "gateway/bench/bench_passthrough.h"
#include "gateway/bench/bench_windows.h"
#include "gateway/bench/certify/certify.h"
#include "gateway/bench/path/path_bench.h"
#include "gateway/bench/stream_bench.h"

namespace hilgate {
namespace {

constexpr const char* kBenchProgram = "hilgate-bench";

std::string bench_program() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::array<std::filesystem::path, 2> places{folder / kBenchProgram,                  // of a build tree
                                                    folder / "../libexec" / kBenchProgram};  // of an installation
  for (const auto& place : places) {
    if (::access(place.c_str(), X_OK) == 0) {
      return place.string();
    }
  }
  throw std::runtime_error(fmt::format("{} is not beside this program: cmake --build --preset release -t {}",
                                       places.front().string(), kBenchProgram));
}

// With the arguments that this process was started with.
int become_bench_program() {
  const std::string program = bench_program();
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(stream), {}};
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at += std::strlen(&words[at]) + 1) {
    arguments.push_back(&words[at]);
  }
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  throw std::runtime_error(fmt::format("{}: {}", program, std::strerror(errno)));
}

}  // namespace

std::span<const Bench> benches() {
  static constexpr std::array<Bench, 1> kNames{{{"passthrough", kPassthroughText, nullptr}}};
  return kNames;
}

int bench_command(const BenchOptions&) {
  return become_bench_program();
}

int certify_command(const CertifyOptions&) {
  return become_bench_program();
}

int bench_windows_command(const BenchWindowsOptions&) {
  return become_bench_program();
}

int bench_links_command(const BenchLinksOptions&, std::span<const std::string>) {
  return become_bench_program();
}

int bench_stream_command(const StreamBenchOptions&) {
  return become_bench_program();
}

int bench_throughput_command(const ThroughputOptions&) {
  return become_bench_program();
}

int bench_hold_command(const HoldBenchOptions&) {
  return become_bench_program();
}

int bench_release_command(const ReleaseOptions&) {
  return become_bench_program();
}

}  // namespace hilgate
