// SPDX-License-Identifier: Apache-2.0
// Robots in namespaces, each plugged into an AfXdpPort of this process.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/net_lab.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"
#include "xdp/af_xdp_port.h"

namespace hilgate::test {

struct BenchOptions {
  VethOptions veth{};
  XdpMode xdp = XdpMode::kAuto;
  std::vector<KernelPass> kernel_pass{};
  bool ptp_served = false;
  std::uint32_t chunk_size = 2048;
};

class PortBench : public testing::Test {
 protected:
  static constexpr std::uint32_t kChunks = 4096;
  static constexpr std::uint32_t kRing = 512;

  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
  }

  /// Makes the lab, and opens a port for each of the first `ports` robots.
  void open(const BenchOptions& options = {}, std::size_t ports = 2) {
    std::vector<std::string> names = {"red", "blue"};
    names.resize(std::max<std::size_t>(names.size(), ports), "green");
    lab_ = std::make_unique<NetLab>("xdp", names, options.veth);
    lab_->silence();
    umem_ = std::make_unique<Umem>(UmemConfig{.chunks = kChunks, .chunk_size = options.chunk_size});
    const InNetNs here = lab_->gateway().enter();
    memory_ = std::make_unique<XskMemory>(*umem_, kRing, false);
    for (std::size_t n = 0; n < ports; ++n) {
      PortConfig config;
      config.interface = lab_->port(n);
      config.xdp = options.xdp;
      config.kernel_pass = options.kernel_pass;
      config.ptp_served = options.ptp_served;
      add_port(config);
      robots_.push_back(std::make_unique<RawSocket>(lab_->robot(n), "eth0"));
    }
  }

  void add_port(const PortConfig& config) {
    const InNetNs here = lab_->gateway().enter();
    ports_.push_back(std::make_unique<AfXdpPort>(*memory_, config, clock_));
  }

  void close_ports() { ports_.clear(); }

  /// Waits for one frame at port n.
  std::optional<Frame> capture(std::size_t n, std::chrono::milliseconds limit = std::chrono::seconds{5}) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::array<Frame, 1> burst;
    do {
      ports_[n]->flush();
      if (ports_[n]->capture(burst) == 1) {
        return burst[0];
      }
    } while (std::chrono::steady_clock::now() < deadline);
    return std::nullopt;
  }

  Bytes bytes_of(const Frame& frame) {
    Bytes bytes;
    umem_->for_each_segment(frame,
                            [&](std::span<std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
    return bytes;
  }

  /// Chunks free once all ports are closed.
  std::uint32_t everything_back() {
    close_ports();
    return umem_->available();
  }

  NetLab& lab() { return *lab_; }
  Umem& umem() { return *umem_; }
  XskMemory& memory() { return *memory_; }
  AfXdpPort& port(std::size_t n) { return *ports_.at(n); }
  RawSocket& robot(std::size_t n) { return *robots_.at(n); }
  const TscClock& clock() { return clock_; }

 private:
  TscClock clock_;
  std::unique_ptr<NetLab> lab_;
  std::unique_ptr<Umem> umem_;
  std::unique_ptr<XskMemory> memory_;
  std::vector<std::unique_ptr<AfXdpPort>> ports_;
  std::vector<std::unique_ptr<RawSocket>> robots_;
};

}  // namespace hilgate::test
