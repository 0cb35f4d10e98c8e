// SPDX-License-Identifier: Apache-2.0
#include "path/fate/damage.h"

#include <algorithm>
#include <optional>

#include "frame/checksum.h"
#include "frame/headers.h"

namespace hilgate {
namespace {

template <class OnError>
void walk_errors(ErrorMeter& meter, BitHazard hazard, std::uint64_t bits, FrameRandom& random, double continues,
                 OnError on_error) {
  std::uint64_t at = 0;
  while (at < bits) {
    at += meter.next_error(bits - at, hazard, random);
    if (at < bits) {
      do {
        on_error(at++);
      } while (continues > 0 && at < bits && random.uniform() <= continues);
    }
  }
}

std::uint32_t protected_until(std::span<const std::byte> head, const EthernetHeader& ethernet, ErrorPolicy policy,
                              std::uint32_t length) {
  if (ethernet.type == EtherType::kArp) {
    return length;
  }
  const auto ip = parse_ip(head, ethernet);
  if (!ip) {
    return ethernet.payload;
  }
  return policy == ErrorPolicy::kCorruptFixsum ? transport_payload(head, *ip) : ip->payload;
}

}  // namespace

ExposedBytes exposed_bytes(std::span<const std::byte> head, std::uint32_t length, ErrorPolicy policy) {
  const auto ethernet = parse_ethernet(head);
  const std::uint32_t begin = ethernet ? ethernet->payload : length;
  const std::uint32_t payload = ethernet ? protected_until(head, *ethernet, policy, length) : length;
  return {begin, std::clamp(payload, begin, length), length};
}

DamageScan scan_errors(ErrorMeter& meter, BitHazard hazard, const ExposedBytes& exposed, FrameRandom random,
                       double continues) {
  DamageScan scan;
  const std::uint64_t first_payload_bit = 8ULL * (exposed.payload - exposed.begin);
  walk_errors(meter, hazard, exposed.bits(), random, continues, [&](std::uint64_t bit) {
    ++scan.errors;
    scan.header_hit |= bit < first_payload_bit;
  });
  return scan;
}

void apply_errors(DamageNote note, FrameBytes& bytes) {
  std::optional<ChecksumRepair> repair;
  if (note.repair_checksums) {
    repair = ChecksumRepair::of(bytes.head());
  }
  walk_errors(note.meter, note.hazard, note.exposed.bits(), note.random, note.continues, [&](std::uint64_t bit) {
    const auto offset = note.exposed.begin + static_cast<std::uint32_t>(bit / 8);
    if (offset >= bytes.length()) {
      return;  // in a segment beyond those that FrameBytes takes
    }
    std::byte& byte = bytes[offset];
    const std::byte before = byte;
    byte ^= std::byte{1} << static_cast<int>(bit % 8);
    if (repair) {
      repair->changed(offset, before, byte);
    }
  });
  if (repair) {
    repair->write(bytes);
  }
}

}  // namespace hilgate
