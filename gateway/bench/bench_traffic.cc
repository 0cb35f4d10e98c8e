// SPDX-License-Identifier: Apache-2.0
#include "gateway/bench/bench_traffic.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace hilgate {
namespace {

using std::chrono::steady_clock;

constexpr auto kFirstAnswerPatience = std::chrono::seconds(10);
constexpr std::size_t kBurst = 64;
constexpr std::chrono::milliseconds kPatience{100};
constexpr std::uint16_t kEthertype = ETH_P_802_EX1;  // local experimental: nobody else's
using FrameText = std::array<std::byte, 1514>;

void check(bool good, const char* what) {
  if (!good) {
    throw std::runtime_error(fmt::format("bench traffic: {}: {}", what, std::strerror(errno)));
  }
}

/// A frame from robot `from` to the other one, zeros behind its header.
FrameText frame_of(unsigned from) {
  constexpr std::array<std::uint8_t, 5> kPrefix = {0x02, 0x68, 0x67, 0, 0};
  FrameText frame{};
  std::memcpy(frame.data(), kPrefix.data(), kPrefix.size());
  std::memcpy(frame.data() + 6, kPrefix.data(), kPrefix.size());
  frame[5] = static_cast<std::byte>(2 - from);
  frame[11] = static_cast<std::byte>(from + 1);
  frame[12] = std::byte{kEthertype >> 8};
  frame[13] = std::byte{kEthertype & 0xff};
  return frame;
}

FileDescriptor open_socket(const BenchNetwork& network, std::size_t robot, std::uint16_t hears) {
  const NetnsScope there = network.enter_robot(robot);
  FileDescriptor made(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(hears)));
  check(made.valid(), "packet socket");
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(hears);
  address.sll_ifindex = static_cast<int>(if_nametoindex(BenchNetwork::kRobotEnd));
  check(::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
  const int on = 1;
  check(::setsockopt(made.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0, "PACKET_IGNORE_OUTGOING");
  check(::setsockopt(made.get(), SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on) == 0, "PACKET_QDISC_BYPASS");
  return made;
}

/// Frames that came in at a robot, by the kernel's count.
std::uint64_t frames_arrived(const BenchNetwork& network, std::size_t robot) {
  const NetnsScope there = network.enter_robot(robot);
  std::ifstream table("/proc/thread-self/net/dev");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t frames = 0;
    if (words >> name >> bytes >> frames && name == std::string(BenchNetwork::kRobotEnd) + ":") {
      return frames;
    }
  }
  throw std::runtime_error("bench traffic: the robot's interface has disappeared");
}

class Burst {
 public:
  Burst(FrameText& frame, std::size_t bytes) : part_{frame.data(), bytes} {
    for (mmsghdr& message : messages_) {
      message.msg_hdr.msg_iov = &part_;
      message.msg_hdr.msg_iovlen = 1;
    }
  }
  Burst(const Burst&) = delete;
  Burst& operator=(const Burst&) = delete;
  /// Returns how many frames the kernel took; it takes none when its buffers are full.
  std::uint64_t send(const FileDescriptor& socket) {
    const int taken = ::sendmmsg(socket.get(), messages_.data(), kBurst, 0);
    check(taken >= 0 || errno == ENOBUFS || errno == EAGAIN, "send");
    return taken > 0 ? static_cast<std::uint64_t>(taken) : 0;
  }

 private:
  iovec part_;
  std::array<mmsghdr, kBurst> messages_{};
};

bool wait_for_frame(const FileDescriptor& socket) {
  pollfd ready{socket.get(), POLLIN, 0};
  return ::poll(&ready, 1, static_cast<int>(kPatience.count())) == 1;
}

// Robot 1: sends back what it hears.
void echo(const FileDescriptor& socket, const std::stop_token& stop) {
  FrameText heard{};
  FrameText answer = frame_of(1);
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
  FrameText heard{};
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
  const FileDescriptor socket = open_socket(network, 0, 0);  // 0: hears nothing
  FrameText frame = frame_of(0);
  Burst burst(frame, frame_bytes);
  const std::uint64_t before = frames_arrived(network, 1);
  const auto start = steady_clock::now();
  std::uint64_t sent = 0;
  while (steady_clock::now() - start < duration) {
    sent += burst.send(socket);
  }
  const double took = std::chrono::duration<double>(steady_clock::now() - start).count();
  const std::uint64_t arrived = frames_arrived(network, 1) - before;
  return {static_cast<double>(sent) / took, static_cast<double>(arrived) / took};
}

std::vector<Nanoseconds> ping(const BenchNetwork& network, Nanoseconds duration) {
  const FileDescriptor near = open_socket(network, 0, kEthertype);
  const FileDescriptor far = open_socket(network, 1, kEthertype);
  const std::jthread echoing([&far](const std::stop_token& stop) { echo(far, stop); });
  std::vector<Nanoseconds> trips;
  FrameText frame = frame_of(0);
  const auto start = steady_clock::now();
  // A busy machine may let none through in a short time: at least one is waited for.
  const auto goes_on = [&] {
    const auto passed = steady_clock::now() - start;
    return passed < duration || (trips.empty() && passed < duration + kFirstAnswerPatience);
  };
  for (std::uint64_t number = 1; goes_on(); ++number) {
    std::memcpy(frame.data() + ETH_HLEN, &number, sizeof number);
    const auto sent = steady_clock::now();
    check(::send(near.get(), frame.data(), kSmallestFrame, 0) == static_cast<ssize_t>(kSmallestFrame), "send");
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
