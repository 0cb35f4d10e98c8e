// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/frames_in_flight.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "gateway/configuration/frame_memory.h"
#include "gateway/configuration/link_overrides.h"
#include "netsim_link/impairments/impairments.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kRounding = 1024;

struct FullLink {
  std::uint64_t frames = 0;
  double rate_bps = 0;
  Nanoseconds delay{0};
  std::uint32_t queue = 0;  // frames that wait for the rate, of a queue larger than it is by default
};

double slower(double one_bps, double other_bps) {
  return one_bps > 0 && other_bps > 0 ? std::min(one_bps, other_bps) : std::max(one_bps, other_bps);
}

std::uint32_t large_queue(const RateLimit& limit) {
  double frames = limit.queue_frames;
  if (limit.queue_bytes > 0) {
    frames = std::min(frames, static_cast<double>(limit.queue_bytes) / FramesInFlight::kFrameBytes);
  }
  if (limit.queue_time.count() > 0 && limit.bits_per_second > 0) {
    frames = std::min(frames, static_cast<double>(limit.queue_time / limit.time(FramesInFlight::kFrameBytes)));
  }
  return frames > RateLimit{}.queue_frames ? static_cast<std::uint32_t>(frames) : 0;
}

FullLink full_link(double rate_bps, Nanoseconds delay, std::uint32_t bytes, std::uint32_t queue) {
  const double seconds = static_cast<double>(delay.count()) / 1e9;
  return {static_cast<std::uint64_t>(rate_bps * seconds / 8 / bytes) + queue, rate_bps, delay, queue};
}

/// Traces are long, and links of many robots share one.
class FullTraces {
 public:
  /// The entry of which most is in flight. A rate of `links` replaces the trace's.
  FullLink of(const TracePlayback& trace, bool is_replaced, double rate_bps, Nanoseconds delay) {
    const auto [known, is_new] = known_.try_emplace({trace.schedule.get(), is_replaced, rate_bps, delay});
    if (is_new) {
      known->second = full_trace(trace, is_replaced, rate_bps, delay);
    }
    return known->second;
  }

 private:
  static FullLink full_trace(const TracePlayback& trace, bool is_replaced, double rate_bps, Nanoseconds delay) {
    const std::uint32_t bytes = trace.bytes_on_wire(FramesInFlight::kFrameBytes);
    const std::uint32_t queue = large_queue(trace.queue);
    if (trace.schedule->has_opportunities()) {
      return full_link(is_replaced ? rate_bps : slower(rate_bps, trace.schedule->mean_rate()), delay, bytes, queue);
    }
    FullLink fullest;
    for (const TraceEntry& entry : trace.schedule->entries()) {
      const double limit = is_replaced || entry.bits_per_second >= kUnlimitedRate ? 0 : entry.bits_per_second;
      const FullLink link = full_link(slower(rate_bps, limit), delay + entry.delay, bytes, queue);
      fullest = link.frames > fullest.frames ? link : fullest;
    }
    return fullest;
  }

  std::map<std::tuple<const TraceSchedule*, bool, double, Nanoseconds>, FullLink> known_;
};

// `radio_bps`: of the radios between its ends; 0 without any. `latency`: of these, and of cables between them.
FullLink full_link(const LinkRules& rules, double radio_bps, Nanoseconds latency, FullTraces& traces) {
  const Impairments nothing;
  const Impairments& impairments = rules.impairments == nullptr ? nothing : *rules.impairments;
  const Nanoseconds delay = latency + rules.extra_delay + memory_delay(impairments);
  if (impairments.rate && impairments.rate->bits_per_second > 0) {
    const double rate = slower(radio_bps, impairments.rate->bits_per_second);
    return impairments.trace ? traces.of(*impairments.trace, true, rate, delay)
                             : full_link(rate, delay, impairments.rate->bytes_on_wire(FramesInFlight::kFrameBytes),
                                         large_queue(*impairments.rate));
  }
  if (impairments.trace) {
    return traces.of(*impairments.trace, false, radio_bps, delay);
  }
  return full_link(radio_bps, delay, FramesInFlight::kFrameBytes, 0);
}

const std::vector<std::shared_ptr<const Impairments>>& traces_of(const Configuration& configuration) {
  static const std::vector<std::shared_ptr<const Impairments>> kNone;
  const auto* const embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  const auto* const local = std::get_if<LocalNetsimConfig>(&configuration.netsim);
  return embedded != nullptr ? embedded->measured : local != nullptr ? local->measured : kNone;
}

Nanoseconds cable_delay(const Configuration& configuration) {
  const AccessNetworkConfig* const network = access_network(configuration);
  return network == nullptr ? Nanoseconds{0} : network->delay;
}

bool has_rates(const Configuration& configuration, const LinkOverrides& overrides) {
  return !traces_of(configuration).empty() || std::ranges::any_of(configuration.robots, [](const RobotConfig& robot) {
    return robot.radio_rate.has_value();
  }) || std::ranges::any_of(overrides.all(), [](const LinkOverride* link) {
    return link->impairments.rate.has_value();
  });
}

std::uint32_t grown(std::uint32_t default_frames, std::uint64_t needed) {
  const std::uint64_t rounded = (needed + kRounding - 1) / kRounding * kRounding;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rounded, default_frames, kMostFrames));
}

std::size_t ports_here(const Configuration& configuration) {
  return static_cast<std::size_t>(std::ranges::count_if(
      configuration.ports, [](const PortConfig& port) { return port.driver != PortDriver::kElsewhere; }));
}

std::string rate_text(double bps) {
  return bps >= 1e9 ? fmt::format("{:g} Gbit/s", bps / 1e9) : fmt::format("{:g} Mbit/s", bps / 1e6);
}

}  // namespace

