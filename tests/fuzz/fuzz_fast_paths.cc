// SPDX-License-Identifier: Apache-2.0
// The same frames through gateways that take different ways: bursts, whose frames of one flow are looked up, drawn,
// held and released together; one frame at a time, through none of that; and two cores. The input says what the links
// do and who sends what when. What leaves is the same to the bit and to the nanosecond, and so are the books.
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "path/cores/crossings.h"
#include "path/frame_path.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kRobots = 4;

struct Way {
  std::size_t cores = 1;
  std::size_t burst = SIZE_MAX;
  bool looks_always = false;  // at each step; else at those at which the path says that something is due
};

constexpr std::size_t kBuffers = 512, kBufferBytes = 768;
constexpr std::uint32_t kLongestPayload = 2 * 255 + 16;

Impairments impairments_of(FuzzInput& input) {
  Impairments impairments;
  const std::uint8_t choice = input.byte();
  const std::uint8_t amount = input.byte();
  if ((choice & 1) != 0) {
    impairments.loss = GilbertElliottLoss{amount / 512.0, 0.3, 0, 0.8};
  } else if ((choice & 2) != 0) {
    impairments.loss = IndependentLoss{amount / 256.0};
  }
  if ((choice & 4) != 0) {
    impairments.jitter = Jitter{UniformDelay{0us, amount * 3us}, static_cast<JitterMode>(amount % 3), 100us};
  }
  if ((choice & 8) != 0) {
    impairments.duplication = Duplication{amount / 256.0, amount % 2 * 30us};
  }
  if ((choice & 16) != 0) {
    impairments.rate = RateLimit{.bits_per_second = 1e6 * (1 + amount),
                                 .queue_frames = 1U + amount % 20,
                                 .queue_bytes = amount % 3 == 0 ? 300U : 0U,
                                 .drop_head = amount % 2 != 0};
  }
  if ((choice & 32) != 0) {
    impairments.reordering = Reordering{amount / 256.0, amount * 1us};
  }
  return impairments;
}

PathSettings settings_of(FuzzInput& input) {
  PathSettings settings = plain_settings(kRobots);
  const std::uint8_t choice = input.byte();
  settings.seed = choice;
  settings.hold_frames = 1024;
  settings.frame_limit = 512;
  settings.answers_neighbours = (choice & 1) != 0;
  if ((choice & 2) != 0) {
    settings.robots[3].macs.clear();
  }
  for (std::uint8_t rules = choice % 8; rules > 0; --rules) {
    LinkRules& link = settings.air.rules[input.number(kRobots * kRobots)];
    const std::uint8_t what = input.byte();
    link.policy = static_cast<ErrorPolicy>(what % 5);
    link.extra_delay = what / 5 * 10us;
    link.extra_hazard = hazard_of(what % 4 == 0 ? 1e-4 : 0);
    link.impairments = std::make_shared<const Impairments>(impairments_of(input));
  }
  return settings;
}

class Gateway {
 public:
  /// `pool`: to begin with, all is free in it, and in the end it must be so again.
  Gateway(const PathSettings& settings, const Way& way, VectorPool& pool)
      : looks_always_(way.looks_always), pool_(pool) {
    std::vector<std::size_t> core_of_port;
    for (std::uint32_t port = 0; port < kRobots; ++port) {
      core_of_port.push_back(port * way.cores / kRobots);
      ports_.push_back(std::make_unique<VectorPort>(pool_, clock_, 64));
      ports_.back()->burst_limit = way.burst;
    }
    rings_ = std::make_unique<CrossingRings>(way.cores, 1024);
    for (std::size_t core = 0; core < way.cores; ++core) {
      std::vector<VectorPort*> own;
      for (std::uint32_t port = 0; port < kRobots; ++port) {
        own.push_back(core_of_port[port] == core ? ports_[port].get() : nullptr);
      }
      feeds_.push_back(std::make_unique<LinkTableFeed>(settings.air.rules.size()));
      paths_.push_back(std::make_unique<Path>(settings, own, pool_, *feeds_.back(), rings_->of(core, core_of_port)));
    }
  }
  ~Gateway() {
    for (auto& path : paths_) {
      path->drain();
    }
    for (auto& port : ports_) {
      port->reap();
      port->discard_arrivals();
    }
    require(pool_.leaked() == 0, "every buffer comes back");
    pool_.rewind();
  }
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  void arrive(std::uint32_t port, const Bytes& bytes) {
    if (const auto frame = pool_.make(bytes, clock_.now())) {
      ports_[port]->arrive(*frame);
    } else {
      require(false, "the pool is large enough");
    }
  }
  void publish(const LinkState& state) {
    for (auto& feed : feeds_) {
      std::ranges::fill(feed->back().links, state);
      feed->publish();
    }
  }
  /// All that has arrived is captured, and what crosses is taken up, at one instant.
  void iterate() {
    do {
      for (auto& path : paths_) {
        path->iterate(clock_);
        require(path->totals().balanced(), "the books balance");
      }
    } while (std::ranges::any_of(ports_, [](const auto& port) { return port->waiting() > 0; }));
    for (std::size_t core = 0; paths_.size() > 1 && core < paths_.size(); ++core) {
      paths_[core]->iterate(clock_);
    }
  }
  void run(Nanoseconds length, Nanoseconds step) {
    iterate();
    for (const HostTime end = clock_.now() + length; clock_.now() < end;) {
      clock_.advance(step * steps_until_due(end, step));
      iterate();
    }
  }
  /// What left by a port, in an order that does not depend on how equal instants of different links are sorted.
  [[nodiscard]] std::vector<std::pair<HostTime, std::uint64_t>> sent(std::uint32_t port) const {
    std::vector<std::pair<HostTime, std::uint64_t>> all;
    for (const Sent& sent : ports_[port]->sent()) {
      all.emplace_back(sent.at, sent.digest);
    }
    std::ranges::sort(all);
    return all;
  }
  [[nodiscard]] PathTotals totals() const {
    PathTotals sum;
    for (const auto& path : paths_) {
      sum.add(path->totals());
    }
    sum.settle_crossings();
    return sum;
  }

