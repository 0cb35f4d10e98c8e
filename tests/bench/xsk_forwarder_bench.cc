// SPDX-License-Identifier: Apache-2.0
// Frames per second over a veth pair: the plain AF_XDP forwarder, and a port-to-port path on AfXdpPort.
//   sudo build/release/tests/xsk_forwarder_bench [seconds per row]
// The generator runs on CPU 0, the forwarder on CPU 1. One line of JSON per row on standard output.
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <thread>

#include "tests/support/net_lab.h"
#include "tests/support/traffic.h"
#include "xdp/af_xdp_port.h"
#include "xdp/xsk_forwarder.h"

namespace hilgate::test {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// Iterates on CPU 1 while a generator on CPU 0 sends; returns frames per second that came out at the other robot.
double measure(const NetLab& lab, std::size_t frame_bytes, double seconds, const std::function<void()>& iterate) {
  std::atomic<bool> stop = false;
  std::jthread forwarder([&] {
    pin_to_cpu(1);
    while (!stop) {
      iterate();
    }
  });
  pin_to_cpu(0);
  Flood generator(lab.robot(0), "eth0", {.frame_bytes = frame_bytes});
  const std::uint64_t before = frames_received(lab.robot(1), "eth0");
  const auto start = steady_clock::now();
  while (duration<double>(steady_clock::now() - start).count() < seconds) {
    generator.burst();
  }
  const double took = duration<double>(steady_clock::now() - start).count();
  stop = true;
  forwarder.join();
  const auto out = static_cast<double>(frames_received(lab.robot(1), "eth0") - before);
  std::cout << fmt::format(R"("frame_bytes": {}, "offered_pps": {:.0f}, "pps": {:.0f}}})", frame_bytes,
                           static_cast<double>(generator.sent()) / took, out / took)
            << std::endl;
  return out / took;
}

void plain(std::size_t frame_bytes, double seconds) {
  const NetLab lab("bench", {"red", "blue"});
  const InNetNs here = lab.gateway().enter();
  XskForwarder forwarder(lab.port(0), lab.port(1), XdpMode::kAuto);
  std::cout << R"({"row": "xsk_forwarder", )";
  measure(lab, frame_bytes, seconds, [&] { forwarder.iterate(); });
}

void ports(std::size_t frame_bytes, double seconds) {
  const NetLab lab("bench", {"red", "blue"});
  const InNetNs here = lab.gateway().enter();
  const TscClock clock;
  Umem umem({.chunks = 8192});
  XskMemory memory(umem, 2048, false);
  PortConfig config;
  config.interface = lab.port(0);
  AfXdpPort red(memory, config, clock);
  config.interface = lab.port(1);
  AfXdpPort blue(memory, config, clock);
  std::array<Frame, 64> burst;
  const auto forward = [&](AfXdpPort& from, AfXdpPort& to) {
    const std::size_t frames = from.capture(burst);
    for (std::size_t i = 0; i < frames; ++i) {
      if (!to.release(burst[i])) {
        umem.free(burst[i]);
      }
    }
  };
  std::cout << R"({"row": "af_xdp_port", )";
  measure(lab, frame_bytes, seconds, [&] {
    forward(red, blue);
    forward(blue, red);
    red.flush();
    blue.flush();
  });
}

}  // namespace
}  // namespace hilgate::test

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  for (const std::size_t bytes : {std::size_t{60}, std::size_t{1514}}) {
    hilgate::test::plain(bytes, seconds);
    hilgate::test::ports(bytes, seconds);
  }
}
