// SPDX-License-Identifier: Apache-2.0
// The window engine between simulators that answer when, and what, the input says. Windows follow each other, no
// simulator is asked twice at once, verdicts are about packets that wait, and every packet is forgotten once.
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "gateway/run/windows/window_engine.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class HandTimer final : public WindowTimer {
 public:
  [[nodiscard]] HostTime now() const override { return now_; }
  void at(HostTime instant, std::function<void()> ring) override {
    instant_ = instant;
    ring_ = std::move(ring);
  }
  void cancel() override { ring_ = nullptr; }
  void advance(Nanoseconds span) {
    for (const HostTime end = now_ + span; now_ < end;) {
      now_ = ring_ ? std::clamp(instant_, now_, end) : end;
      if (ring_ && instant_ <= now_) {
        std::exchange(ring_, nullptr)();
      }
    }
  }

 private:
  HostTime now_{1000s};
  HostTime instant_{};
  std::function<void()> ring_;
};

/// A simulator that is asked one thing at a time.
template <class Question, class Answer>
class Model : public Simulator<Question, Answer> {
 public:
  using Listener = typename Simulator<Question, Answer>::Listener;

  void open(Listener listener) override { listener_ = std::move(listener); }
  void begin(const Question& question) override {
    require(!asked && !closed, "nobody is asked twice at once, or after the end");
    require(question.step.number == next_ && question.step.from >= from_, "steps follow each other");
    ++next_;
    from_ = question.step.from;
    asked = true;
  }
  void close() override { closed = true; }
  [[nodiscard]] bool answering() const override { return asked; }

  void ready() { listener_.ready(); }
  void fail() { listener_.failed("the model failed"); }
  void end(Answer answer) {
    if (std::exchange(asked, false) && !closed) {
      listener_.ended(answer);
    }
  }

  bool asked = false;
  bool closed = false;

 private:
  Listener listener_;
  std::uint64_t next_ = 0;
  SimTime from_{};
};

class ModelPhysics final : public Model<PhysicsQuestion, PhysicsAnswer> {};

class Packets final : public PacketSource {
 public:
  void take(SimTime before, std::vector<CapturedPacket>& packets) override {
    while (!captured.empty() && captured.front().captured < before) {
      require(waits.insert(captured.front().id).second, "a packet is offered once");
      packets.push_back(captured.front());
      captured.erase(captured.begin());
    }
  }
  void forget(std::span<const std::uint64_t> packets) {
    for (const std::uint64_t id : packets) {
      require(waits.erase(id) == 1, "a packet that waits is forgotten, once");
    }
  }
  std::vector<CapturedPacket> captured;
  std::set<std::uint64_t> waits;
  std::uint64_t next = 0;
};

class ModelNetwork final : public Model<NetworkQuestion, NetworkAnswer> {};

class Sink final : public WindowSink {
 public:
  explicit Sink(Packets& packets) : packets_(packets) {}
  void window_began(const WindowStart& start) override {
    require(!over, "no window begins after the end");
    require(first_ || (start.window > window_ && start.from > from_), "windows follow each other");
    first_ = false;
    window_ = start.window;
    from_ = start.from;
  }
  void links(LinkTable&) override { require(!over, "no link states come after the end"); }
  void verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten) override {
    for (const Verdict& verdict : verdicts) {
      require(packets_.waits.contains(verdict.packet), "a verdict is about a packet that waits");
      require(verdict.drop != AirDrop::kNone || (verdict.ber >= 0 && verdict.ber < 1), "bit errors are a probability");
      require(verdict.drop != AirDrop::kNone || verdict.release_at >= SimTime{}, "nothing is released before the run");
    }
    packets_.forget(forgotten);
  }
  void expired(std::span<const std::uint64_t> packets) override { packets_.forget(packets); }
  void ended(const std::string&) override {
    require(!over, "a run ends once");
    over = true;
  }
  bool over = false;

 private:
  Packets& packets_;
  bool first_ = true;
  std::uint64_t window_ = 0;
  SimTime from_{};
};

