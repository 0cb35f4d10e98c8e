// SPDX-License-Identifier: Apache-2.0
// FQ-CoDel against RFC 8290.
#include "path/hold/fq_codel.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kNow{1s};

class FqCodelLine {
 public:
  explicit FqCodelLine(QueueRules rules = {})
      : fair_([&rules] {
          rules.discipline = QueueDiscipline::kFqCodel;
          return rules;
        }()) {}

  void push(std::uint32_t flow, std::uint32_t bytes, HostTime at = kNow, BufferId name = 0) {
    const NodeIndex node = nodes.take();
    ASSERT_NE(node, kNoNode);
    nodes[node] = {.pending = {.buffer = name, .length = bytes}, .ready = at, .flow = flow};
    fair_.append(nodes, node);
  }
  QueuedDelivery pop(HostTime now = kNow) {
    return fair_.pop(nodes, now, [this](const QueuedDelivery& taken) { ++dropped[taken.flow]; });
  }
  QueuedDelivery pop_longest() { return fair_.pop_longest(nodes); }

  Slab<QueuedDelivery> nodes{4096};
  std::map<std::uint32_t, int> dropped;

 private:
  FqCodel fair_;
};

TEST(FqCodel, FlowsShareTheWireByBytes) {
  FqCodelLine line;
  for (int i = 0; i < 300; ++i) {
    line.push(1, 1500);
  }
  for (int i = 0; i < 1500; ++i) {
    line.push(2, 300);
  }
  std::map<std::uint32_t, std::uint32_t> bytes;
  for (int i = 0; i < 900; ++i) {
    const QueuedDelivery sent = line.pop();
    bytes[sent.flow] += sent.pending.length;
  }
  EXPECT_NEAR(bytes[1], bytes[2], 2 * 1514 + 1500);
}

TEST(FqCodel, SparseFlowOvertakesQueuedOnes) {
  FqCodelLine line;
  for (int i = 0; i < 100; ++i) {
    line.push(1, 1500);
    line.push(2, 1500);
  }
  for (int i = 0; i < 10; ++i) {
    line.pop();
  }
  line.push(3, 100);
  EXPECT_EQ(line.pop().flow, 3U);
}

TEST(FqCodel, AFlowThatReturnsEachTimeIsNotNewEachTime) {
  FqCodelLine line;
  for (int i = 0; i < 100; ++i) {
    line.push(1, 1500);
    line.push(2, 1500);
  }
  int of_third = 0;
  for (int i = 0; i < 60; ++i) {
    line.push(3, 1500);
    of_third += line.pop().flow == 3 ? 1 : 0;
  }
  EXPECT_NEAR(of_third, 20, 3);
}

TEST(FqCodel, AFlowKeepsItsOrder) {
  FqCodelLine line;
  for (BufferId i = 0; i < 50; ++i) {
    line.push(static_cast<std::uint32_t>(i % 3), 700, kNow, i);
  }
  std::map<std::uint32_t, BufferId> last;
  for (int i = 0; i < 50; ++i) {
    const QueuedDelivery sent = line.pop();
    if (last.contains(sent.flow)) {
      EXPECT_GT(sent.pending.buffer, last[sent.flow]);
    }
    last[sent.flow] = sent.pending.buffer;
  }
  EXPECT_EQ(line.nodes.used(), 0U);
}

TEST(FqCodel, AFullQueueLosesTheFirstOfTheLongestFlow) {
  FqCodelLine line;
  line.push(1, 100, kNow, 1);
  for (BufferId i = 10; i < 15; ++i) {
    line.push(2, 1000, kNow, i);
  }
  const QueuedDelivery lost = line.pop_longest();
  EXPECT_EQ(lost.flow, 2U);
  EXPECT_EQ(lost.pending.buffer, 10U);
}

TEST(FqCodel, FlowsAreManagedApart) {
  FqCodelLine line;
  // Flow 1 always has a queue that waits for 50 ms; flow 2 has a frame now and then, of which none waits.
  HostTime now = kNow;
  for (int i = 0; i < 100; ++i) {
    line.push(1, 1500, now);
  }
  for (int i = 0; i < 1000; ++i) {
    now += 1ms;
    line.push(1, 1500, now - 50ms);
    if (i % 10 == 0) {
      line.push(2, 100, now);
    }
    line.pop(now);
  }
  EXPECT_GT(line.dropped[1], 5);
  EXPECT_EQ(line.dropped[2], 0);
}

TEST(FqCodel, OneQueueHasAllFlows) {
  FqCodelLine line({.flows = 1});
  for (BufferId i = 0; i < 10; ++i) {
    line.push(static_cast<std::uint32_t>(i), 100, kNow, i);
  }
  for (BufferId i = 0; i < 10; ++i) {
    EXPECT_EQ(line.pop().pending.buffer, i);
  }
}

}  // namespace
}  // namespace hilgate::test
