// SPDX-License-Identifier: Apache-2.0
#include "path/hold/fq_codel.h"

namespace hilgate {

FqCodel::FqCodel(const QueueRules& rules)
    : quantum_(rules.quantum), flows_(rules.flows, Flow{.line = {}, .codel = CoDel(rules)}) {}

void FqCodel::append(FlowList& list, FlowIndex flow) {
  flows_[flow].next = kNoFlow;
  if (list.head == kNoFlow) {
    list.head = flow;
  } else {
    flows_[list.tail].next = flow;
  }
  list.tail = flow;
}

FqCodel::FlowIndex FqCodel::pop(FlowList& list) {
  const FlowIndex flow = list.head;
  list.head = flows_[flow].next;
  return flow;
}

void FqCodel::append(Slab<QueuedDelivery>& nodes, NodeIndex node) {
  const FlowIndex index = nodes[node].flow % static_cast<FlowIndex>(flows_.size());
  Flow& flow = flows_[index];
  flow.line.append(nodes, node);
  if (!flow.listed) {
    flow.listed = true;
    flow.credits = quantum_;
    append(new_, index);
  }
}

// The one whose turn it is, with credits.
FqCodel::Flow& FqCodel::next_flow() {
  for (;;) {
    FlowList& list = served();
    Flow& flow = flows_[list.head];
    if (flow.credits > 0) {
      return flow;
    }
    flow.credits += quantum_;
    append(old_, pop(list));
  }
}

// Of the flow at the head, whose line is empty. A new one joins the old ones first, so that it cannot return at once as
// a new one and pass them again.
void FqCodel::end_turn() {
  const bool is_new = new_.head != kNoFlow;
  const FlowIndex flow = pop(served());
  if (is_new && old_.head != kNoFlow) {
    append(old_, flow);
  } else {
    flows_[flow].listed = false;
  }
}

QueuedDelivery FqCodel::pop_longest(Slab<QueuedDelivery>& nodes) {
  FlowIndex longest = kNoFlow;
  for (const FlowIndex head : {new_.head, old_.head}) {
    for (FlowIndex flow = head; flow != kNoFlow; flow = flows_[flow].next) {
      if (!flows_[flow].line.empty() && (longest == kNoFlow || flows_[flow].line.bytes > flows_[longest].line.bytes)) {
        longest = flow;
      }
    }
  }
  return flows_[longest].line.pop(nodes);
}

void FqCodel::take_over(const FqCodel& old) {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    flows_[i].codel = old.flows_[i].codel;
  }
}

}  // namespace hilgate