WindowOptions options_of(FuzzInput& input) {
  const std::uint8_t choice = input.byte();
  const std::uint8_t more = input.byte();
  WindowOptions options{.window = 10ms, .packet_hold = 50ms};
  options.pace = (choice & 1) != 0 ? Pace::kLockstep : Pace::kWall;
  options.lag_one_window = (choice & 2) != 0;
  options.links_at_once = (choice & 4) != 0;
  options.late = (choice & 8) != 0 ? LatePolicy::kDiscard : LatePolicy::kHoldLast;
  options.recovery = (choice & 16) != 0 ? Recovery::kSkip : Recovery::kCatchUp;
  options.physics_step = (choice & 32) != 0 ? 5ms : 0ms;
  options.network_step = (choice & 64) != 0 ? 2ms : 0ms;
  if ((choice & 128) != 0) {
    options.packet_hold_windows = more % 4;
  }
  options.windows = more / 4 % 2 == 0 ? 0 : 5 + more / 8;
  return options;
}

class Run {
 public:
  explicit Run(const WindowOptions& options)
      : one_step_(options.physics_step == 0ms && options.network_step == 0ms),
        sink_(packets_),
        engine_(options, timer_, physics_, network_, packets_, sink_) {
    engine_.start();
    physics_.ready();
    network_.ready();
  }
  ~Run() {
    engine_.stop("");
    physics_.end({});
    network_.end({});
    timer_.advance(3s);  // who does not answer is waited for so long at most
    require(sink_.over, "a run that was stopped ends");
    check();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void step(std::uint8_t what, FuzzInput& input) {
    switch (what % 8) {
      case 0:
        physics_.end(scene(input.byte()));
        break;
      case 1:
        network_.end(judgement(input));
        break;
      case 2:
        capture(input.byte());
        break;
      case 3:
        if (one_step_) {
          engine_.change_window((1 + input.number(20)) * 1ms);
        }
        break;
      case 4:
        end(input.byte());
        break;
      default:
        timer_.advance(Nanoseconds{500us} * (what / 8));
    }
    check();
  }

 private:
  void check() {
    const VerdictStats& books = engine_.verdict_stats();
    require(books.offered == packets_.waits.size() + books.forgotten + books.expired, "the books of packets balance");
  }
  static PhysicsAnswer scene(std::uint8_t choice) {
    PhysicsAnswer answer;
    answer.has_scene = choice % 4 != 0;
    answer.scene.robots.resize(2);
    answer.scene.sights.resize(1);
    if (choice % 8 == 1) {
      answer.payload = {.form = PeerPayload::Form::kDancers, .bytes = "p"};
    }
    return answer;
  }
  NetworkAnswer judgement(FuzzInput& input) const {
    constexpr std::array<double, 6> kErrors = {
        0, 1e-5, 1, -1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    constexpr std::array<SimTime, 4> kReleases = {SimTime{}, SimTime{1ms}, SimTime::max(), SimTime::min()};
    NetworkAnswer answer;
    const std::uint8_t choice = input.byte();
    answer.has_links = choice % 2 != 0;
    for (int i = choice / 2 % 8; i > 0; --i) {
      const std::uint8_t word = input.byte();
      const std::uint64_t packet = packets_.next - std::min<std::uint64_t>(packets_.next, word % 8);
      if (word % 64 >= 48) {
        answer.forget.push_back(packet);
      } else {
        answer.verdicts.push_back({.packet = packet,
                                   .receiver = RobotIndex{word % 2U},
                                   .release_at = word < 128 ? kReleases[word % 4] : SimTime{Nanoseconds{500us} * word},
                                   .ber = kErrors[word / 8 % kErrors.size()],
                                   .drop = static_cast<AirDrop>(word / 64),
                                   .retries = word});
      }
    }
    return answer;
  }
  void capture(std::uint8_t count) {
    if (!engine_.running()) {
      return;
    }
    const SimTime last = packets_.captured.empty() ? engine_.window_begin() : packets_.captured.back().captured;
    for (int i = count % 4; i >= 0; --i) {
      packets_.captured.push_back({.id = packets_.next++, .captured = std::max(last, engine_.window_begin())});
    }
  }
  void end(std::uint8_t how) {
    if (how == 0) {
      engine_.stop("the input says so");
    } else if (how == 1) {
      physics_.fail();
    } else if (how == 2) {
      network_.fail();
    } else {
      engine_.reschedule();
    }
  }

  bool one_step_;
  HandTimer timer_;
  ModelPhysics physics_;
  ModelNetwork network_;
  Packets packets_;
  Sink sink_;
  WindowEngine engine_;
};

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  FuzzInput input(data, size);
  Run run(options_of(input));
  for (int steps = 0; !input.empty() && steps < 300; ++steps) {
    run.step(input.byte(), input);
  }
  return 0;
}
