// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_frames.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include "frame/checksum.h"

namespace hilgate {
namespace {

constexpr std::size_t kFcs = 4;
constexpr std::uint32_t kRed = 0xC6120001;   // 198.18.0.1
constexpr std::uint32_t kBlue = 0xC6120002;  // 198.18.0.2
constexpr std::uint16_t kDiscard = 9;        // port, RFC 863

using Mac = std::array<std::byte, ETH_ALEN>;

[[noreturn]] void refuse_end(const std::string& text, const std::string& why) {
  throw std::runtime_error(fmt::format("bench stream: '{}': {}", text, why));
}

BenchEnds::End udp_end(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string netns = text.substr(0, colon);
  const std::string path = netns.empty()                          ? "/proc/self/ns/net"
                           : netns.find('/') == std::string::npos ? "/run/netns/" + netns
                                                                  : netns;
  BenchEnds::End end{FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), text.substr(colon + 1)};
  if (!end.netns.valid()) {
    refuse_end(text, fmt::format("no namespace at {}: {}", path, std::strerror(errno)));
  }
  const NetnsScope there(end.netns);
  if (::if_nametoindex(end.interface.c_str()) == 0) {
    refuse_end(text, fmt::format("there is no interface '{}' in that namespace", end.interface));
  }
  return end;
}

/// Empty for interfaces that have IP packets without any header of a link.
std::optional<Mac> mac_of(const BenchEnds& ends, std::size_t robot) {
  const NetnsScope there = ends.enter_robot(robot);
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  ends.robot_end(robot).copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(socket.get(), SIOCGIFHWADDR, &request) != 0) {
    refuse_end(ends.robot_end(robot), fmt::format("no link-layer address: {}", std::strerror(errno)));
  }
  switch (request.ifr_hwaddr.sa_family) {
    case ARPHRD_NONE:
      return std::nullopt;
    case ARPHRD_ETHER: {
      Mac mac{};
      std::memcpy(mac.data(), request.ifr_hwaddr.sa_data, mac.size());
      return mac;
    }
    default:
      refuse_end(ends.robot_end(robot),
                 fmt::format("is of kind {}; it must be an Ethernet or a TUN interface", request.ifr_hwaddr.sa_family));
  }
}

template <class Header>
void append(std::vector<std::byte>& bytes, const Header& header) {
  const auto parts = std::as_bytes(std::span(&header, 1));
  bytes.insert(bytes.end(), parts.begin(), parts.end());
}

void append_udp(std::vector<std::byte>& head, std::size_t length) {
  iphdr ip{};
  ip.version = 4;
  ip.ihl = sizeof ip / 4;
  ip.tot_len = htons(static_cast<std::uint16_t>(length));
  ip.frag_off = htons(IP_DF);
  ip.ttl = IPDEFTTL;
  ip.protocol = IPPROTO_UDP;
  ip.saddr = htonl(kRed);
  ip.daddr = htonl(kBlue);
  ip.check = htons(internet_checksum(internet_sum(std::as_bytes(std::span(&ip, 1)))));
  append(head, ip);
  udphdr udp{};  // without a checksum, as RFC 768 allows
  udp.source = htons(kDiscard);
  udp.dest = htons(kDiscard);
  udp.len = htons(static_cast<std::uint16_t>(length - sizeof ip));
  append(head, udp);
}

}  // namespace

BenchEnds udp_ends(const std::string& from, const std::string& to) {
  return {udp_end(from), udp_end(to)};
}

UdpPackets::UdpPackets(const BenchEnds& ends, std::size_t wire_size) : size_(wire_size - kFcs) {
  const std::optional<Mac> red = mac_of(ends, 0);
  const std::optional<Mac> blue = mac_of(ends, 1);
  if (red.has_value() != blue.has_value()) {
    refuse_end(ends.robot_end(1), "one end is an Ethernet and the other has IP packets alone");
  }
  const std::size_t packet = size_ - ETH_HLEN;
  if (red && blue) {
    append(head_, *blue);
    append(head_, *red);
    append(head_, htons(kEthertype));
  } else {
    size_ = packet;
  }
  append_udp(head_, packet);
}

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
