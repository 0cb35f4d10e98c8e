// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "bench/bench.h"
#include "bench/bench_gateway.h"
#include "bench/bench_stream.h"
#include "bench/certify/subjects.h"
#include "clock/host_now.h"
#include "gateway/run/control/control_client.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr double kGapRate = 1000;          // frames per second, so that a gap is known to a millisecond
constexpr double kOtherwiseLoad = 20'000;  // where no NDR was measured
constexpr Nanoseconds kBeforeKill = 100ms;
constexpr Nanoseconds kAroundKill = 350ms;
constexpr auto kFirstFramePatience = 30s;

/// A stream on another thread.
class Streaming {
 public:
  Streaming(const BenchNetwork& network, const StreamPlan& plan)
      : stream_(std::async(std::launch::async,
                           [this, &network, plan] { return run_stream(network, plan, stop_.get_token(), &heard_); })) {}
  ~Streaming() { stop_.request_stop(); }
  Streaming(const Streaming&) = delete;
  Streaming& operator=(const Streaming&) = delete;

  [[nodiscard]] std::uint64_t heard() const { return heard_.load(); }
  void stop() { stop_.request_stop(); }
  Stream finish() { return stream_.get(); }

 private:
  std::stop_source stop_;
  std::atomic<std::uint64_t> heard_{0};
  std::future<Stream> stream_;  // last: its thread uses what is above
};

double ms_of(Nanoseconds span) {
  return microseconds_of(span) / 1000;
}

double gap_ms(const BenchNetwork& network, const std::function<void()>& disturb) {
  Streaming streaming(network,
                      {.sizes = {kSmallestFrame}, .per_second = kGapRate, .duration = kAroundKill, .stamp_every = 1});
  std::this_thread::sleep_for(kBeforeKill);
  disturb();
  const Stream stream = streaming.finish();
  if (stream.heard.size() < 2) {
    throw std::runtime_error("no frame passed around the gateway's end");
  }
  return ms_of(stream.longest_gap());
}

void measure_gap(const CertifyRound& round, const CertifySay& say) {
  const BenchNetwork network;
  const BenchProcessors processors;
  const std::string yaml = wire_yaml(processors, Nanoseconds{0}) + "memory: {frames: 4096}\nheartbeat: {stale: 10ms}\n";
  std::vector<Nanoseconds> gaps;
  for (unsigned kill = 0; kill < round.form.kills; ++kill) {
    processors.allow_all();
    BenchGateway gateway(network, yaml, "wire");
    processors.keep_traffic_off_forwarding();
    if (kill == 0) {
      say("live.gap.undisturbed", gap_ms(network, [] {}));
    }
    const double gap = gap_ms(network, [&gateway] { gateway.kill(); });
    gaps.emplace_back(static_cast<std::int64_t>(gap * 1e6));
  }
  processors.allow_all();
  say("live.gap.p50", ms_of(quantile(gaps, 0.5)));
  say("live.gap.p99", ms_of(*std::max_element(gaps.begin(), gaps.end())));
}

double lost_frames(const BenchNetwork& network, const CertifyRound& round, const std::function<void()>& disturb) {
  const auto ndr = round.so_far.find("wire.ndr." + loading_size(round.sizes));
  const auto found = ndr == round.so_far.end() ? std::nullopt : spread_of(ndr->second);
  Streaming streaming(network, {.sizes = wire_sizes(loading_size(round.sizes)),
                                .per_second = found && found->median > 0 ? found->median / 2 : kOtherwiseLoad,
                                .duration = round.form.change});
  std::this_thread::sleep_for(round.form.change / 4);
  disturb();
  return static_cast<double>(streaming.finish().lost());
}

void measure_changes(const CertifyRound& round, const CertifySay& say) {
  const BenchNetwork network;
  const BenchProcessors processors;
  BenchGateway gateway(network, wire_yaml(processors, kAskedDelay));
  processors.keep_traffic_off_forwarding();
  say("live.lost.undisturbed", lost_frames(network, round, [] {}));
  say("live.lost.reload", lost_frames(network, round, [&] {
        gateway.rewrite(wire_yaml(processors, 2 * kAskedDelay));
        control_request(gateway.socket(), {{"command", "reload"}});
      }));
  say("live.lost.set", lost_frames(network, round, [&] {
        control_request(gateway.socket(), {{"command", "set"}, {"values", {"links.red.blue.delay=3ms"}}});
      }));
  processors.allow_all();
}

/// From before `start` makes something that forwards until the first frame has come through it.
template <class Start>
double start_ms(Start start) {
  const BenchNetwork network;
  const BenchProcessors processors;
  processors.keep_traffic_off_forwarding();
  Streaming streaming(
      network, {.sizes = {kSmallestFrame}, .per_second = kGapRate, .duration = kFirstFramePatience, .stamp_every = 1});
  processors.allow_all();
  const Nanoseconds began = stream_clock();
  const auto running = start(network, processors);
  const HostTime end = host_now() + kFirstFramePatience;
  while (streaming.heard() == 0 && host_now() < end) {
    std::this_thread::sleep_for(1ms);
  }
  streaming.stop();
  const Stream stream = streaming.finish();
  if (stream.heard.empty()) {
    throw std::runtime_error("no frame came through within 30 s of the start");
  }
  return ms_of(stream.heard.front().heard - began);
}

}  // namespace

void measure_live(const CertifyRound& round, const CertifySay& say) {
  require_bench_rights("hilgate certify");
  say("live.forwarder_start", start_ms([](const BenchNetwork& network, const BenchProcessors& processors) {
        return std::make_unique<BenchForwarder>(network, processors);
      }));
  say("live.start", start_ms([](const BenchNetwork& network, const BenchProcessors& processors) {
        return std::make_unique<BenchGateway>(network, wire_yaml(processors, Nanoseconds{0}));
      }));
  measure_changes(round, say);
  measure_gap(round, say);
}

}  // namespace hilgate
