// SPDX-License-Identifier: Apache-2.0
// The servo on what a ptp4l slave with free_running 1 really measured: linuxptp 3.1.1, veth, software stamps, kernel
// 6.18, two busy cores. Both ends share one clock, so the truth is known and stands in each trace's first line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "clock/servo/disciplined_clock.h"
#include "clock/servo/window_clock.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

struct Trace {
  std::vector<ReferenceSample> samples;
  Nanoseconds wall_minus_host{0};
};

Trace load(const std::string& file) {
  Trace trace;
  std::ifstream in{std::string{HILGATE_SOURCE_DIR} + "/tests/clock/servo/traces/" + file};
  std::string line;
  std::getline(in, line);
  trace.wall_minus_host = Nanoseconds{std::stoll(line.substr(line.rfind('+') + 1))};
  std::getline(in, line);
  while (std::getline(in, line)) {
    const auto comma = line.find(',');
    trace.samples.push_back(
        {HostTime{Nanoseconds{std::stoll(line)}}, WallTime{Nanoseconds{std::stoll(line.substr(comma + 1))}}});
  }
  return trace;
}

// An oscillator 20 ppm off that swings by 0.2 ppm once a minute: what a warm machine does. In ns since `start`.
double drift(double ns) {
  const double omega = 2 * M_PI / 60e9;
  return 20e-6 * ns + 0.2e-6 / omega * (1 - std::cos(omega * ns));
}

// Runs the servo over the trace, steering every 50 ms: the 99th percentile of the error against the truth, taken every
// 10 ms after 20 s.
Nanoseconds p99(const std::string& file, bool drifting) {
  const Trace trace = load(file);
  const HostTime start = trace.samples.front().host;
  const auto extra = [&](HostTime host) {
    const auto ns = static_cast<double>((host - start).count());
    return Nanoseconds{drifting ? std::llround(drift(ns)) : 0};
  };
  const auto truth = [&](HostTime host) {
    return WallTime{host.time_since_epoch() + trace.wall_minus_host + extra(host)};
  };
  LineFit fit;
  JumpDetector jumps{{}};
  WindowClock clock{{}, trace.samples.front()};
  std::vector<Nanoseconds> errors;
  std::size_t next = 0;
  for (HostTime now = start; now < trace.samples.back().host; now += 50ms) {
    for (; next < trace.samples.size() && trace.samples[next].host <= now; ++next) {
      ReferenceSample sample = trace.samples[next];
      sample.wall += extra(sample.host);
      if (jumps.judge(sample, clock.plan().line, 0ns, false) == JumpDetector::Verdict::kGood) {
        fit.add(sample);
      }
    }
    clock.steer(now, *fit.line());
    for (Nanoseconds later = 0ns; later < 50ms && now - start > 20s; later += 10ms) {
      errors.push_back(std::chrono::abs(clock.plan().wall(now + later) - truth(now + later)));
    }
  }
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() * 99 / 100];
}

// p99 of the measurements themselves is 3.4 us (8 per second) and 1.2 us (1 per second). The figures the servo reached
// when it was chosen, with a third of grace for other compilers' rounding; a PI servo with linuxptp's software
// constants reached 0.50 and 2.2 us on the first, steady and drifting.
TEST(ServoTrace, EightPerSecondSteady) {
  EXPECT_LT(p99("veth_8hz.csv", false), 300ns);
}
TEST(ServoTrace, EightPerSecondDrifting) {
  EXPECT_LT(p99("veth_8hz.csv", true), 450ns);
}
TEST(ServoTrace, OnePerSecondSteady) {
  EXPECT_LT(p99("veth_1hz.csv", false), 610ns);
}
TEST(ServoTrace, OnePerSecondDrifting) {
  EXPECT_LT(p99("veth_1hz.csv", true), 640ns);
}

}  // namespace
}  // namespace hilgate::test