 private:
  using Path = FramePath<VectorPort, VectorPool>;
  /// To the first one at which something is due, or behind `end`.
  std::int64_t steps_until_due(HostTime end, Nanoseconds step) {
    HostTime due = end;
    for (auto& path : paths_) {
      due = path->has_input() || path->ports_unfinished() ? clock_.now() : std::min(due, path->next_due());
    }
    const Nanoseconds wait = due - clock_.now();
    return looks_always_ ? 1 : std::max<std::int64_t>(1, (wait + step - 1ns) / step);
  }

  bool looks_always_;
  FakeClock clock_;
  VectorPool& pool_;
  std::vector<std::unique_ptr<LinkTableFeed>> feeds_;
  std::vector<std::unique_ptr<VectorPort>> ports_;
  std::unique_ptr<CrossingRings> rings_;
  std::vector<std::unique_ptr<Path>> paths_;
};

class Race {
 public:
  explicit Race(const PathSettings& settings) {
    const bool one_looks_always = settings.seed % 4 == 0;  // which takes by far the most time
    const Way ways[] = {{}, {.burst = 1, .looks_always = one_looks_always}, {.cores = 2}};
    static VectorPool pools[] = {VectorPool(kBuffers, kBufferBytes), VectorPool(kBuffers, kBufferBytes),
                                 VectorPool(kBuffers, kBufferBytes)};
    for (std::size_t i = 0; i < std::size(ways); ++i) {
      gateways_.push_back(std::make_unique<Gateway>(settings, ways[i], pools[i]));
    }
  }

  void arrive(std::uint32_t port, const Bytes& bytes) {
    if (arrived_ < kMostFrames) {
      ++arrived_;
      for (auto& gateway : gateways_) {
        gateway->arrive(port, bytes);
      }
    }
  }
  void publish(const LinkState& state) {
    for (auto& gateway : gateways_) {
      gateway->publish(state);
    }
  }
  void run(Nanoseconds length, Nanoseconds step) {
    for (auto& gateway : gateways_) {
      gateway->run(length, step);
    }
  }
  void compare() const {
    const PathTotals first = gateways_[0]->totals();
    for (std::size_t other = 1; other < gateways_.size(); ++other) {
      const PathTotals totals = gateways_[other]->totals();
      require(totals.deliveries == first.deliveries, "as many deliveries");
      for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
        if (totals.dropped[reason] != first.dropped[reason]) {
          std::fprintf(stderr, "way %zu drops %llu, way 0 %llu as %s\n", other,
                       static_cast<unsigned long long>(totals.dropped[reason]),
                       static_cast<unsigned long long>(first.dropped[reason]),
                       std::string(name(static_cast<DropReason>(reason))).c_str());
        }
      }
      require(totals.dropped == first.dropped, "the same drops by the same reasons");
      require(totals.damaged == first.damaged, "as many damaged");
      require(totals.held == first.held, "as many held");
      for (std::uint32_t port = 0; port < kRobots; ++port) {
        require(gateways_[other]->sent(port) == gateways_[0]->sent(port), "the same frames at the same times");
      }
    }
  }

 private:
  static constexpr int kMostFrames = 60;  // of which each may have a copy for each receiver
  std::vector<std::unique_ptr<Gateway>> gateways_;
  int arrived_ = 0;
};

/// Each made once: to make one takes longer than all that the gateways do with it.
const Bytes& frame_of(std::uint32_t from, std::uint32_t to, std::uint32_t size) {
  static std::array<std::array<std::array<Bytes, kLongestPayload + 1>, kRobots>, kRobots> frames;
  Bytes& frame = frames[from][to][size];
  if (frame.empty()) {
    frame = udp_frame(from + 1, to + 1, size);
  }
  return frame;
}

void step(Race& race, FuzzInput& input) {
  const std::uint8_t what = input.byte();
  switch (what % 8) {
    case 0: {
      const std::uint8_t air = input.byte();
      race.publish(
          {.unicast = hazard_of(air % 16 * 1e-5), .multicast = hazard_of(air / 16 * 1e-5), .delay = air * 5us});
      break;
    }
    case 1:
    case 2:
      race.run(what / 8 * 40us, 20us);
      break;
    case 3: {
      const auto bytes = input.bytes(input.byte());
      race.arrive(what / 8 % kRobots, {bytes.begin(), bytes.end()});
      break;
    }
    default: {  // a train of one flow
      const std::uint32_t from = what / 8 % kRobots;
      const std::uint8_t more = input.byte();
      for (int count = what % 4 == 0 ? 1 : 1 + more / 16; count > 0; --count) {
        race.arrive(from, frame_of(from, more % kRobots, 2U * more + static_cast<std::uint32_t>(count)));
      }
    }
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  FuzzInput input(data, size);
  Race race(settings_of(input));
  for (int steps = 0; !input.empty() && steps < 60; ++steps) {
    step(race, input);
  }
  race.run(std::chrono::milliseconds(4), std::chrono::microseconds(100));
  race.compare();
  return 0;
}
