// SPDX-License-Identifier: Apache-2.0
// A robot's frame before everything that reads its headers: which part is what, what is answered, what is overheard.
#include <optional>

#include "clock/ptp/ptp_passage.h"
#include "frame/checksum.h"
#include "frame/headers.h"
#include "gateway/run/telemetry/heard_packet.h"
#include "path/answers/address_resolution.h"
#include "path/answers/packet_too_big.h"
#include "path/ports/serial_payload.h"
#include "path/settings/tap.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

constexpr MacAddress kPeer{0x0200'0000'0009};

// An answer is a frame to its asker, and what its headers count and sum is right.
void check_answer(std::span<const std::byte> answer, std::span<const std::byte> question) {
  const auto ethernet = parse_ethernet(answer);
  require(ethernet.has_value(), "an answer has an Ethernet header");
  require(ethernet->type == EtherType::kArp || ethernet->destination == parse_ethernet(question)->source,
          "an answer goes to who asked; of ARP, to whom the question names");
  if (ethernet->type != EtherType::kIpv4 && ethernet->type != EtherType::kIpv6) {
    return;
  }
  const auto ip = parse_ip(answer, *ethernet);
  require(ip.has_value(), "an answer's IP header is whole");
  if (ethernet->type == EtherType::kIpv4) {
    require(internet_checksum(internet_sum(answer.subspan(ip->start, ip->payload - ip->start))) == 0,
            "an answer's header sums up");
    require(internet_checksum(internet_sum(answer.subspan(ip->payload, ip->end - ip->payload))) == 0,
            "an answer's ICMP sums up");
  } else {
    const std::uint32_t length = ip->end - ip->payload;
    require(internet_checksum(internet_sum(answer.subspan(ip->start + 8, 32)) + length + 58 +
                              internet_sum(answer.subspan(ip->payload, length))) == 0,
            "an answer's ICMPv6 sums up");
  }
}

void check_ip(std::span<const std::byte> head, const EthernetHeader& ethernet) {
  const auto ip = parse_ip(head, ethernet);
  if (!ip) {
    return;
  }
  require(
      ip->start == ethernet.payload && ip->payload > ip->start && ip->payload <= head.size() && ip->end >= ip->payload,
      "the parts of a packet follow each other");
  require(transport_payload(head, *ip) >= ip->payload, "a transport header is behind that of IP");
  (void)ChecksumRepair::of(head);
}

void read(std::span<const std::byte> head, std::uint32_t length, std::uint32_t mtu) {
  static Tap tap({.on = true, .ports = {14550, 14551}});
  const auto ethernet = parse_ethernet(head);
  const Frame frame{.data = const_cast<std::byte*>(head.data()),
                    .length = length,
                    .head_length = static_cast<std::uint32_t>(head.size())};
  tap.listen({&frame, 1}, PortSlot{0});
  if (tap.rings().overheard.front() != nullptr) {
    tap.rings().overheard.drop_front();
  }
  (void)read_overheard(head);
  (void)vlan_control(head);
  if (!ethernet) {
    return;
  }
  check_ip(head, *ethernet);
  (void)resolves_addresses(head, length, ethernet->payload);
  require(serial_payload(head, length, ethernet->payload) <= length, "a payload is no longer than its frame");
  NeighbourAnswers neighbours;
  if (NeighbourAnswers::asked(head, ethernet->payload)) {
    check_answer(neighbours.answer(head, ethernet->payload, kPeer), head);
  }
  PacketTooBig too_big(1);
  const auto answer = too_big.answer(head, mtu, 0, HostTime{std::chrono::seconds(1)},
                                     {.mac = kPeer, .ipv6 = *IpAddress::parse("fe80::9")});
  if (!answer.empty() && !answer.subspan(0, 6).empty()) {
    check_answer(answer, head);
  }
}

}  // namespace
}  // namespace hilgate::test

// A choice of MTU and of bytes beyond the first segment, and the frame.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hilgate::test::FuzzInput input(data, size);
  const std::uint32_t mtu = 64 + 20U * input.byte();
  const std::uint32_t more = 16U * input.byte();
  const auto head = input.bytes(4096);
  hilgate::test::read(head, static_cast<std::uint32_t>(head.size()) + more, mtu);
  return 0;
}
