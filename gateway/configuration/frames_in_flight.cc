// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/frames_in_flight.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/configuration/frame_memory.h"
#include "gateway/configuration/sender_rules.h"

namespace hilgate {
namespace {

constexpr double kSlowShare = 0.9;  // of frames are not delayed longer than what is counted
constexpr std::uint64_t kRounding = 1024;

struct FullLink {
  std::uint64_t frames = 0;
  double rate_bps = 0;
  Nanoseconds delay{0};
};

FullLink full_link(const LinkRules& rules) {
  if (rules.impairments == nullptr || !rules.impairments->rate || rules.impairments->rate->bits_per_second <= 0) {
    return {};
  }
  Nanoseconds delay = rules.extra_delay;
  if (const auto& jitter = rules.impairments->jitter) {
    delay +=
        std::visit([](const auto& distribution) { return distribution.quantile(kSlowShare); }, jitter->distribution);
  }
  const double rate = rules.impairments->rate->bits_per_second;
  const double seconds = static_cast<double>(delay.count()) / 1e9;
  const auto bytes = static_cast<double>(rules.impairments->rate->bytes_on_wire(FramesInFlight::kFrameBytes));
  return {static_cast<std::uint64_t>(rate * seconds / 8 / bytes), rate, delay};
}

bool has_rates(const LinkOverrides& overrides) {
  return std::ranges::any_of(overrides.all(),
                             [](const LinkOverride* link) { return link->impairments.rate.has_value(); });
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

// A sender's memory is not to be more than four times what is left (xdp/umem.h).
std::uint64_t FramesInFlight::memory(std::size_t ports) const {
  return all + most / 4 + std::uint64_t{2} * kMostRingEntries * ports;
}

FramesInFlight frames_in_flight(const Configuration& configuration) {
  FramesInFlight found;
  const LinkOverrides overrides(configuration);
  if (!has_rates(overrides)) {
    return found;
  }
  const auto robots = static_cast<std::uint32_t>(configuration.robots.size());
  for (std::uint32_t from = 0; from < robots; ++from) {
    SenderRules of_sender(overrides, RobotIndex{from});
    FullLink fullest;
    for (std::uint32_t to = 0; to < robots; ++to) {
      const FullLink link = to == from ? FullLink{} : full_link(of_sender.to(RobotIndex{to}, {}));
      fullest = link.frames > fullest.frames ? link : fullest;
    }
    found.all += fullest.frames;
    if (fullest.frames > found.most) {
      found.most = fullest.frames;
      found.sender = RobotIndex{from};
      found.rate_bps = fullest.rate_bps;
      found.delay = fullest.delay;
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
  return fmt::format(
      "links: {} for {:g} s are {} frames of {} B in flight from {}, and {} from all robots; there is room for "
      "{} (memory.frames) and {} (hold.frames): the others are dropped as hold_full or lost at capture, which is no "
      "loss of the link; set `memory: {{frames: {}}}` and `hold: {{frames: {}}}`",
      rate_text(needed.rate_bps), static_cast<double>(needed.delay.count()) / 1e9, needed.most,
      FramesInFlight::kFrameBytes, configuration.robots[needed.sender.value()].name, needed.all,
      configuration.memory.frames, configuration.hold_frames, needed.memory(ports_here(configuration)), needed.hold());
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
