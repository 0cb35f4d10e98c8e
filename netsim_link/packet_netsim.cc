// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/packet_netsim.h"

#include <cmath>

namespace hilgate {

void PacketNetsim::open(Listener listener) {
  listener_ = std::move(listener);
  table_.links.resize(std::size_t{robots_} * robots_);
  listener_.ready();
}

void PacketNetsim::begin(const NetworkQuestion& question) {
  answer_.verdicts.clear();
  answer_.forget.clear();
  if (question.fresh && question.scene != nullptr && question.scene->robots.size() == robots_) {
    netsim_.link_states(*question.scene, table_);
    known_ = true;
  }
  for (const CapturedPacket& packet : question.packets) {
    if (packet.sender.value() >= robots_) {
      answer_.forget.push_back(packet.id);  // of nobody that this network knows
      continue;
    }
    for (std::uint32_t i = 0; i < robots_; ++i) {
      const RobotIndex receiver{i};
      if (receiver != packet.sender && (!packet.receiver || *packet.receiver == receiver)) {
        decide(packet, receiver, !packet.receiver);
      }
    }
    answer_.forget.push_back(packet.id);
  }
  listener_.ended(answer_);
}

void PacketNetsim::decide(const CapturedPacket& packet, RobotIndex receiver, bool multicast) {
  const LinkState& link = table_.links[link_of(packet.sender, receiver, robots_).value()];
  Verdict verdict{.packet = packet.id, .receiver = receiver, .release_at = packet.captured + link.delay};
  const BitHazard hazard = multicast ? link.multicast : link.unicast;
  verdict.ber = -std::expm1(-hazard.per_bit);
  if (!known_ || !link.reachable) {
    verdict.drop = AirDrop::kOutOfRange;
  } else if (verdict.ber >= 1) {
    verdict.drop = AirDrop::kBitErrors;
  }
  if (verdict.drop != AirDrop::kNone) {
    verdict.ber = 0;
  }
  answer_.verdicts.push_back(verdict);
}

}  // namespace hilgate
