// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/ns3_network.h"

#include <algorithm>

#include <fmt/format.h>

namespace hilgate::ns3net {

void Ns3Network::open(Listener listener) {
  listener_ = std::move(listener);
  listener_.ready();
}

void Ns3Network::begin(const NetworkQuestion& question) {
  answer_.verdicts.clear();
  answer_.forget.clear();
  if (question.step.from < world_.now() && question.step.end() < world_.now()) {
    return listener_.failed(fmt::format(
        "the gateway requests {} ns, but ns-3 has already simulated {} ns; restart hilgate-ns3 for each run",
        question.step.from.time_since_epoch().count(), world_.now().time_since_epoch().count()));
  }
  if (question.fresh && question.scene != nullptr) {
    if (question.scene->robots.size() != robots_) {
      return listener_.failed(
          fmt::format("the gateway has {} robots, the scenario {}; list the gateway's robots in its order",
                      question.scene->robots.size(), robots_));
    }
    world_.use(*question.scene);
  }
  for (const CapturedPacket& packet : question.packets) {
    if (!enter(packet, question.step)) {
      return listener_.failed(fmt::format(
          "frame {} is between robots {} and {}, but the scenario has {}; list the gateway's robots in its order",
          packet.id, packet.sender.value(), packet.receiver.value_or(packet.sender).value(), robots_));
    }
  }
  world_.advance(question.step.end(), answer_);
  listener_.ended(answer_);
}

bool Ns3Network::enter(const CapturedPacket& packet, const Step& step) {
  if (packet.sender.value() >= robots_ || (packet.receiver && packet.receiver->value() >= robots_)) {
    return false;
  }
  const SimTime at = packet.captured < step.from ? packet.captured + step.length : packet.captured;
  world_.enter(packet, std::clamp(at, std::max(step.from, world_.now()), std::max(step.end(), world_.now())));
  return true;
}

}  // namespace hilgate::ns3net
