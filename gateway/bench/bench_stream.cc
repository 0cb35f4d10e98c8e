// SPDX-License-Identifier: Apache-2.0
#include "gateway/bench/bench_stream.h"

#include <linux/filter.h>
#include <net/ethernet.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>

#include "clock/host_now.h"
#include "gateway/bench/bench_frames.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBurst = 64;
constexpr double kPollsFrom = 10'000;  // frames per second
constexpr Nanoseconds kQuiet = 10ms;   // nothing arrives for so long: nothing is on its way
constexpr Nanoseconds kLongestOnTheWay = 2s;
constexpr Nanoseconds kMostClockStep = 100us;
constexpr std::size_t kStampAt = ETH_HLEN;     // the sending instant
constexpr std::size_t kMarkAt = kStampAt + 8;  // 1: has a stamp
constexpr std::byte kMark{1};

// The sockets' filter: frames with a stamp alone.
std::array<sock_filter, 4> stamped_alone() {
  return {{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kMarkAt), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
           BPF_STMT(BPF_RET | BPF_K, kMarkAt + 1), BPF_STMT(BPF_RET | BPF_K, 0)}};
}

/// Hears stamped frames at robot 1.
class Ear {
 public:
  explicit Ear(const BenchNetwork& network) : socket_(open_bench_socket(network, 1, kBenchEthertype)) {
    std::array<sock_filter, 4> code = stamped_alone();
    const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
    check_traffic(::setsockopt(socket_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0, "filter");
    const int on = 1;
    check_traffic(::setsockopt(socket_.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0, "SO_TIMESTAMPNS");
    const int bytes = 8 << 20;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  }

  void drain(std::vector<HeardFrame>& heard) {
    std::array<std::byte, kMarkAt + 1> frame{};
    alignas(cmsghdr) std::array<char, 64> control{};
    iovec part{frame.data(), frame.size()};
    for (;;) {
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      if (::recvmsg(socket_.get(), &message, MSG_DONTWAIT) < static_cast<ssize_t>(frame.size())) {
        return;
      }
      const cmsghdr* stamp = CMSG_FIRSTHDR(&message);
      if (stamp == nullptr || stamp->cmsg_type != SCM_TIMESTAMPNS) {
        continue;
      }
      timespec at{};
      std::memcpy(&at, CMSG_DATA(stamp), sizeof at);
      Nanoseconds sent{};
      std::memcpy(&sent, frame.data() + kStampAt, sizeof sent);
      heard.push_back({sent, std::chrono::seconds{at.tv_sec} + Nanoseconds{at.tv_nsec}});
    }
  }

 private:
  FileDescriptor socket_;
};

/// The sender's frames: one text without a stamp for all, one with.
class Mouth {
 public:
  Mouth(const BenchNetwork& network, const StreamPlan& plan)
      : socket_(open_bench_socket(network, 0, 0)), sizes_(plan.sizes), stamp_every_(plan.stamp_every) {
    stamped_[kMarkAt] = kMark;
    for (std::size_t i = 0; i < kBurst; ++i) {
      parts_[i] = {plain_.data(), sizes_[i % sizes_.size()]};
      messages_[i].msg_hdr.msg_iov = &parts_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
    }
  }
  Mouth(const Mouth&) = delete;
  Mouth& operator=(const Mouth&) = delete;

  /// Up to `most` frames, so many that the next stamp begins a burst. Returns how many the kernel took; it takes none
  /// when its buffers are full.
  std::size_t send(std::size_t most) {
    const bool stamps = stamp_every_ > 0 && since_stamp_ == 0;
    std::size_t count = std::min(most, kBurst);
    if (stamp_every_ > 0) {
      count = std::min<std::size_t>(count, stamp_every_ - since_stamp_);
    }
    if (sizes_.size() > 1) {
      for (std::size_t i = 0; i < count; ++i) {
        parts_[i].iov_len = sizes_[(next_ + i) % sizes_.size()];
      }
    }
    parts_[0].iov_base = stamps ? stamped_.data() : plain_.data();
    if (stamps) {
      const Nanoseconds now = stream_clock();
      std::memcpy(stamped_.data() + kStampAt, &now, sizeof now);
    }
    const int result = ::sendmmsg(socket_.get(), messages_.data(), static_cast<unsigned>(count), 0);
    check_traffic(result >= 0 || errno == ENOBUFS || errno == EAGAIN || errno == EINTR, "send");
    const std::size_t taken = result > 0 ? static_cast<std::size_t>(result) : 0;
    next_ += taken;
    if (stamp_every_ > 0) {
      since_stamp_ = (since_stamp_ + taken) % stamp_every_;
    }
    return taken;
  }

 private:
  FileDescriptor socket_;
  std::vector<std::size_t> sizes_;
  std::size_t stamp_every_;
  std::size_t since_stamp_ = 0;
  std::size_t next_ = 0;
  BenchFrame plain_ = bench_frame(0);
  BenchFrame stamped_ = bench_frame(0);
  std::array<iovec, kBurst> parts_{};
  std::array<mmsghdr, kBurst> messages_{};
};

/// CLOCK_REALTIME less CLOCK_MONOTONIC, from the readings that were the least apart.
Nanoseconds clock_difference() {
  constexpr int kReadings = 20;
  Nanoseconds least = Nanoseconds::max();
  Nanoseconds difference{};
  for (int i = 0; i < kReadings; ++i) {
    const HostTime before = host_now();
    const Nanoseconds now = stream_clock();
    const Nanoseconds apart = host_now() - before;
    if (apart < least) {
      least = apart;
      difference = now - before.time_since_epoch();
    }
  }
  return difference;
}

/// How many frames are due, at a rate.
class StreamPace {
 public:
  StreamPace(double per_second, HostTime start) : per_second_(per_second), start_(start) {}

  std::size_t due(HostTime now) {
    if (per_second_ <= 0) {
      return kBurst;
    }
    const double due = seconds_of(now - start_) * per_second_ - sent_;
    if (due > kBurst) {  // time that was lost is not made up
      sent_ += due - static_cast<double>(kBurst);
      return kBurst;
    }
    return due >= 1 ? static_cast<std::size_t>(due) : 0;
  }
  void sent(std::size_t frames) { sent_ += static_cast<double>(frames); }
  void wait(HostTime now) const {
    if (per_second_ > 0 && per_second_ < kPollsFrom) {
      const auto next = Nanoseconds{static_cast<std::int64_t>((sent_ + 1) / per_second_ * 1e9)};
      std::this_thread::sleep_for(start_ + next - now);
    }
  }

 private:
  double per_second_;
  HostTime start_;
  double sent_ = 0;
};

void wait_for_stragglers(const BenchNetwork& network, std::uint64_t before, Stream& stream) {
  HostTime last_news = host_now();
  const HostTime end = last_news + kLongestOnTheWay;
  for (;;) {
    const std::uint64_t arrived = frames_arrived(network, 1) - before;
    const HostTime now = host_now();
    last_news = arrived > stream.arrived ? now : last_news;
    stream.arrived = arrived;
    if (arrived >= stream.sent || now - last_news > kQuiet || now > end) {
      return;
    }
  }
}

}  // namespace

Nanoseconds stream_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::seconds{now.tv_sec} + Nanoseconds{now.tv_nsec};
}