bool fills_memory(const Configuration& configuration, const RadioRate& radio) {
  Nanoseconds longest{0};
  for (const LinkOverride& link : configuration.links) {
    const DelayConfig delay = link.delay.value_or(DelayConfig{});
    const Nanoseconds jitter = delay.jitter ? delay.jitter->memory_delay() : Nanoseconds{0};
    longest = std::max(longest, delay.base + jitter + memory_delay(link.impairments));
  }
  for (const auto& measured : traces_of(configuration)) {
    longest = measured != nullptr && measured->trace ? kLongestDelay : longest;
  }
  const FullLink fullest = full_link(radio.bits_per_second, longest + cable_delay(configuration) + radio.latency,
                                     FramesInFlight::kFrameBytes, 0);
  return fullest.frames >= kRounding;
}

// A sender's memory is not to be more than four times what is left (xdp/umem.h).
std::uint64_t FramesInFlight::memory(std::size_t ports) const {
  return all + most / 4 + std::uint64_t{2} * kMostRingEntries * ports;
}

FramesInFlight frames_in_flight(const Configuration& configuration) {
  FramesInFlight found;
  const LinkOverrides overrides(configuration);
  if (!has_rates(configuration, overrides)) {
    return found;
  }
  const auto robots = static_cast<std::uint32_t>(configuration.robots.size());
  const auto& traces = traces_of(configuration);
  std::vector<RadioRate> radios;
  for (const RobotConfig& robot : configuration.robots) {
    radios.push_back(robot.radio_rate.value_or(RadioRate{}));
  }
  const Nanoseconds cable = cable_delay(configuration);
  FullTraces full_traces;
  std::map<std::string, std::uint64_t> shared;  // the most of one sender, by the medium that they share
  for (std::uint32_t from = 0; from < robots; ++from) {
    SenderRules of_sender(overrides, RobotIndex{from});
    const RadioRate& sender = radios[from];
    FullLink fullest;
    for (std::uint32_t to = 0; to < robots; ++to) {
      if (to == from) {
        continue;
      }
      LinkRules base;
      if (!traces.empty()) {
        base.impairments = traces[link_of(RobotIndex{from}, RobotIndex{to}, robots).value()];
      }
      const RadioRate& receiver = radios[to];
      const FullLink link =
          full_link(of_sender.to(RobotIndex{to}, base), slower(sender.bits_per_second, receiver.bits_per_second),
                    cable + std::max(sender.latency, receiver.latency), full_traces);
      fullest = link.frames > fullest.frames ? link : fullest;
    }
    if (!sender.medium.empty()) {
      std::uint64_t& most = shared[sender.medium];
      found.all += std::max(most, fullest.frames) - most;
      most = std::max(most, fullest.frames);
    } else {
      found.all += fullest.frames;
    }
    if (fullest.frames > found.most) {
      found.most = fullest.frames;
      found.sender = RobotIndex{from};
      found.rate_bps = fullest.rate_bps;
      found.delay = fullest.delay;
      found.queue = fullest.queue;
    }
  }
  return found;
}

void size_memory(bool is_memory_given, bool is_hold_given, Configuration& configuration) {
  if (is_memory_given && is_hold_given) {
    return;
  }
  const FramesInFlight needed = frames_in_flight(configuration);
  if (needed.all == 0) {
    return;
  }
  if (!is_memory_given) {
    configuration.memory.frames = grown(configuration.memory.frames, needed.memory(ports_here(configuration)));
  }
  if (!is_hold_given) {
    configuration.hold_frames = grown(configuration.hold_frames, needed.hold());
  }
}

std::string memory_shortage(const Configuration& configuration) {
  const FramesInFlight needed = frames_in_flight(configuration);
  const bool is_short = needed.all > 0 && (configuration.memory.frames < needed.all + needed.most / 4 ||
                                           configuration.hold_frames < needed.hold());
  if (!is_short) {
    return {};
  }
  const std::uint64_t memory = needed.memory(ports_here(configuration));
  const std::string remedy =
      memory > MemoryConfig::kMostFrames
          ? fmt::format("no memory is large enough, whose most is {} frames: shorten the delay or lower the rate",
                        MemoryConfig::kMostFrames)
          : fmt::format("set `memory: {{frames: {}}}` and `hold: {{frames: {}}}`", memory, needed.hold());
  return fmt::format(
      "links: {} for {:g} s{} are {} frames of {} B in flight from {}, and {} from all robots; there is room for "
      "{} (memory.frames) and {} (hold.frames): the others are dropped as hold_full or lost at capture, which is no "
      "loss of the link; {}",
      rate_text(needed.rate_bps), static_cast<double>(needed.delay.count()) / 1e9,
      needed.queue > 0 ? fmt::format(" and a queue of {}", needed.queue) : "", needed.most, FramesInFlight::kFrameBytes,
      configuration.robots[needed.sender.value()].name, needed.all, configuration.memory.frames,
      configuration.hold_frames, remedy);
}

std::string memory_growth(const Configuration& configuration) {
  if (configuration.memory.frames <= MemoryConfig{}.frames) {
    return {};
  }
  const FramesInFlight needed = frames_in_flight(configuration);
  return needed.all == 0
             ? std::string()
             : fmt::format("links keep up to {} frames in flight: memory has {} frames, {} MiB, and the hold {}",
                           needed.all, configuration.memory.frames,
                           (std::uint64_t{configuration.memory.frames} * configuration.memory.frame_bytes) >> 20,
                           configuration.hold_frames);
}

}  // namespace hilgate
