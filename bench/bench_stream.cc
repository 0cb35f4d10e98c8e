// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_stream.h"

#include <linux/filter.h>
#include <net/ethernet.h>
#include <poll.h>
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

#include "bench/bench_frames.h"
#include "clock/host_now.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBurst = 64;
constexpr double kPollsFrom = 10'000;  // frames per second
constexpr Nanoseconds kQuiet = 10ms;   // nothing arrives for so long: nothing is on its way
constexpr Nanoseconds kLongestOnTheWay = 2s;
constexpr Nanoseconds kMostClockStep = 100us;
constexpr Nanoseconds kStillInTime = 5ms;
constexpr std::byte kMark{1};

/// After the beginning of a frame: the sending instant, and an optional mark.
struct StampPlace {
  explicit StampPlace(const StreamPlan& plan) : at(plan.head.empty() ? std::size_t{ETH_HLEN} : plan.head.size()) {}
  [[nodiscard]] std::size_t mark() const { return at + sizeof(Nanoseconds); }
  [[nodiscard]] std::size_t end() const { return mark() + 1; }

  std::size_t at;
};

// The sockets' filter: frames with a stamp alone.
std::array<sock_filter, 4> stamped_alone(const StampPlace& stamp) {
  return {{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, static_cast<std::uint32_t>(stamp.mark())),
           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
           BPF_STMT(BPF_RET | BPF_K, static_cast<std::uint32_t>(stamp.end())), BPF_STMT(BPF_RET | BPF_K, 0)}};
}

