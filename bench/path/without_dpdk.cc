// SPDX-License-Identifier: Apache-2.0
// What the benches on DPDK devices say where hilgate is built without DPDK.
#include <stdexcept>

#include "bench/path/path_bench.h"

namespace hilgate {
namespace {

[[noreturn]] void left_out() {
  throw std::runtime_error("this hilgate was built without DPDK; install libdpdk-dev and build it again");
}

}  // namespace

void measure_core_limits(const CoreLimitsOptions&, const std::function<void(const std::string&, const CoreLimits&)>&) {
  left_out();
}
ReleaseFigures measure_release(const ReleaseOptions&) {
  left_out();
}
int bench_throughput_command(const ThroughputOptions&) {
  left_out();
}
int bench_hold_command(const HoldBenchOptions&) {
  left_out();
}
int bench_release_command(const ReleaseOptions&) {
  left_out();
}

}  // namespace hilgate
