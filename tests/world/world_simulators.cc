// SPDX-License-Identifier: Apache-2.0
#include "tests/world/world_simulators.h"

#include <chrono>
#include <limits>

namespace hilgate::test {

void WorldNetwork::answer(NetworkAnswer& answer) {
  if (!plan_.judged) {
    answer.has_links = random().chance(0.9);
    if (answer.has_links) {
      plan_.fill(answer.links, air_, random());
      answer.links.window = step_.window;
    }
    return;
  }
  for (const CapturedPacket& packet : packets_) {
    judge(packet, answer);
  }
}

void WorldNetwork::judge(const CapturedPacket& packet, NetworkAnswer& answer) {
  for (std::uint32_t i = 0; i < plan_.robots; ++i) {
    const RobotIndex receiver{i};
    if (receiver == packet.sender || (packet.receiver && *packet.receiver != receiver)) {
      continue;
    }
    if (random().chance(0.95)) {
      answer.verdicts.push_back(verdict_on(packet, receiver));
      for (std::uint32_t more = plan_.twice && random().chance(0.1) ? random().below(8) : 0; more > 0; --more) {
        answer.verdicts.push_back(answer.verdicts.back());
      }
    }
  }
  if (random().chance(0.95)) {  // others wait until they expire
    answer.forget.push_back(packet.id);
  }
}

Verdict WorldNetwork::verdict_on(const CapturedPacket& packet, RobotIndex receiver) {
  const Nanoseconds least = plan_.least[packet.sender.value() * plan_.robots + receiver.value()];
  Verdict verdict{.packet = packet.id,
                  .receiver = receiver,
                  .release_at = packet.captured + least + std::chrono::microseconds(random().below(3000)),
                  .ber = random().chance(0.8) ? 0 : 1e-4,
                  .drop = random().chance(0.9) ? AirDrop::kNone : static_cast<AirDrop>(1 + random().below(5))};
  if (plan_.lying) {
    lie(verdict);
  }
  return verdict;
}

void WorldNetwork::lie(Verdict& verdict) {
  switch (random().below(8)) {
    case 0:
      verdict.packet = random().next();
      break;
    case 1:
      verdict.receiver = RobotIndex{static_cast<std::uint32_t>(random().next())};
      break;
    case 2:
      verdict.ber = random().chance(0.5) ? std::numeric_limits<double>::quiet_NaN() : 7;
      break;
    case 3:
      verdict.release_at = SimTime{Nanoseconds{random().chance(0.5) ? std::numeric_limits<std::int64_t>::min() / 4
                                                                    : std::numeric_limits<std::int64_t>::max() / 4}};
      break;
    case 4:
      verdict.at_once = true;
      break;
    default:
      break;
  }
}

}  // namespace hilgate::test
