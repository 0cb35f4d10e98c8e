// SPDX-License-Identifier: Apache-2.0
// A clock turned by hand and simulators that answer when told to, for tests of the window engine.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gateway/run/windows/window_engine.h"

namespace hilgate::test {

class FakeTimer final : public WindowTimer {
 public:
  [[nodiscard]] HostTime now() const override { return now_; }
  void at(HostTime instant, std::function<void()> ring) override {
    instant_ = instant;
    ring_ = std::move(ring);
  }
  void cancel() override { ring_ = nullptr; }

  /// Turns the clock to `instant`, ringing on the way, each time exactly `late` after the instant asked for.
  void advance_to(HostTime instant, Nanoseconds late = Nanoseconds{0}) {
    while (ring_ && instant_ + late <= instant) {
      now_ = std::max(now_, instant_ + late);
      std::exchange(ring_, nullptr)();
    }
    now_ = instant;
  }

 private:
  HostTime now_{std::chrono::seconds(1000)};
  HostTime instant_{};
  std::function<void()> ring_;
};

/// Everything that happened, in order, as short words.
using Journal = std::vector<std::string>;

class FakePhysics final : public PhysicsSimulator {
 public:
  explicit FakePhysics(Journal& journal) : journal_(journal) {}
  void open(Listener listener) override {
    listener_ = std::move(listener);
    if (ready_at_once) {
      listener_.ready();
    }
  }
  void begin(const PhysicsQuestion& question) override {
    const auto& [step, from_network] = question;
    journal_.push_back(fmt::format("p{}.{}{}", step.window, step.number,
                                   from_network != nullptr ? "<" + from_network->bytes : std::string()));
    steps.push_back(step);
    if (answer_at_once) {
      end();
    }
  }
  [[nodiscard]] SimTime unchanged_until(SimTime from) const override { return std::max(from, same_until); }
  [[nodiscard]] bool answering() const override { return computing; }
  void close() override { closed = true; }

  /// Ends the step begun last with a scene whose first robot stands at x = the step's number.
  void end() {
    PhysicsAnswer answer;
    answer.has_scene = true;
    answer.scene.robots.resize(2);
    answer.scene.sights.resize(1);
    answer.scene.robots[0].position.x = static_cast<double>(steps.back().number);
    answer.payload = {.form = PeerPayload::Form::kDancers, .bytes = fmt::format("P{}", steps.back().number)};
    if (silent) {
      answer = {};
    }
    listener_.ended(answer);
  }
  void ready() { listener_.ready(); }
  void fail(const std::string& why) { listener_.failed(why); }

  std::vector<Step> steps;
  SimTime same_until{};
  bool ready_at_once = true;
  bool answer_at_once = false;
  bool silent = false;
  bool computing = false;  // a peer has its step under way
  bool closed = false;

 private:
  Journal& journal_;
  Listener listener_;
};

class FakeNetwork final : public NetworkSimulator {
 public:
  explicit FakeNetwork(Journal& journal) : journal_(journal) {}
  void open(Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const NetworkQuestion& question) override {
    std::string packets;
    for (const CapturedPacket& packet : question.packets) {
      packets += fmt::format("#{}", packet.id);
    }
    const std::string scene =
        question.scene != nullptr ? fmt::format("@{}", question.scene->robots[0].position.x) : std::string();
    const std::string payload = question.fresh && question.payload != nullptr ? "<" + question.payload->bytes : "";
    journal_.push_back(
        fmt::format("n{}.{}{}{}{}", question.step.window, question.step.number, scene, payload, packets));
    steps.push_back(question.step);
    if (answer_at_once) {
      end();
    }
  }
  [[nodiscard]] SimTime unchanged_until(SimTime from) const override { return std::max(from, same_until); }
  [[nodiscard]] bool answering() const override { return computing; }
  void close() override { closed = true; }

  void end() {
    NetworkAnswer answer = std::exchange(next, {});
    if (payloads) {
      answer.payload = {.form = PeerPayload::Form::kDancers, .bytes = fmt::format("N{}", steps.back().number)};
    }
    listener_.ended(answer);
  }
  void fail(const std::string& why) { listener_.failed(why); }

  std::vector<Step> steps;
  SimTime same_until{};
  NetworkAnswer next;
  bool answer_at_once = false;
  bool payloads = false;
  bool computing = false;  // a peer has its step under way
  bool closed = false;

 private:
  Journal& journal_;
  Listener listener_;
};

class FakePackets final : public PacketSource {
 public:
  void take(SimTime before, std::vector<CapturedPacket>& packets) override {
    while (!waiting.empty() && waiting.front().captured < before) {
      packets.push_back(waiting.front());
      waiting.erase(waiting.begin());
    }
  }
  void capture(std::uint64_t id, SimTime at) {
    waiting.push_back({.id = id, .captured = at, .sender = RobotIndex{0}, .receiver = RobotIndex{1}, .length = 100});
  }
  std::vector<CapturedPacket> waiting;
};

class FakeSink final : public WindowSink {
 public:
  explicit FakeSink(Journal& journal) : journal_(journal) {}
  void window_began(const WindowStart& start) override {
    journal_.push_back(fmt::format("w{}", start.window));
    starts.push_back(start);
  }
  void links(LinkTable& table) override { journal_.push_back(fmt::format("links{}", table.window)); }
  void verdicts(std::span<const Verdict> given, std::span<const std::uint64_t> forgotten) override {
    for (const Verdict& verdict : given) {
      journal_.push_back(fmt::format("v{}{}", verdict.packet,
                                     verdict.drop == AirDrop::kNone ? "" : "!" + std::string(name(verdict.drop))));
    }
    for (const std::uint64_t id : forgotten) {
      journal_.push_back(fmt::format("f{}", id));
    }
  }
  void expired(std::span<const std::uint64_t> packets) override { verdicts({}, packets); }
  void ended(const std::string& why) override {
    journal_.push_back("ended");
    reason = why;
  }
  std::vector<WindowStart> starts;
  std::string reason = "not ended";

 private:
  Journal& journal_;
};

/// An engine with all its surroundings.
struct Bench {
  explicit Bench(const WindowOptions& options) : engine(options, timer, physics, network, packets, sink) {}
  /// Turns the clock to sim time 0 plus `span`; requires a started engine and pace wall.
  void to(Nanoseconds span) { timer.advance_to(origin + span); }

  Journal journal;
  FakeTimer timer;
  HostTime origin = timer.now();
  FakePhysics physics{journal};
  FakeNetwork network{journal};
  FakePackets packets;
  FakeSink sink{journal};
  WindowEngine engine;
};

}  // namespace hilgate::test
