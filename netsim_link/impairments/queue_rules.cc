// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/queue_rules.h"

#include "config/range.h"

namespace hilgate {

using namespace std::chrono_literals;

QueueRules QueueRules::read(YamlReader& queue) {
  constexpr Range<Nanoseconds> kTarget{1us, 10s, "1us to 10s"};
  constexpr Range<Nanoseconds> kInterval{1ms, 100s, "1ms to 100s"};
  constexpr Range<std::uint32_t> kFlows{1, 65536, "1 to 65536 flows"};
  constexpr Range<std::uint32_t> kQuantum{64, 65536, "64 to 65536 bytes"};
  QueueRules rules;
  rules.discipline = queue.choice<QueueDiscipline>("discipline",
                                                   {{"fifo", QueueDiscipline::kFifo},
                                                    {"codel", QueueDiscipline::kCodel},
                                                    {"fq_codel", QueueDiscipline::kFqCodel},
                                                    {"pie", QueueDiscipline::kPie},
                                                    {"dualpi2", QueueDiscipline::kDualPi2}},
                                                   QueueDiscipline::kFifo);
  if (rules.discipline == QueueDiscipline::kPie) {  // RFC 8033, 5: QDELAY_REF and T_UPDATE
    rules.target = 15ms;
    rules.interval = 15ms;
  } else if (rules.discipline == QueueDiscipline::kDualPi2) {  // RFC 9332, A.1, with Linux' interval
    rules.target = 15ms;
    rules.interval = 16ms;
    rules.ecn = true;
  }
  if (!rules.is_fifo()) {
    rules.target = read_within(queue, "target", kTarget).value_or(rules.target);
    rules.interval = read_within(queue, "interval", kInterval).value_or(rules.interval);
    rules.ecn = queue.optional<bool>("ecn", rules.ecn);
    const bool is_codel = rules.discipline == QueueDiscipline::kCodel || rules.discipline == QueueDiscipline::kFqCodel;
    if (is_codel && rules.target >= rules.interval) {
      queue.fault(queue.has("target") ? "target" : "interval",
                  "makes the target as long as the interval or longer; CoDel's target is 5 % to 10 % of its interval");
    }
  }
  if (rules.discipline == QueueDiscipline::kFqCodel) {
    rules.flows = read_within(queue, "flows", kFlows).value_or(rules.flows);
    rules.quantum = read_within(queue, "quantum", kQuantum).value_or(rules.quantum);
  }
  return rules;
}

}  // namespace hilgate
