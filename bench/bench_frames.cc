// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_frames.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace hilgate {

void check_traffic(bool good, const char* what) {
  if (!good) {
    throw std::runtime_error(fmt::format("bench traffic: {}: {}", what, std::strerror(errno)));
  }
}

BenchFrame bench_frame(unsigned from) {
  constexpr std::array<std::uint8_t, 5> kPrefix = {0x02, 0x68, 0x67, 0, 0};
  BenchFrame frame{};
  std::memcpy(frame.data(), kPrefix.data(), kPrefix.size());
  std::memcpy(frame.data() + 6, kPrefix.data(), kPrefix.size());
  frame[5] = static_cast<std::byte>(2 - from);
  frame[11] = static_cast<std::byte>(from + 1);
  frame[12] = std::byte{kBenchEthertype >> 8};
  frame[13] = std::byte{kBenchEthertype & 0xff};
  return frame;
}

FileDescriptor open_bench_socket(const BenchEnds& ends, std::size_t robot, std::uint16_t hears) {
  const NetnsScope there = ends.enter_robot(robot);
  FileDescriptor made(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(hears)));
  check_traffic(made.valid(), "packet socket");
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(hears);
  address.sll_ifindex = static_cast<int>(if_nametoindex(ends.robot_end(robot).c_str()));
  check_traffic(::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
  const int on = 1;
  check_traffic(::setsockopt(made.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0,
                "PACKET_IGNORE_OUTGOING");
  check_traffic(::setsockopt(made.get(), SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on) == 0, "PACKET_QDISC_BYPASS");
  return made;
}

std::uint64_t frames_arrived(const BenchEnds& ends, std::size_t robot) {
  const NetnsScope there = ends.enter_robot(robot);
  std::ifstream table("/proc/thread-self/net/dev");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t frames = 0;
    if (words >> name >> bytes >> frames && name == ends.robot_end(robot) + ":") {
      return frames;
    }
  }
  throw std::runtime_error("bench traffic: the robot's interface has disappeared");
}

}  // namespace hilgate
