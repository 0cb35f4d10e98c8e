// SPDX-License-Identifier: Apache-2.0
// Two packet loops and the control thread at once, over real frame memory: traffic between the cores, link tables,
// reloads, status, verdicts, the tap. ThreadSanitizer is what looks at it (tests/threads/tsan.sh); by itself it shows
// that the books are right in the end.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "clock/tsc_clock.h"
#include "path/cores/media_homes.h"
#include "path/frame_path.h"
#include "path/packet_loop.h"
#include "tests/support/packets.h"
#include "xdp/umem.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kRobots = 4;
constexpr std::size_t kCores = 2;
constexpr std::chrono::milliseconds kPatience{10'000};

// Frames appear in the core's own memory while `open`, and are gone when they are sent.
class SourcePort {
 public:
  SourcePort(Umem& umem, std::uint32_t robot, const TscClock& clock, const std::atomic<bool>& open)
      : umem_(umem), lender_(umem.add_port()), clock_(clock), open_(open) {
    for (std::uint32_t to = 0; to < kRobots; ++to) {
      frames_[to] = udp_frame(robot + 1, to + 1, 100);
    }
    frames_[robot] =
        ip_frame({.destination = kBroadcast, .source = mac_of(robot + 1)},
                 {.source = ipv4_of(robot + 1).text(), .destination = "10.77.0.255"}, 17, udp(payload(60), 14550));
  }

  std::size_t capture(std::span<Frame> burst) {
    std::size_t count = 0;
    const bool wanted = open_.load(std::memory_order_relaxed) && ++turns_ % 8 == 0;
    for (; wanted && count < std::min<std::size_t>(burst.size(), 4); ++count) {
      std::uint64_t address = 0;
      if (umem_.allocate({&address, 1}) == 0) {
        break;
      }
      const Bytes& bytes = frames_[turns_ / 8 % kRobots];
      umem_.lend(address, lender_);
      address += Umem::kHeadroom;
      umem_.set_segment(address, static_cast<std::uint32_t>(bytes.size()));
      std::copy(bytes.begin(), bytes.end(), umem_.data(address));
      burst[count] = {umem_.buffer(address), umem_.data(address), clock_.now(),
                      static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(bytes.size())};
    }
    return count;
  }
  bool release(const Frame& frame) {
    umem_.free(frame);
    return true;
  }
  void flush() {}

 private:
  Umem& umem_;
  const std::uint16_t lender_;
  TscReader clock_;
  const std::atomic<bool>& open_;
  std::array<Bytes, kRobots> frames_;
  std::uint64_t turns_ = 0;
};

using Path = FramePath<SourcePort, Umem>;

/// What the frames of the robots meet.
enum class Air {
  kLinks,      // a link each
  kVerdicts,   // a network simulator
  kOneMedium,  // one another: the first core decides for the radios of both
};

PathSettings settings_of(std::uint64_t variant, Air air) {
  PathSettings settings;
  settings.hold_frames = 4096;
  settings.parked_packets = air == Air::kVerdicts ? 512 : 0;
  settings.tap = {.on = true, .ports = {14550}};
  settings.air.modes = {PhyMode{.preamble = 36us, .symbol = 4us, .bits_per_symbol = 260, .rate_bps = 65e6}};
  settings.air.stations.resize(kRobots);
  if (air == Air::kOneMedium) {
    settings.air.modes.front().ack = 44us;
    settings.air.domains = {{.slot = 20us, .difs = 50us, .cw_min = 15}};
    settings.air.stations.assign(kRobots, Station{.domain = 0, .queue_frames = 30});
  }
  settings.air.rules.resize(kRobots * kRobots);
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = ErrorPolicy::kCorruptRaw;
    rules.extra_delay = Nanoseconds{static_cast<std::int64_t>(variant % 3) * 50'000};
    if (variant % 2 == 1) {
      Impairments impairments;
      impairments.loss = IndependentLoss{0.1};
      impairments.rate = RateLimit{.bits_per_second = 50e6};
      rules.impairments = std::make_shared<const Impairments>(impairments);
    }
  }
  for (std::uint32_t i = 0; i < kRobots; ++i) {
    settings.robots.push_back({PortSlot{i}, {mac_of(i + 1)}, {ipv4_of(i + 1)}, i != 3 || variant % 4 != 3});
  }
  return settings;
}

LinkTable table_of(std::uint64_t number) {
  LinkTable table;
  table.window = number;
  table.links.assign(kRobots * kRobots, {.unicast = {number % 2 == 0 ? 0 : 1e-5}, .delay = Nanoseconds{20'000}});
  return table;
}

struct Core {
  std::unique_ptr<LinkTableFeed> feed;
  std::unique_ptr<Path> path;
  std::unique_ptr<PacketLoop<Path>> loop;
};

class Threads {
 public:
  Threads(Air air, IdleMode idle) : air_(air), umems_(Umem::over_cores({.chunks = 8192, .chunk_size = 2048}, kCores)) {
    for (std::uint32_t i = 0; i < kRobots; ++i) {
      core_of_port_.push_back(i % kCores);
      ports_.push_back(std::make_unique<SourcePort>(*umems_[i % kCores], i, clock_, open_));
    }
    homes_ = media_homes(settings_of(0, air), core_of_port_, kCores);
    rings_ = std::make_unique<CrossingRings>(kCores, 4096);
    for (std::size_t core = 0; core < kCores; ++core) {
      auto feed = std::make_unique<LinkTableFeed>(kRobots * kRobots);
      auto path = std::make_unique<Path>(settings_of(0, air), ports_of(core), *umems_[core], *feed,
                                         rings_->of(core, core_of_port_, homes_));
      path->verdicts().open = true;
      auto loop = std::make_unique<PacketLoop<Path>>(*path, clock_, LoopThread{}, IdleSettings{.mode = idle});
      rings_->set_reader(core, loop->waker());
      path->verdicts().reader = &loop->waker();
      cores_.push_back({std::move(feed), std::move(path), std::move(loop)});
    }
    for (const Core& core : cores_) {
      core.loop->start([] {});
    }
  }
  ~Threads() { stop(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // What a control thread does all day.
  void turn(std::uint64_t number) {
    for (const Core& core : cores_) {
      core.feed->back() = table_of(number);
      core.feed->publish();
      judge(*core.path);
      listen(*core.path);
    }
    if (number % 10 == 0) {
      clock_.discipline();
    }
    if (number % 3 == 0) {
      reload(number);
    }
    PathTotals sum;
    for (const Core& core : cores_) {
      const auto totals = core.loop->snapshot(kPatience);
      ASSERT_TRUE(totals);
      EXPECT_TRUE(totals->balanced());
      sum.add(*totals);
    }
    read_status();
  }
  void stop() {
    for (const Core& core : cores_) {
      core.loop->stop();
    }
    for (int round = 0; round < 2; ++round) {
      for (const Core& core : cores_) {
        core.path->drain();
      }
    }
  }
  [[nodiscard]] Nanoseconds on_air() const {
    std::vector<AirUse> uses;
    for (const Core& core : cores_) {
      core.path->parts().medium.add_use(uses);
    }
    return uses.empty() ? 0ns : uses.front().busy;
  }
  [[nodiscard]] std::uint64_t crossed() const {
    std::uint64_t sum = 0;
    for (const Core& core : cores_) {
      sum += core.path->totals().crossed_out;
    }
    return sum;
  }
  [[nodiscard]] PathTotals totals() const {
    PathTotals sum;
    for (const Core& core : cores_) {
      sum.add(core.path->totals());
    }
    sum.settle_crossings();
    return sum;
  }

 private:
  [[nodiscard]] std::vector<SourcePort*> ports_of(std::size_t core) const {
    std::vector<SourcePort*> own;
    for (std::uint32_t i = 0; i < kRobots; ++i) {
      own.push_back(core_of_port_[i] == core ? ports_[i].get() : nullptr);
    }
    return own;
  }
  void judge(Path& path) const {
    ParkedPacket packet;
    while (air_ == Air::kVerdicts && path.verdicts().parked.pop(packet)) {
      for (std::uint32_t to = 0; to < kRobots; ++to) {
        path.verdicts().orders.push({.packet = packet.id, .to = RobotSlot{to}, .what = ParkedOrder::What::kDeliver});
      }
      path.verdicts().orders.push({.packet = packet.id});
    }
    path.verdicts().orders_given();
  }
  void listen(Path& path) {
    while (const Overheard* frame = path.tap().overheard.front()) {
      heard_ += frame->length;
      path.tap().overheard.drop_front();
    }
  }
  void reload(std::uint64_t number) {
    for (std::size_t i = 0; i < kCores; ++i) {
      Core& core = cores_[i];
      auto feed = std::make_unique<LinkTableFeed>(kRobots * kRobots);
      feed->back() = table_of(number);
      feed->publish();
      PathParts parts(settings_of(number, air_), kRobots, *feed, &core.path->parts());
      parts.set_homes(rings_->of(i, core_of_port_, homes_));
      Path::Change change{.parts = &parts, .ports = ports_of(i), .crossings = rings_->of(i, core_of_port_).to_port};
      ASSERT_TRUE(core.loop->change(change, kPatience));
      std::swap(core.feed, feed);
    }
  }
  void read_status() {
    LinkCounts counts;
    std::vector<AirUse> use;
    for (const Core& core : cores_) {
      for (const LinkCounters& link : core.path->links()) {
        link.add_to(counts);
      }
      core.path->parts().medium.add_use(use);
      seen_ += core.loop->heartbeat() + core.loop->idle().sleeps + core.path->tap().missed.get();
    }
    seen_ += counts.deliveries;
  }

  const Air air_;
  TscClock clock_;
  std::atomic<bool> open_{true};
  std::vector<std::unique_ptr<Umem>> umems_;
  std::vector<std::size_t> core_of_port_;
  std::vector<std::size_t> homes_;
  std::vector<std::unique_ptr<SourcePort>> ports_;
  std::unique_ptr<CrossingRings> rings_;
  std::vector<Core> cores_;
  std::uint64_t heard_ = 0;
  std::uint64_t seen_ = 0;
};

constexpr auto kBetweenTurns = 5ms;  // of the control thread, in which the loops move frames

void run(Air air, IdleMode idle) {
  Threads threads(air, idle);
  for (std::uint64_t number = 1; number <= 60; ++number) {
    threads.turn(number);
    std::this_thread::sleep_for(kBetweenTurns);
  }
  threads.stop();
  const PathTotals totals = threads.totals();
  EXPECT_GT(totals.released, 0U);
  EXPECT_GT(threads.crossed(), 0U);
  EXPECT_EQ(threads.on_air() > 0ns, air == Air::kOneMedium);
  EXPECT_EQ(totals.changes, 20U);
  EXPECT_EQ(totals.held, 0U);
  EXPECT_TRUE(totals.balanced());
}

TEST(Threads, LoopsThatPollAndAControlThreadThatChangesAll) {
  run(Air::kLinks, IdleMode::kPoll);
}

TEST(Threads, LoopsThatSleepAndAreWoken) {
  run(Air::kLinks, IdleMode::kSleep);
}

TEST(Threads, VerdictsForFramesThatCross) {
  run(Air::kVerdicts, IdleMode::kSleep);
}

TEST(Threads, RadiosOfOneMediumOnTwoCores) {
  run(Air::kOneMedium, IdleMode::kSleep);
}

}  // namespace
}  // namespace hilgate::test