/// Receives stamped frames at robot 1.
class Ear {
 public:
  Ear(const BenchEnds& ends, const StreamPlan& plan)
      : socket_(open_bench_socket(ends, 1, plan.ethertype)), stamp_(plan) {
    std::array<sock_filter, 4> code = stamped_alone(stamp_);
    const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
    check_traffic(::setsockopt(socket_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0, "filter");
    const int on = 1;
    check_traffic(::setsockopt(socket_.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0, "SO_TIMESTAMPNS");
    const int bytes = 8 << 20;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  }

  void drain(std::vector<HeardFrame>& heard) {
    BenchFrame frame{};
    alignas(cmsghdr) std::array<char, 64> control{};
    iovec part{frame.data(), stamp_.end()};
    for (;;) {
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      if (::recvmsg(socket_.get(), &message, MSG_DONTWAIT) < static_cast<ssize_t>(stamp_.end())) {
        return;
      }
      const cmsghdr* arrival = CMSG_FIRSTHDR(&message);
      if (arrival == nullptr || arrival->cmsg_type != SCM_TIMESTAMPNS) {
        continue;
      }
      timespec at{};
      std::memcpy(&at, CMSG_DATA(arrival), sizeof at);
      Nanoseconds sent{};
      std::memcpy(&sent, frame.data() + stamp_.at, sizeof sent);
      heard.push_back({sent, std::chrono::seconds{at.tv_sec} + Nanoseconds{at.tv_nsec}});
    }
  }

 private:
  FileDescriptor socket_;
  StampPlace stamp_;
};

/// The sender's frames: one text without a stamp for all, one with.
class Mouth {
 public:
  Mouth(const BenchEnds& ends, const StreamPlan& plan)
      : socket_(open_bench_socket(ends, 0, 0)),
        stamp_(plan),
        sizes_(plan.sizes),
        stamp_every_(plan.stamp_every),
        plain_(first_text(plan)),
        stamped_(plain_) {
    stamped_[stamp_.mark()] = kMark;
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
      std::memcpy(stamped_.data() + stamp_.at, &now, sizeof now);
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
  static BenchFrame first_text(const StreamPlan& plan) {
    BenchFrame text = plan.head.empty() ? bench_frame(0) : BenchFrame{};
    std::copy(plan.head.begin(), plan.head.end(), text.begin());
    return text;
  }

  FileDescriptor socket_;
  StampPlace stamp_;
  std::vector<std::size_t> sizes_;
  std::size_t stamp_every_;
  std::size_t since_stamp_ = 0;
  std::size_t next_ = 0;
  BenchFrame plain_;
  BenchFrame stamped_;
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

void wait_for_stragglers(const BenchEnds& ends, Nanoseconds delay, std::uint64_t before, Stream& stream) {
  HostTime last_news = host_now() + delay;
  const HostTime in_time = last_news + kStillInTime;
  const HostTime end = last_news + kLongestOnTheWay;
  bool looked = false;
  for (;;) {
    const std::uint64_t arrived = frames_arrived(ends, 1) - before;
    const HostTime now = host_now();
    last_news = arrived > stream.arrived ? std::max(last_news, now) : last_news;
    stream.arrived = arrived;
    if (now <= in_time || !looked) {
      stream.in_time = arrived;
    }
    looked = true;
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

Stream run_stream(const BenchEnds& ends, const StreamPlan& plan, const std::stop_token& stop,
                  std::atomic<std::uint64_t>* progress) {
  std::optional<Ear> ear;
  if (plan.stamp_every > 0) {
    ear.emplace(ends, plan);
  }
  Mouth mouth(ends, plan);
  Stream stream;
  const auto hear = [&] {
    if (ear) {
      ear->drain(stream.heard);
      if (progress != nullptr) {
        progress->store(stream.heard.size());
      }
    }
  };
  const std::uint64_t before = frames_arrived(ends, 1);
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
  wait_for_stragglers(ends, plan.delay, before, stream);
  hear();
  if (std::chrono::abs(clock_difference() - clocks) > kMostClockStep) {
    throw std::runtime_error("bench stream: the system's clock was stepped meanwhile");
  }
  return stream;
}

namespace {

using std::chrono::steady_clock;

constexpr auto kFirstAnswerPatience = std::chrono::seconds(10);
constexpr std::chrono::milliseconds kPatience{100};

bool wait_for_frame(const FileDescriptor& socket) {
  pollfd ready{socket.get(), POLLIN, 0};
  return ::poll(&ready, 1, static_cast<int>(kPatience.count())) == 1;
}

// Robot 1: sends back what it receives.
void echo(const FileDescriptor& socket, const std::stop_token& stop) {
  BenchFrame heard{};
  BenchFrame answer = bench_frame(1);
  while (!stop.stop_requested()) {
    if (!wait_for_frame(socket)) {
      continue;
    }
    const ssize_t length = ::recv(socket.get(), heard.data(), heard.size(), MSG_DONTWAIT);
    if (length >= static_cast<ssize_t>(kSmallestFrame)) {
      std::memcpy(answer.data() + ETH_HLEN, heard.data() + ETH_HLEN, sizeof(std::uint64_t));
      ::send(socket.get(), answer.data(), kSmallestFrame, 0);
    }
  }
}

// Waits for the answer to `number`; those to earlier ones came too late.
bool hear_answer(const FileDescriptor& socket, std::uint64_t number) {
  BenchFrame heard{};
  while (wait_for_frame(socket)) {
    const ssize_t length = ::recv(socket.get(), heard.data(), heard.size(), MSG_DONTWAIT);
    std::uint64_t answered = 0;
    std::memcpy(&answered, heard.data() + ETH_HLEN, sizeof answered);
    if (length >= static_cast<ssize_t>(kSmallestFrame) && answered == number) {
      return true;
    }
  }
  return false;
}

}  // namespace

Flood flood(const BenchNetwork& network, std::size_t frame_bytes, Nanoseconds duration) {
  const Stream stream = run_stream(network, {.sizes = {frame_bytes}, .duration = duration});
  return {stream.offered(), static_cast<double>(stream.arrived) / stream.seconds};
}

std::vector<Nanoseconds> ping(const BenchNetwork& network, Nanoseconds duration) {
  const FileDescriptor near = open_bench_socket(network, 0, kBenchEthertype);
  const FileDescriptor far = open_bench_socket(network, 1, kBenchEthertype);
  const std::jthread echoing([&far](const std::stop_token& stop) { echo(far, stop); });
  std::vector<Nanoseconds> trips;
  BenchFrame frame = bench_frame(0);
  const auto start = steady_clock::now();
  // A busy machine may let none through in a short time: at least one is waited for.
  const auto goes_on = [&] {
    const auto passed = steady_clock::now() - start;
    return passed < duration || (trips.empty() && passed < duration + kFirstAnswerPatience);
  };
  for (std::uint64_t number = 1; goes_on(); ++number) {
    std::memcpy(frame.data() + ETH_HLEN, &number, sizeof number);
    const auto sent = steady_clock::now();
    check_traffic(::send(near.get(), frame.data(), kSmallestFrame, 0) == static_cast<ssize_t>(kSmallestFrame), "send");
    if (hear_answer(near, number)) {
      trips.push_back(steady_clock::now() - sent);
    }
  }
  return trips;
}

Nanoseconds quantile(std::vector<Nanoseconds> values, double q) {
  if (values.empty()) {
    throw std::runtime_error("bench traffic: no frame came back");
  }
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace hilgate
