// SPDX-License-Identifier: Apache-2.0
#include "path/verdicts/parking.h"

#include <algorithm>
#include <bit>

#include "frame/headers.h"
#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kSetBits = 64;
constexpr std::size_t kSlotsPerPacket = 4;
constexpr std::uint32_t kIpv4Addresses = 12;  // offset in the IP header

constexpr std::uint64_t bit_of(RobotSlot robot) {
  return std::uint64_t{1} << (robot.value() % kSetBits);
}

std::uint32_t load_be32(const std::byte* bytes) {
  return load_be<std::uint32_t>(bytes);
}

// The packet's fields for a network simulator. `payload` follows the EtherType.
void read_addresses(const Parking::Entry& entry, ParkedPacket& packet) {
  const Frame& frame = entry.frame;
  if (frame.head_length < entry.payload + kIpv4Header || entry.payload < 2) {
    return;
  }
  const EtherType type{load_be<std::uint16_t>(frame.data + entry.payload - 2)};
  const std::uint16_t first = load_be<std::uint16_t>(frame.data + entry.payload);
  if (type == EtherType::kIpv6 && frame.head_length >= entry.payload + kIpv6Header) {
    packet.traffic_class = static_cast<std::uint8_t>(first >> 4);
  }
  if (type != EtherType::kIpv4) {
    return;
  }
  packet.traffic_class = static_cast<std::uint8_t>(first);
  packet.src_ip = load_be32(frame.data + entry.payload + kIpv4Addresses);
  packet.dst_ip = load_be32(frame.data + entry.payload + kIpv4Addresses + 4);
}

}  // namespace

Parking::Parking(std::size_t packets, std::size_t robots)
    : robots_(robots),
      words_((robots + kSetBits - 1) / kSetBits),
      entries_(packets > 0 ? std::bit_ceil(packets) : 0),
      slots_(entries_.capacity() * kSlotsPerPacket, kNoNode),
      sets_(entries_.capacity() * words_ * kSets),
      by_sender_(robots),
      rings_(packets) {}

std::optional<DropReason> Parking::park(const Entry& wanted, std::span<const RobotSlot> receivers) {
  if (!rings_.open.load(std::memory_order_relaxed)) {
    return DropReason::kVerdictMissing;
  }
  if (!within_share(wanted.from)) {
    return DropReason::kHoldFull;
  }
  if (slot_of(next_id_) != kNoNode) {
    ++next_id_;  // else no packet could be parked until that one is gone
    return DropReason::kHoldFull;
  }
  ParkedPacket packet{.id = next_id_,
                      .arrived = wanted.frame.arrived,
                      .from = wanted.from,
                      .to = wanted.group ? OptionalIndex<RobotSlot>{} : receivers.front(),
                      .length = wanted.frame.length};
  read_addresses(wanted, packet);
  if (!rings_.parked.push(packet)) {
    return DropReason::kHoldFull;
  }
  slot_of(next_id_) = entries_.take();  // there is one: the share of a full parking is nothing
  Entry& entry = entries_[slot_of(next_id_)];
  entry = wanted;
  entry.id = next_id_++;
  entry.waiting = static_cast<std::uint32_t>(receivers.size());
  std::fill_n(addressed(entry), kSets * words_, 0);
  for (const RobotSlot robot : receivers) {
    addressed(entry)[robot.value() / kSetBits] |= bit_of(robot);
    undecided(entry)[robot.value() / kSetBits] |= bit_of(robot);
  }
  waiting_ += receivers.size();
  ++by_sender_[entry.from.value()];
  return std::nullopt;
}

Parking::Entry* Parking::find(std::uint64_t packet) {
  const NodeIndex slot = slot_of(packet);
  return slot != kNoNode && entries_[slot].id == packet ? &entries_[slot] : nullptr;
}

Parking::Claim Parking::decide(Entry& entry, RobotSlot receiver) {
  const std::size_t word = receiver.value() / kSetBits;
  if (receiver.value() >= robots_ || (addressed(entry)[word] & bit_of(receiver)) == 0) {
    return Claim::kNobody;
  }
  if ((undecided(entry)[word] & bit_of(receiver)) == 0) {
    return Claim::kAgain;
  }
  undecided(entry)[word] &= ~bit_of(receiver);
  --entry.waiting;
  --waiting_;
  return Claim::kFirst;
}

bool Parking::claim_copy(Entry& entry, RobotSlot receiver) {
  const std::uint64_t bit = bit_of(receiver);
  std::uint64_t& low = copies(entry)[receiver.value() / kSetBits];
  std::uint64_t& high = copies(entry)[receiver.value() / kSetBits + words_];
  const unsigned made = ((low & bit) != 0 ? 1U : 0U) + ((high & bit) != 0 ? 2U : 0U);
  if (made >= kMostCopies) {
    return false;
  }
  high ^= low & bit;  // the carry
  low ^= bit;
  return true;
}

std::size_t Parking::bytes() const {
  return entries_.bytes() + slots_.size() * sizeof(NodeIndex) + sets_.size() * sizeof(std::uint64_t) +
         rings_.parked.bytes() + rings_.orders.bytes();
}

}  // namespace hilgate
