// SPDX-License-Identifier: Apache-2.0
#include "gateway/path/parking.h"

#include <algorithm>
#include <bit>

#include "frame/headers.h"
#include "host/big_endian.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kSetBits = 64;
constexpr std::uint32_t kIpv4Addresses = 12;  // offset in the IP header

constexpr std::uint64_t bit_of(RobotId robot) {
  return std::uint64_t{1} << (robot.value() % kSetBits);
}

std::uint32_t load_be32(const std::byte* bytes) {
  return load_be<std::uint32_t>(bytes);
}

// What a network simulator may be told of the packet. `payload` lies behind the EtherType.
void read_addresses(const Parking::Place& place, ParkedPacket& packet) {
  const Frame& frame = place.frame;
  if (frame.head_length < place.payload + kIpv4Header || place.payload < 2) {
    return;
  }
  const EtherType type{load_be<std::uint16_t>(frame.data + place.payload - 2)};
  const std::uint16_t first = load_be<std::uint16_t>(frame.data + place.payload);
  if (type == EtherType::kIpv6 && frame.head_length >= place.payload + kIpv6Header) {
    packet.traffic_class = static_cast<std::uint8_t>(first >> 4);
  }
  if (type != EtherType::kIpv4) {
    return;
  }
  packet.traffic_class = static_cast<std::uint8_t>(first);
  packet.src_ip = load_be32(frame.data + place.payload + kIpv4Addresses);
  packet.dst_ip = load_be32(frame.data + place.payload + kIpv4Addresses + 4);
}

}  // namespace

Parking::Parking(std::size_t packets, std::size_t robots)
    : robots_(robots),
      words_((robots + kSetBits - 1) / kSetBits),
      places_(packets > 0 ? std::bit_ceil(packets) : 0),
      sets_(places_.size() * words_ * 2),
      rings_(packets) {}

std::uint64_t* Parking::addressed(const Place& place) {
  return sets_.data() + static_cast<std::size_t>(&place - places_.data()) * words_ * 2;
}

std::optional<DropReason> Parking::park(const Place& wanted, std::span<const RobotId> receivers) {
  if (!rings_.open.load(std::memory_order_relaxed)) {
    return DropReason::kVerdictMissing;
  }
  Place& place = places_[next_id_ & (places_.size() - 1)];
  if (place.taken) {
    ++next_id_;  // or nobody could park until that one is gone
    return DropReason::kHoldFull;
  }
  ParkedPacket packet{.id = next_id_,
                      .arrived = wanted.frame.arrived,
                      .from = wanted.from,
                      .to = wanted.group ? kEverybody : receivers.front(),
                      .length = wanted.frame.length};
  read_addresses(wanted, packet);
  if (!rings_.parked.push(packet)) {
    return DropReason::kHoldFull;
  }
  place = wanted;
  place.id = next_id_++;
  place.taken = true;
  place.waiting = static_cast<std::uint32_t>(receivers.size());
  std::fill_n(addressed(place), 2 * words_, 0);
  for (const RobotId robot : receivers) {
    addressed(place)[robot.value() / kSetBits] |= bit_of(robot);
    undecided(place)[robot.value() / kSetBits] |= bit_of(robot);
  }
  waiting_ += receivers.size();
  ++packets_;
  return std::nullopt;
}

Parking::Place* Parking::find(std::uint64_t packet) {
  Place& place = places_[packet & (places_.size() - 1)];
  return place.taken && place.id == packet ? &place : nullptr;
}

Parking::Claim Parking::decide(Place& place, RobotId receiver) {
  const std::size_t word = receiver.value() / kSetBits;
  if (receiver.value() >= robots_ || (addressed(place)[word] & bit_of(receiver)) == 0) {
    return Claim::kNobody;
  }
  if ((undecided(place)[word] & bit_of(receiver)) == 0) {
    return Claim::kAgain;
  }
  undecided(place)[word] &= ~bit_of(receiver);
  --place.waiting;
  --waiting_;
  return Claim::kFirst;
}

std::size_t Parking::bytes() const {
  return places_.size() * sizeof(Place) + sets_.size() * sizeof(std::uint64_t) + rings_.parked.bytes() +
         rings_.orders.bytes();
}

}  // namespace hilgate
