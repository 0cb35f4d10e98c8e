// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/metrics/exporter.h"

#include <gmock/gmock.h>
#include <prometheus/check_names.h>
#include <prometheus/text_serializer.h>

#include "gateway/views/metrics/metric_sources.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMany = 100;

Json status() {
  return Json::parse(R"({
    "uptime_s": 2.5,
    "totals": {"in": 7, "dropped": {"radio_loss": 3, "hold_full": 1}, "balanced": true},
    "loop": {"release_lateness": [[1.0, 2], [2.0, 5], [4.0, 6]]},
    "ports": [{"name": "red", "state": "up",
               "arrival_timestamps": {"source": "driver", "missing": 2, "unusable": 3},
               "release_timestamps": {"source": "kernel", "early": 1, "errors": [[2.0, 4], [4.0, 6]]}},
              {"name": "blue", "state": "no carrier"}],
    "links": [{"from": "red", "to": "blue", "delay_us": 1500.0, "reachable": true, "dropped": {"radio_loss": 3}},
              {"from": "blue", "to": "red", "delay_us": 0, "reachable": false, "dropped": {}}],
    "conditions": [{"name": "port_down", "about": "blue \"b\"", "text": "it is down"}]})");
}

std::string text_of(const std::vector<RunReport>& runs, std::size_t most_links = kMany) {
  return prometheus::TextSerializer().Serialize(metrics_of(runs, most_links));
}

TEST(RunMetrics, EqualTheStatusInBaseUnits) {
  const std::string text = text_of({{"yard", status()}});
  EXPECT_THAT(text, HasSubstr("hilgate_up{run=\"yard\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_uptime_seconds{run=\"yard\"} 2.5\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE hilgate_deliveries_total counter\nhilgate_deliveries_total{run=\"yard\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_dropped_deliveries_total{run=\"yard\",reason=\"radio_loss\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_balanced{run=\"yard\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_up{run=\"yard\",port=\"red\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_up{run=\"yard\",port=\"blue\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_early_frames_total{run=\"yard\",port=\"red\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_timestamps_by_kernel{run=\"yard\",port=\"red\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_timestamps_by_driver{run=\"yard\",port=\"red\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_arrivals_by_driver{run=\"yard\",port=\"red\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_arrivals_missing_total{run=\"yard\",port=\"red\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_arrivals_unusable_total{run=\"yard\",port=\"red\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_port_release_error_seconds_count{run=\"yard\",port=\"red\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("hilgate_link_delay_seconds{run=\"yard\",from=\"red\",to=\"blue\"} 0.0015"));
  EXPECT_THAT(text, HasSubstr(R"(hilgate_condition{run="yard",condition="port_down",about="blue \"b\""} 1)"));
  EXPECT_THAT(text, Not(HasSubstr("hilgate_clock"))) << "the status does not have it";
}

TEST(RunMetrics, AHistogramCountsUpToEachBound) {
  const std::string text = text_of({{"yard", status()}});
  EXPECT_THAT(text, HasSubstr("hilgate_release_lateness_seconds_count{run=\"yard\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("le=\"+Inf\"} 6\n"));
  const auto families = metrics_of({{"yard", status()}}, kMany);
  for (const auto& family : families) {
    if (family.name == "hilgate_release_lateness_seconds") {
      ASSERT_EQ(family.metric[0].histogram.bucket.size(), 3U);
      EXPECT_EQ(family.metric[0].histogram.bucket[1].cumulative_count, 5U);
      EXPECT_DOUBLE_EQ(family.metric[0].histogram.bucket[1].upper_bound, 2e-6);
      EXPECT_DOUBLE_EQ(family.metric[0].histogram.sample_sum, (2 * 0.5 + 3 * 1.5 + 3) * 1e-6);
    }
  }
}

TEST(RunMetrics, ARunThatDoesNotAnswerIsDown) {
  const std::string text = text_of({{"dead", nullptr}, {"yard", status()}});
  EXPECT_THAT(text, HasSubstr("hilgate_up{run=\"dead\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("hilgate_uptime_seconds{run=\"dead\"}")));
}

TEST(RunMetrics, TooManyLinksAreLeftOutAndCounted) {
  EXPECT_THAT(text_of({{"yard", status()}}, 2), HasSubstr("hilgate_links_left_out{run=\"yard\"} 0\n"));
  const std::string text = text_of({{"yard", status()}}, 1);
  EXPECT_THAT(text, HasSubstr("hilgate_links_left_out{run=\"yard\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("hilgate_link_")));
}

TEST(RunMetrics, NamesFollowPrometheusConventions) {
  for (const MetricSource& source : kMetricSources) {
    EXPECT_TRUE(prometheus::CheckMetricName(std::string(source.name))) << source.name;
    EXPECT_EQ(source.kind == MetricKind::kCounter, source.name.ends_with("_total")) << source.name;
  }
}

}  // namespace
}  // namespace hilgate
