// SPDX-License-Identifier: Apache-2.0
// The rate of a link and its queue, as configurations have them.
#include "netsim_link/impairments/link_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/yaml_reader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

RateLimit read_limit(const std::string& queue, const std::string& more = {}) {
  RateLimit limit;
  YamlDocument document = YamlDocument::parse("rate: {limit: 10 Mbit/s, queue: " + queue + more + "}", "f.yaml");
  const auto read = [&limit](YamlDocument& of) {
    YamlReader root = of.root();
    limit = RateLimit::read(root).value_or(RateLimit{});
  };
  read(document);
  document.finish(read);
  return limit;
}
std::vector<std::string> limit_faults(const std::string& queue, const std::string& more = {}) {
  std::vector<std::string> lines;
  try {
    read_limit(queue, more);
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      lines.push_back(fault.line_text());
    }
  }
  return lines;
}

TEST(LinkLimits, OfAQueueAreInFramesBytesAndTime) {
  const RateLimit limit = read_limit("{frames: 7, bytes: 9 kB, time: 100ms}");
  EXPECT_EQ(limit.queue_frames, 7U);
  EXPECT_EQ(limit.queue_bytes, 9000U);
  EXPECT_EQ(limit.queue_time, 100ms);
  EXPECT_TRUE(limit.management.is_fifo());
}

TEST(LinkLimits, DisciplinesHaveTheDefaultsOfTheirRfcs) {
  EXPECT_EQ(read_limit("{discipline: codel}").management,
            (QueueRules{.discipline = QueueDiscipline::kCodel, .target = 5ms, .interval = 100ms}));
  EXPECT_EQ(read_limit("{discipline: pie}").management,
            (QueueRules{.discipline = QueueDiscipline::kPie, .target = 15ms, .interval = 15ms}));
  EXPECT_EQ(read_limit("{discipline: dualpi2}").management,
            (QueueRules{.discipline = QueueDiscipline::kDualPi2, .target = 15ms, .interval = 16ms, .ecn = true}));
  EXPECT_EQ(
      read_limit("{discipline: fq_codel, target: 20ms, interval: 1s, ecn: true, flows: 8, quantum: 300}").management,
      (QueueRules{.discipline = QueueDiscipline::kFqCodel,
                  .target = 20ms,
                  .interval = 1s,
                  .ecn = true,
                  .flows = 8,
                  .quantum = 300}));
}

TEST(LinkLimits, ReportFaultsOfAQueue) {
  EXPECT_THAT(limit_faults("{time: 2h}"),
              ElementsAre(HasSubstr("f.yaml:1: rate.queue.time: '2h' is out of range; allowed: 1us to 1h")));
  EXPECT_THAT(limit_faults("{discipline: red}"), ElementsAre(HasSubstr("rate.queue.discipline")));
  EXPECT_THAT(limit_faults("{discipline: codel, target: 100ms}"),
              ElementsAre(HasSubstr("makes the target as long as the interval or longer")));
  EXPECT_THAT(limit_faults("{discipline: codel, flows: 5}"),
              ElementsAre(HasSubstr("flows: belongs to discipline fq_codel; discipline is 'codel' here")));
  EXPECT_THAT(limit_faults("{ecn: true}"), ElementsAre(HasSubstr("ecn: belongs to discipline")));
  EXPECT_THAT(limit_faults("{discipline: fq_codel}", ", drop: head"),
              ElementsAre(HasSubstr("has no meaning with fq_codel")));
}

}  // namespace
}  // namespace hilgate::test
