// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/scripted_network.h"

#include <stdexcept>

#include <fmt/format.h>

namespace hilgate {

ScriptedNetwork::ScriptedNetwork(const Script& script) : script_(script) {
  if (!(script.loss >= 0 && script.loss <= 1)) {
    throw std::runtime_error(fmt::format("loss is {}; allowed: a probability in [0, 1]", script.loss));
  }
  if (!(script.ber >= 0 && script.ber < 1)) {
    throw std::runtime_error(fmt::format("bit error rate is {}; allowed: [0, 1)", script.ber));
  }
  if (script.delay.count() < 0) {
    throw std::runtime_error(fmt::format("delay is {} ns; it must not be negative", script.delay.count()));
  }
}

void ScriptedNetwork::open(Listener listener) {
  listener_ = std::move(listener);
  listener_.ready();
}

void ScriptedNetwork::begin(const NetworkQuestion& question) {
  answer_.verdicts.clear();
  answer_.forget.clear();
  for (const CapturedPacket& packet : question.packets) {
    if (packet.receiver) {
      decide(packet, *packet.receiver);
    } else {
      for (std::uint32_t i = 0; i < script_.robots; ++i) {
        if (RobotIndex{i} != packet.sender) {
          decide(packet, RobotIndex{i});
        }
      }
    }
    answer_.forget.push_back(packet.id);
  }
  listener_.ended(answer_);
}

void ScriptedNetwork::decide(const CapturedPacket& packet, RobotIndex receiver) {
  Verdict verdict{
      .packet = packet.id, .receiver = receiver, .release_at = packet.captured + script_.delay, .ber = script_.ber};
  FrameRandom random(script_.seed, receiver.value(), packet.id);
  // uniform() is in (0, 1], so that a loss of 0 never loses and one of 1 always does.
  if (random.uniform() <= script_.loss) {
    verdict.drop = AirDrop::kOutOfRange;
    verdict.ber = 0;
  }
  answer_.verdicts.push_back(verdict);
}

}  // namespace hilgate
