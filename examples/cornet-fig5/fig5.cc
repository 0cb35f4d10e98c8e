// SPDX-License-Identifier: Apache-2.0
#include "examples/cornet-fig5/fig5.h"

#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "gateway/run/windows/verdict_desk.h"
#include "gateway/run/windows/window_engine.h"
#include "netsim_link/scripted_network.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kWindow = 10ms;
constexpr Nanoseconds kMessageEvery = 50ms;
constexpr Nanoseconds kNetworkDelay = 1s;
constexpr double kSlowest = 0.49;  // real-time factors, CORNET 2.0, section IV
constexpr double kFastest = 0.65;

double seconds(Nanoseconds span) {
  return std::chrono::duration<double>(span).count();
}

// Two periods without a common multiple, so that a wrong delay cannot look right.
double leader_at(SimTime at) {
  const double t = seconds(at.time_since_epoch());
  return 5 * std::sin(2 * M_PI * t / 2.3) + 2 * std::sin(2 * M_PI * t / 1.3);
}

class VirtualTimer final : public WindowTimer {
 public:
  [[nodiscard]] HostTime now() const override { return now_; }
  void at(HostTime, std::function<void()>) override {}  // lockstep sets no alarms
  void cancel() override {}
  void pass(Nanoseconds span) { now_ += span; }

 private:
  HostTime now_{};
};

// Computes every step for longer than the step is; how much longer wanders.
class SlowPhysics final : public PhysicsSimulator {
 public:
  SlowPhysics(VirtualTimer& timer, std::uint64_t seed) : timer_(timer), seed_(seed) {}
  void open(Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const PhysicsQuestion& question) override { asked_ = question.step; }
  void close() override { asked_.reset(); }

  /// False when there is nothing left to do.
  bool compute() {
    if (!asked_) {
      return false;
    }
    const Step step = *std::exchange(asked_, std::nullopt);
    FrameRandom random(seed_, 0, step.number / 25);
    factor_ = kSlowest + (kFastest - kSlowest) * random.uniform();
    timer_.pass(Nanoseconds{std::llround(static_cast<double>(step.length.count()) / factor_)});
    PhysicsAnswer nothing_new;
    listener_.ended(nothing_new);
    return true;
  }
  [[nodiscard]] double factor() const { return factor_; }

 private:
  VirtualTimer& timer_;
  std::uint64_t seed_;
  Listener listener_;
  std::optional<Step> asked_;
  double factor_ = kSlowest;
};

struct Message {
  SimTime sent{};
  HostTime sent_host{};
  double leader_m = 0;
  std::optional<SimTime> deliver_at{};  // synchronised: when physics' time has come so far
};

// The leader's radio and the follower's.
class Radios final : public PacketSource, public WindowSink {
 public:
  Radios(const Fig5Options& options, VirtualTimer& timer, const SlowPhysics& physics)
      : options_(options), timer_(timer), physics_(physics) {}

  void take(SimTime, std::vector<CapturedPacket>& packets) override {
    for (; offered_ < messages_.size(); ++offered_) {
      packets.push_back({.id = offered_,
                         .captured = messages_[offered_].sent,
                         .sender = RobotIndex{0},
                         .receiver = RobotIndex{1},
                         .length = 64});
    }
  }
  void window_began(const WindowStart& start) override {
    now_ = start.from;
    deliver();
    result.samples.push_back({.physics_s = seconds(now_.time_since_epoch()),
                              .leader_m = leader_at(now_),
                              .follower_m = heard_,
                              .real_time_factor = physics_.factor()});
    if (now_.time_since_epoch() % kMessageEvery == Nanoseconds{0}) {
      messages_.push_back({.sent = now_, .sent_host = timer_.now(), .leader_m = leader_at(now_)});
    }
  }
  void links(LinkTable&) override {}
  void verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t>) override {
    for (const Verdict& verdict : verdicts) {
      Message& message = messages_[verdict.packet];
      if (const auto hold = rest_of_hold(verdict.release_at - message.sent, now_ - message.sent)) {
        message.deliver_at = now_ + *hold;
      }
    }
  }
  void expired(std::span<const std::uint64_t>) override {}
  void ended(const std::string&) override {}

  Fig5Result result;

 private:
  void deliver() {
    for (; delivered_ < messages_.size() && is_due(messages_[delivered_]); ++delivered_) {
      heard_ = messages_[delivered_].leader_m;
      result.delays.push_back(now_ - messages_[delivered_].sent);
    }
  }
  [[nodiscard]] bool is_due(const Message& message) const {
    return options_.synchronised ? message.deliver_at && *message.deliver_at <= now_
                                 : timer_.now() - message.sent_host >= kNetworkDelay;
  }

  const Fig5Options& options_;
  VirtualTimer& timer_;
  const SlowPhysics& physics_;
  SimTime now_{};
  std::deque<Message> messages_;
  std::uint64_t offered_ = 0;
  std::uint64_t delivered_ = 0;
  double heard_ = 0;
};

// Pearson's, of the follower at t with the leader at t - 1 s, once messages have begun to arrive.
double correlation(const std::vector<Fig5Sample>& samples) {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const Fig5Sample& sample : samples) {
    if (sample.physics_s < 2) {
      continue;
    }
    const double expected = leader_at(SimTime{Nanoseconds{std::llround(sample.physics_s * 1e9)}} - kNetworkDelay);
    n += 1;
    x += expected;
    y += sample.follower_m;
    xx += expected * expected;
    yy += sample.follower_m * sample.follower_m;
    xy += expected * sample.follower_m;
  }
  return (n * xy - x * y) / std::sqrt((n * xx - x * x) * (n * yy - y * y));
}

}  // namespace

Fig5Result run_fig5(const Fig5Options& options) {
  VirtualTimer timer;
  SlowPhysics physics(timer, options.seed);
  ScriptedNetwork network({.robots = 2, .delay = kNetworkDelay});
  Radios radios(options, timer, physics);
  WindowEngine engine({.window = kWindow,
                       .pace = Pace::kLockstep,
                       .windows = static_cast<std::uint64_t>(options.duration / kWindow),
                       .packet_hold = 2 * kNetworkDelay},
                      timer, physics, network, radios, radios);
  engine.start();
  while (physics.compute()) {
  }
  radios.result.correlation = correlation(radios.result.samples);
  return std::move(radios.result);
}

}  // namespace hilgate
