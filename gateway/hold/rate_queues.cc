// SPDX-License-Identifier: Apache-2.0
#include "gateway/hold/rate_queues.h"

namespace hilgate {
namespace {

bool has_rate(const LinkRules& rules) {
  return rules.impairments && rules.impairments->rate && rules.impairments->rate->bits_per_second > 0;
}

// A later configuration may make queues longer or shorter while frames wait: room for all that the gateway holds.
std::size_t room(std::span<const LinkRules> rules, std::size_t frames) {
  return std::any_of(rules.begin(), rules.end(), has_rate) ? frames : 0;
}

}  // namespace

RateQueues::RateQueues(std::span<const LinkRules> rules, std::size_t frames) : nodes_(room(rules, frames)) {
  for (std::uint32_t link = 0; link < rules.size(); ++link) {
    if (has_rate(rules[link])) {
      queue_of_.resize(rules.size());
      queue_of_[link] = QueueIndex{static_cast<std::uint32_t>(queues_.size())};
      queues_.push_back({.limit = *rules[link].impairments->rate});
    }
  }
  busy_.reserve(queues_.size());
}

bool RateQueues::append(Queue& queue, const QueuedDelivery& delivery) {
  const NodeIndex node = nodes_.take();
  if (node == kNoNode) {
    return false;
  }
  nodes_[node] = delivery;
  nodes_[node].next = kNoNode;
  if (queue.frames == 0) {
    queue.head = node;
  } else {
    nodes_[queue.tail].next = node;
  }
  queue.tail = node;
  if (!queue.listed) {
    queue.listed = true;
    busy_.push_back(static_cast<std::uint32_t>(&queue - queues_.data()));
  }
  ++queue.frames;
  queue.bytes += delivery.pending.length;
  return true;
}

QueuedDelivery RateQueues::pop(Queue& queue) {
  const NodeIndex node = queue.head;
  const QueuedDelivery delivery = nodes_[node];
  queue.head = delivery.next;
  nodes_.give_back(node);
  --queue.frames;
  queue.bytes -= delivery.pending.length;
  return delivery;
}

}  // namespace hilgate
