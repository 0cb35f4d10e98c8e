// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_socket.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace hilgate::test {
namespace {

void check(bool good, const std::string& what) {
  if (!good) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

// The kernel takes the outer VLAN tag out of what it receives and tells it beside the frame: put it back.
void restore_tag(msghdr& message, Bytes& frame) {
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != PACKET_AUXDATA) {
    return;
  }
  tpacket_auxdata auxiliary{};
  std::memcpy(&auxiliary, CMSG_DATA(header), sizeof auxiliary);
  if ((auxiliary.tp_status & TP_STATUS_VLAN_VALID) == 0) {
    return;
  }
  const std::uint16_t tpid = (auxiliary.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0 ? auxiliary.tp_vlan_tpid : 0x8100;
  const Bytes tag = {static_cast<std::uint8_t>(tpid >> 8), static_cast<std::uint8_t>(tpid),
                     static_cast<std::uint8_t>(auxiliary.tp_vlan_tci >> 8),
                     static_cast<std::uint8_t>(auxiliary.tp_vlan_tci)};
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
}

}  // namespace

RawSocket::RawSocket(const NetNs& where, const std::string& interface, std::uint16_t ethertype) {
  const InNetNs here = where.enter();
  fd_ = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);  // nothing before it is bound
  check(fd_ >= 0, "packet socket");
  const int on = 1;
  check(::setsockopt(fd_, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0, "PACKET_IGNORE_OUTGOING");
  check(::setsockopt(fd_, SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) == 0, "PACKET_AUXDATA");
  const int room = 8 << 20;  // for bursts that come before the test looks
  check(::setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) == 0, "SO_RCVBUFFORCE");
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ethertype);
  address.sll_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
  check(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind to " + interface);
}

RawSocket::~RawSocket() {
  ::close(fd_);
}

void RawSocket::send(const Bytes& frame) const {
  check(::send(fd_, frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size()), "send");
}

std::optional<Bytes> RawSocket::receive(std::chrono::milliseconds limit) const {
  pollfd ready{fd_, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(limit.count())) != 1) {
    return std::nullopt;
  }
  thread_local Bytes room(65536);  // fresh memory for each frame takes 0.4 ms with sanitizers on some kernels
  std::array<char, CMSG_SPACE(sizeof(tpacket_auxdata))> control{};
  iovec part{room.data(), room.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t length = ::recvmsg(fd_, &message, 0);
  check(length >= 0, "receive");
  Bytes frame(room.begin(), room.begin() + length);
  restore_tag(message, frame);
  return frame;
}

}  // namespace hilgate::test