std::vector<Nanoseconds> Stream::delays() const {
  std::vector<Nanoseconds> delays;
  for (const HeardFrame& frame : heard) {
    delays.push_back(frame.heard - frame.sent);
  }
  return delays;
}

Nanoseconds Stream::longest_gap() const {
  Nanoseconds longest{0};
  for (std::size_t i = 1; i < heard.size(); ++i) {
    longest = std::max(longest, heard[i].heard - heard[i - 1].heard);
  }
  return longest;
}

Stream run_stream(const BenchNetwork& network, const StreamPlan& plan, const std::stop_token& stop,
                  std::atomic<std::uint64_t>* progress) {
  std::optional<Ear> ear;
  if (plan.stamp_every > 0) {
    ear.emplace(network);
  }
  Mouth mouth(network, plan);
  Stream stream;
  const auto hear = [&] {
    if (ear) {
      ear->drain(stream.heard);
      if (progress != nullptr) {
        progress->store(stream.heard.size());
      }
    }
  };
  const std::uint64_t before = frames_arrived(network, 1);
  const Nanoseconds clocks = clock_difference();
  const HostTime start = host_now();
  StreamPace pace(plan.per_second, start);
  HostTime now = start;
  for (; now - start < plan.duration && !stop.stop_requested(); now = host_now()) {
    if (const std::size_t due = pace.due(now); due > 0) {
      const std::size_t taken = mouth.send(due);
      pace.sent(taken);
      stream.sent += taken;
    } else {
      hear();
      pace.wait(now);
    }
  }
  stream.seconds = seconds_of(now - start);
  wait_for_stragglers(network, before, stream);
  hear();
  if (std::chrono::abs(clock_difference() - clocks) > kMostClockStep) {
    throw std::runtime_error("bench stream: the system's clock was stepped meanwhile");
  }
  return stream;
}

}  // namespace hilgate
