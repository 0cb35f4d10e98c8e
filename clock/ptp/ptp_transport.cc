// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_transport.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "clock/ptp/packet_stamps.h"
#include "host/file_descriptor.h"

namespace hilgate {
namespace {

constexpr int kMostPerDrain = 64;

// IEEE 1588-2008, annexes D, E and F: the addresses for peer delay messages and for all others.
constexpr const char* kUdp4Group = "224.0.1.129";
constexpr const char* kUdp4PeerGroup = "224.0.0.107";
constexpr const char* kUdp6Group = "ff0e::181";
constexpr const char* kUdp6PeerGroup = "ff02::6b";
using Mac = std::array<std::uint8_t, 6>;
constexpr Mac kEthernetGroup = {0x01, 0x1b, 0x19, 0x00, 0x00, 0x00};
constexpr Mac kEthernetPeerGroup = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};

struct Interface {
  std::string name;
  int index = 0;
  Mac mac{};
};

Interface look_up(const std::string& name) {
  const FileDescriptor any{checked(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "clock: socket")};
  Interface result{name, static_cast<int>(if_nametoindex(name.c_str())), {}};
  if (result.index == 0 || name.size() >= IFNAMSIZ) {
    throw std::runtime_error(
        fmt::format("clock: network interface '{}', on which PTP is to be served, does not exist", name));
  }
  ifreq request{};
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  checked(ioctl(any.get(), SIOCGIFHWADDR, &request), fmt::format("clock: MAC address of {}", name));
  if (request.ifr_hwaddr.sa_family != ARPHRD_ETHER) {
    throw std::runtime_error(fmt::format("clock: network interface '{}' is not Ethernet, which PTP needs", name));
  }
  std::memcpy(result.mac.data(), request.ifr_hwaddr.sa_data, result.mac.size());
  return result;
}

template <class T>
void set_option(int socket, int level, int option, const T& value, const std::string& what) {
  checked(setsockopt(socket, level, option, &value, sizeof value), "clock: " + what);
}

// What every transport does with its sockets.
class SocketTransport : public PtpTransport {
 public:
  SocketTransport(const std::string& interface, bool allow_hardware)
      : interface_(look_up(interface)),
        any_(checked(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "clock: socket")),
        stamps_(interface, allow_hardware, any_.get()) {}

  [[nodiscard]] ClockIdentity identity() const override { return clock_identity(interface_.mac); }
  [[nodiscard]] std::uint64_t unstamped() const override { return unstamped_; }

  [[nodiscard]] std::vector<int> descriptors() const override {
    std::vector<int> numbers;
    for (const FileDescriptor& one : sockets_) {
      numbers.push_back(one.get());
    }
    return numbers;
  }

  void drain(const std::function<void(const PtpArrival&)>& take) override {
    stamps_.refresh();
    for (const FileDescriptor& one : sockets_) {
      drain(one.get(), true, take);
      drain(one.get(), false, take);
    }
  }

 protected:
  [[nodiscard]] const Interface& interface() const { return interface_; }
  [[nodiscard]] std::string described(std::string_view transport) const {
    return fmt::format("{} {}, {}", interface_.name, transport, stamps_.describe());
  }
  const FileDescriptor& add(FileDescriptor one, bool stamped) {
    if (stamped) {
      stamps_.enable(one.get());
    }
    sockets_.push_back(std::move(one));
    return sockets_.back();
  }
  [[nodiscard]] int socket_number(std::size_t place) const { return sockets_[place].get(); }
  /// Bytes before the message in what is received, and in the copy of what was sent.
  virtual std::size_t received_header() const = 0;
  virtual std::size_t sent_header() const = 0;

 private:
  void drain(int number, bool sent, const std::function<void(const PtpArrival&)>& take) {
    std::array<std::byte, 2048> buffer;
    for (int i = 0; i < kMostPerDrain; ++i) {
      const auto got = stamps_.receive(number, buffer, sent);
      if (!got) {
        return;
      }
      const std::size_t header = sent ? sent_header() : received_header();
      if (got->bytes.size() <= header) {
        continue;
      }
      const auto message = got->bytes.subspan(header);
      const auto type = static_cast<PtpType>(std::to_integer<std::uint8_t>(message[0]) & 0xf);
      if (!got->stamp && is_event(type)) {
        ++unstamped_;
        continue;
      }
      take({message, got->stamp.value_or(HostTime{}), sent});
    }
  }

  Interface interface_;
  FileDescriptor any_;
  PacketStamps stamps_;
  std::vector<FileDescriptor> sockets_;
  std::uint64_t unstamped_ = 0;
};

// UDP over IPv4 and IPv6 differ in addresses and option names only; sockets_ are event, then general.
class UdpTransport : public SocketTransport {
 public:
  UdpTransport(const std::string& interface, bool allow_hardware, bool v6)
      : SocketTransport(interface, allow_hardware), v6_(v6) {
    for (const std::uint16_t port : {kPtpEventPort, kPtpGeneralPort}) {
      add(open(port), port == kPtpEventPort);
    }
  }

  [[nodiscard]] std::string describe() const override { return described(v6_ ? "UDPv6" : "UDPv4"); }

  bool send(const PtpMessage& message) override {
    const bool event = is_event(message.type());
    const bool peer = is_peer_delay(message.type());
    sockaddr_storage to{};
    const socklen_t length = address(peer, event ? kPtpEventPort : kPtpGeneralPort, to);
    // Annex E: over IPv6 two octets follow the message, for the sake of NICs that write stamps.
    const std::size_t bytes = message.length + (v6_ ? 2 : 0);
    return sendto(socket_number(event ? 0 : 1), message.bytes.data(), bytes, MSG_DONTWAIT,
                  reinterpret_cast<const sockaddr*>(&to), length) >= 0;
  }

