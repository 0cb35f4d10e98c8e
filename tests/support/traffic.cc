// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traffic.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <system_error>

namespace hilgate::test {
namespace {

constexpr std::size_t kHeader = 14;
constexpr std::size_t kMostDelays = std::size_t{1} << 20;

}  // namespace

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

Generator::Generator(const NetNs& where, const std::string& interface, const TrafficConfig& config)
    : socket_(where, interface) {
  const int on = 1;
  ::setsockopt(socket_.fd(), SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on);
  for (std::size_t i = 0; i < kBurst; ++i) {
    frames_[i] = ethernet({config.to, config.from}, kTrafficEthertype, Bytes(config.frame_bytes - kHeader));
    parts_[i] = {frames_[i].data(), frames_[i].size()};
    messages_[i].msg_hdr.msg_iov = &parts_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
  }
}

std::size_t Generator::burst() {
  return send(kBurst);
}

void Generator::one() {
  if (send(1) != 1) {
    throw std::system_error(errno, std::generic_category(), "send");
  }
}

std::size_t Generator::send(std::size_t frames) {
  const std::int64_t now = monotonic_ns();
  for (std::size_t i = 0; i < frames; ++i) {
    const Stamp stamp{sent_ + i, now};
    std::memcpy(frames_[i].data() + kHeader, &stamp, sizeof stamp);
  }
  const int taken = ::sendmmsg(socket_.fd(), messages_.data(), static_cast<unsigned>(frames), 0);
  sent_ += taken > 0 ? static_cast<std::uint64_t>(taken) : 0;
  return taken > 0 ? static_cast<std::size_t>(taken) : 0;
}

// return bpf_redirect(interface, 0);
Flood::Flood(const NetNs& where, const std::string& interface, const TrafficConfig& config)
    : here_(where.name()),
      frame_(ethernet({config.to, config.from}, kTrafficEthertype, Bytes(config.frame_bytes - kHeader))) {
  const auto index = static_cast<__s32>(::if_nametoindex(interface.c_str()));
  const std::array<bpf_insn, 4> code = {{
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .src_reg = 0, .off = 0, .imm = index},
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .src_reg = 0, .off = 0, .imm = 0},
      {.code = BPF_JMP | BPF_CALL, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = BPF_FUNC_redirect},
      {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
  }};
  program_ = bpf_prog_load(BPF_PROG_TYPE_XDP, "flood", "GPL", code.data(), code.size(), nullptr);
  if (program_ < 0) {
    throw std::system_error(-program_, std::generic_category(), "loading the flood");
  }
}

Flood::~Flood() {
  ::close(program_);
}

void Flood::burst() {
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.data_in = frame_.data();
  options.data_size_in = static_cast<__u32>(frame_.size());
  options.repeat = kBurst;
  options.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
  options.batch_size = 64;
  if (const int error = bpf_prog_test_run_opts(program_, &options); error != 0) {
    throw std::system_error(-error, std::generic_category(), "flooding");
  }
  sent_ += kBurst;
}

Sink::Sink(const NetNs& where, const std::string& interface) : socket_(where, interface), frames_(kBurst) {
  for (std::size_t i = 0; i < kBurst; ++i) {
    parts_[i] = {frames_[i].data(), frames_[i].size()};
    messages_[i].msg_hdr.msg_iov = &parts_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
  }
  delays_.reserve(kMostDelays);
}

std::size_t Sink::drain() {
  std::size_t total = 0;
  for (;;) {
    const int got = ::recvmmsg(socket_.fd(), messages_.data(), kBurst, MSG_DONTWAIT, nullptr);
    if (got <= 0) {
      return total;
    }
    const std::int64_t now = monotonic_ns();
    for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i) {
      account(frames_[i].data(), messages_[i].msg_len, now);
    }
    total += static_cast<std::size_t>(got);
  }
}

bool Sink::wait_for(std::uint64_t total, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (received_ < total) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd ready{socket_.fd(), POLLIN, 0};
    if (left.count() < 0 || ::poll(&ready, 1, static_cast<int>(left.count())) < 1) {
      return false;
    }
    drain();
  }
  return true;
}

void Sink::account(const std::byte* frame, std::size_t length, std::int64_t now) {
  if (length < kHeader + sizeof(Stamp) || frame[12] != std::byte{kTrafficEthertype >> 8} ||
      frame[13] != std::byte{kTrafficEthertype & 0xff}) {
    return;
  }
  Stamp stamp;
  std::memcpy(&stamp, frame + kHeader, sizeof stamp);
  ++received_;
  if (stamp.sequence < next_) {
    ++reordered_;
  } else {
    next_ = stamp.sequence + 1;
  }
  if (delays_.size() < kMostDelays) {
    delays_.push_back(now - stamp.sent_ns);
  }
}

std::uint64_t frames_received(const NetNs& where, const std::string& interface) {
  return std::stoull(where.run_ok("cat /sys/class/net/" + interface + "/statistics/rx_packets"));
}

void pin_to_cpu(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "running on CPU " + std::to_string(cpu));
  }
}

}  // namespace hilgate::test