 private:
  [[nodiscard]] std::size_t received_header() const override { return 0; }
  [[nodiscard]] std::size_t sent_header() const override { return v6_ ? 62 : 42; }

  [[nodiscard]] socklen_t address(bool peer, std::uint16_t port, sockaddr_storage& storage) const {
    if (v6_) {
      sockaddr_in6 to{};
      to.sin6_family = AF_INET6;
      to.sin6_port = htons(port);
      inet_pton(AF_INET6, peer ? kUdp6PeerGroup : kUdp6Group, &to.sin6_addr);
      to.sin6_scope_id = static_cast<std::uint32_t>(interface().index);
      std::memcpy(&storage, &to, sizeof to);
      return sizeof to;
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, peer ? kUdp4PeerGroup : kUdp4Group, &to.sin_addr);
    std::memcpy(&storage, &to, sizeof to);
    return sizeof to;
  }

  [[nodiscard]] FileDescriptor open(std::uint16_t port) const {
    const std::string what = fmt::format("PTP port {} on {}", port, interface().name);
    FileDescriptor one{
        checked(socket(v6_ ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "clock: " + what)};
    const int number = one.get();
    set_option(number, SOL_SOCKET, SO_REUSEADDR, 1, what);  // a ptp4l may serve another interface
    checked(setsockopt(number, SOL_SOCKET, SO_BINDTODEVICE, interface().name.c_str(),
                       static_cast<socklen_t>(interface().name.size())),
            "clock: " + what);
    v6_ ? join6(number, what) : join4(number, what);
    sockaddr_storage any{};
    any.ss_family = v6_ ? AF_INET6 : AF_INET;
    reinterpret_cast<sockaddr_in*>(&any)->sin_port = htons(port);  // at the same offset in both kinds
    checked(bind(number, reinterpret_cast<const sockaddr*>(&any), v6_ ? sizeof(sockaddr_in6) : sizeof(sockaddr_in)),
            "clock: " + what);
    return one;
  }

  void join4(int number, const std::string& what) const {
    for (const char* group : {kUdp4Group, kUdp4PeerGroup}) {
      ip_mreqn membership{};
      inet_pton(AF_INET, group, &membership.imr_multiaddr);
      membership.imr_ifindex = interface().index;
      set_option(number, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership, what);
      set_option(number, IPPROTO_IP, IP_MULTICAST_IF, membership, what);
    }
    set_option(number, IPPROTO_IP, IP_MULTICAST_LOOP, 0, what);
    set_option(number, IPPROTO_IP, IP_MULTICAST_TTL, 1, what);
  }

  void join6(int number, const std::string& what) const {
    set_option(number, IPPROTO_IPV6, IPV6_V6ONLY, 1, what);
    for (const char* group : {kUdp6Group, kUdp6PeerGroup}) {
      ipv6_mreq membership{};
      inet_pton(AF_INET6, group, &membership.ipv6mr_multiaddr);
      membership.ipv6mr_interface = static_cast<unsigned>(interface().index);
      set_option(number, IPPROTO_IPV6, IPV6_JOIN_GROUP, membership, what);
    }
    set_option(number, IPPROTO_IPV6, IPV6_MULTICAST_IF, interface().index, what);
    set_option(number, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0, what);
    set_option(number, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 1, what);
  }

  bool v6_;
};

class EthernetTransport : public SocketTransport {
 public:
  EthernetTransport(const std::string& interface, bool allow_hardware) : SocketTransport(interface, allow_hardware) {
    const std::string what = fmt::format("PTP over Ethernet on {}", interface);
    FileDescriptor one{
        checked(socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(kPtpEthertype)), "clock: " + what)};
    sockaddr_ll place{};
    place.sll_family = AF_PACKET;
    place.sll_protocol = htons(kPtpEthertype);
    place.sll_ifindex = this->interface().index;
    checked(bind(one.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place), "clock: " + what);
    for (const Mac& group : {kEthernetGroup, kEthernetPeerGroup}) {
      packet_mreq membership{};
      membership.mr_ifindex = this->interface().index;
      membership.mr_type = PACKET_MR_MULTICAST;
      membership.mr_alen = 6;
      std::memcpy(membership.mr_address, group.data(), group.size());
      set_option(one.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership, what);
    }
    add(std::move(one), true);
  }

  [[nodiscard]] std::string describe() const override { return described("Ethernet"); }

  bool send(const PtpMessage& message) override {
    std::array<std::byte, 14 + sizeof message.bytes> frame{};
    const Mac& to = is_peer_delay(message.type()) ? kEthernetPeerGroup : kEthernetGroup;
    std::memcpy(frame.data(), to.data(), to.size());
    std::memcpy(frame.data() + 6, interface().mac.data(), interface().mac.size());
    frame[12] = std::byte{kPtpEthertype >> 8};
    frame[13] = std::byte{kPtpEthertype & 0xff};
    std::memcpy(frame.data() + 14, message.bytes.data(), message.length);
    return ::send(socket_number(0), frame.data(), 14 + message.length, MSG_DONTWAIT) >= 0;
  }

 private:
  [[nodiscard]] std::size_t received_header() const override { return 14; }
  [[nodiscard]] std::size_t sent_header() const override { return 14; }
};

}  // namespace

std::unique_ptr<PtpTransport> open_ptp_transport(PtpTransportKind kind, const std::string& interface,
                                                 bool allow_hardware) {
  if (kind == PtpTransportKind::kEthernet) {
    return std::make_unique<EthernetTransport>(interface, allow_hardware);
  }
  return std::make_unique<UdpTransport>(interface, allow_hardware, kind == PtpTransportKind::kUdp6);
}

}  // namespace hilgate
