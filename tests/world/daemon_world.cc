// SPDX-License-Identifier: Apache-2.0
#include "tests/world/daemon_world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/daemon.h"
#include "tests/support/packets.h"
#include "tests/world/control_clients.h"
#include "tests/world/daemon_plan.h"
#include "tests/world/daemon_record.h"
#include "tests/world/daemon_simulator.h"
#include "tests/world/world_machine.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBuffers = 6000;
constexpr Nanoseconds kAnswerWithin = 2s;  // of simulated time, with hostile clients beside
constexpr std::uint64_t kSlower = 5;       // frames are so much fewer where simulators take their time
// docs/reference/conditions.md: silence begins at 1 s; conditions are looked for twice a second.
constexpr Nanoseconds kSilent = 2s;
constexpr Nanoseconds kHeardAgain = 800ms;
constexpr std::uint64_t kReadLater = 2;  // windows between a status and its reading, at most

/// A request of the operator, and how it has to end.
struct OperatorRequest {
  enum class End : std::uint8_t { kDone, kRefused, kEither };

  nlohmann::json json{};
  End end = End::kDone;
  std::optional<Nanoseconds> delay{};  // of links.r0.r1, once it is done
  std::optional<bool> guest{};         // whether there is one, likewise
};

const std::vector<std::string> kBadAssignments = {"",
                                                  "=",
                                                  "window",
                                                  "window=-1ms",
                                                  "window=1e400s",
                                                  "window=nan",
                                                  "links.r0.r1.loss=101 %",
                                                  "links.r0.nobody.loss=1 %",
                                                  "links.r0.r1.delay=&a [*a]",
                                                  "ports.p0.driver=dpdk",
                                                  "memory.frames=99999999999999999999",
                                                  "robots=" + std::string(4000, '{'),
                                                  std::string(4000, '.') + "=1",
                                                  "seed=nonsense"};
const std::vector<std::string> kBadFiles = {
    "", "\xff\xfe", "ports: [", "name: other\n", "a: &a [*a, *a]\n", "{}", std::string(1 << 16, '[')};

class DaemonWorld {
 public:
  explicit DaemonWorld(std::uint64_t seed)
      : plan_(seed), random_(plan_.random), machine_(folder_ / "control", kBuffers, plan_.robots, faults_) {
    std::filesystem::create_directory(folder_);
    write_file(delay_);
    start();
    for (const auto& [is_there, role] :
         {std::pair{plan_.has_physics, native::Role::kPhysics}, std::pair{plan_.has_netsim, native::Role::kNetwork}}) {
      if (is_there) {
        simulators_.push_back(std::make_unique<DaemonSimulator>(
            DaemonSimulator::Terms{.socket = folder_ / (role == native::Role::kPhysics ? "physics" : "netsim"),
                                   .role = role,
                                   .robots = plan_.robots,
                                   .judges_packets = plan_.judges_packets,
                                   .window = plan_.window},
            random_));
      }
    }
    manners_.resize(simulators_.size());
  }
  ~DaemonWorld() {
    daemon_.reset();
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }
  DaemonWorld(const DaemonWorld&) = delete;
  DaemonWorld& operator=(const DaemonWorld&) = delete;

  DaemonWorldResult run(std::uint64_t frames) {
    try {
      const std::uint64_t wanted =
          plan_.has_simulators() ? frames / kSlower : frames * plan_.burst / DaemonPlan::kQuietBurst;
      while (result_.frames < wanted && !faults_.any() && !machine_.context().stopped()) {
        step(true);
      }
      if (machine_.context().stopped()) {
        end_of_halt();
      } else {
        end_of_run();
      }
      daemon_.reset();
      faults_.require(machine_.memory().used() == 0, "{} frame buffers are in use after the daemon's end",
                      machine_.memory().used());
    } catch (const std::exception& error) {
      faults_.add("{}", error.what());
    }
    result_.fault = faults_.first();
    return result_;
  }

 private:
  void write_file(Nanoseconds delay) const { std::ofstream(file_) << plan_.text(folder_.string(), delay); }

  void end_of_run() {
    // What the operator waits for comes first: a status is of the time that it was asked at.
    if (operator_->waits()) {
      take(answer());
    }
    settle();
    nlohmann::json status;
    if (!faults_.any()) {
      status = final_status();
    }
    daemon_->stop();
    for (int i = 0; i < 20'000 && !machine_.context().stopped(); ++i) {
      step(false);
    }
    faults_.require(machine_.context().stopped(), "the daemon does not end");
    daemon_->finish();
    if (plan_.is_recorded && !faults_.any()) {
      result_.recorded += check_record(folder_ / "runs", status, faults_);
    }
  }
  // `late: halt` ends the run with the first trouble of a simulator, by its name.
  void end_of_halt() {
    ++result_.halts;
    faults_.require(plan_.late == "halt", "the daemon ends by itself");
    try {
      daemon_->finish();
      faults_.add("the run ends without a reason");
    } catch (const std::runtime_error& why) {
      const std::string text = why.what();
      faults_.require(text.find("physics") != std::string::npos || text.find("netsim") != std::string::npos,
                      "the run ends with '{}', which names no simulator", text);
    }
  }
  // Null: no answer.
  nlohmann::json answer() {
    for (int i = 0; i < 20'000 && operator_->waits() && !faults_.any(); ++i) {
      step(false);
      if (auto line = operator_->answer()) {
        return *line;
      }
    }
    return {};
  }

  // When nothing changes any more.
  nlohmann::json final_status() {
    operator_->ask({{"command", "status"}});
    const nlohmann::json line = answer();
    faults_.require(line.contains("result"), "no status at the end: {}", line.dump());
    return line.value("result", nlohmann::json());
  }

  void start() {
    const KnownNames known = known_names();
    const Configuration configuration = load_configuration(file_, known);
    daemon_ = std::make_unique<Daemon>(start_of(configuration), RunIdentity{},
                                       machine_.host([this](PortSlot, const Frame& frame) { note_sent(frame); }));
    daemon_->start();
    operator_.emplace(machine_.control_socket());
    hostile_.emplace(machine_.control_socket(), random_);
  }

  void step(bool traffic) {
    machine_.set_time(machine_.now() +
                      Nanoseconds{20'000 + random_.below(plan_.has_simulators() ? 1'500'000 : 400'000)});
    machine_.run_timers();
    simulate(traffic);
    if (traffic) {
      if (!plan_.has_simulators() || random_.chance(0.08)) {
        arrive();
      }
      if (plan_.is_hostile && random_.chance(0.05)) {
        hostile_->act();
      }
      operate();
    }
    machine_.poll();
    machine_.iterate();
    check();
  }

  void arrive() {
    for (std::uint32_t n = random_.below(plan_.burst); n > 0; --n) {
      const std::uint32_t from = random_.below(plan_.robots);
      const std::uint32_t to = (from + 1 + random_.below(plan_.robots - 1)) % plan_.robots;
      const Bytes frame = ip_frame({.destination = mac_of(to + 1), .source = mac_of(from + 1), .tags = {}},
                                   {.source = ipv4_of(from + 1).text(), .destination = ipv4_of(to + 1).text()}, 17,
                                   udp(payload(random_.below(200), from)));
      const auto arrived = machine_.memory().arrive(frame,
                                                    {.number = result_.frames,
                                                     .arrived = machine_.now(),
                                                     .port = from,
                                                     .from = from,
                                                     .to = to,
                                                     .kind = FrameKind::kRobots},
                                                    frame.size());
      if (arrived) {
        machine_.port(PortSlot{from})->arrive(*arrived);
        ++result_.frames;
      }
    }
  }

  // Simulators answer, as often as there is something to answer.
  void simulate(bool may_misbehave) {
    for (std::size_t i = 0; i < simulators_.size(); ++i) {
      if (machine_.now() >= manners_[i].until) {
        change_manner(i, may_misbehave);
      }
    }
    for (bool is_busy = !simulators_.empty(); is_busy;) {
      is_busy = false;
      for (const auto& simulator : simulators_) {
        is_busy |= simulator->act(machine_.now());
      }
      machine_.poll();
    }
  }
  // It behaves well in every other turn, for longer than a condition stands after its cause.
  void change_manner(std::size_t i, bool may_misbehave) {
    DaemonSimulator& simulator = *simulators_[i];
    const bool was_good = simulator.manner() == SimulatorManner::kPunctual;
    const auto manner =
        was_good && may_misbehave && result_.windows > 0
            ? static_cast<SimulatorManner>(random_.below(static_cast<std::uint32_t>(SimulatorManner::kCount)))
            : SimulatorManner::kPunctual;
    Nanoseconds length = 100ms + Nanoseconds{random_.below(600'000'000)};
    if (is_silent(manner)) {
      length += Nanoseconds{random_.below(4'000'000'000)};
    } else if (manner == SimulatorManner::kPunctual) {
      length += kHeardAgain;
    }
    simulator.behave(manner, machine_.now());
    manners_[i].until = machine_.now() + length;
    ++result_.manners;
  }

  void note_sent(const Frame& frame) {
    ++result_.left;
    const FrameIdentity& identity = machine_.memory().identity(frame);
    note(identity.number);
    note(machine_.memory().digest(frame));
    note(static_cast<std::uint64_t>(machine_.now().time_since_epoch().count()));
  }
  void note(std::uint64_t value) {
    result_.digest = (result_.digest ^ value) * 0x9E3779B97F4A7C15;
    result_.digest ^= result_.digest >> 29;
  }
  // Without the folder's name, which is another in each process.
  void note(std::string text) {
    const std::string folder = folder_.string();
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
      text.erase(at, folder.size());
    }
    for (const char byte : text) {
      note(static_cast<std::uint64_t>(static_cast<unsigned char>(byte)));
    }
  }

  // The operator's requests, one at a time.
  void operate() {
    if (operator_->waits()) {
      if (const auto line = operator_->answer()) {
        take(*line);
      } else {
        faults_.require(machine_.now() - asked_ < kAnswerWithin, "'{}' is not answered within {} s",
                        request_.json.dump().substr(0, 200), seconds_of(kAnswerWithin));
      }
    } else if (machine_.now() >= next_request_) {
      request_ = next_request();
      operator_->ask(request_.json);
      asked_ = machine_.now();
      ++result_.requests;
    }
  }

  OperatorRequest next_request() {
    next_request_ = machine_.now() + Nanoseconds{1'000'000 + random_.below(40'000'000)};
    const auto set = [](const std::string& assignment) {
      return nlohmann::json{{"command", "set"}, {"values", {assignment}}};
    };
    using End = OperatorRequest::End;
    switch (random_.below(11)) {
      case 0: {
        const Nanoseconds delay{1000 * (1 + random_.below(30'000))};
        return {.json = set(fmt::format("links.r0.r1.delay={} us", delay.count() / 1000)), .delay = delay};
      }
      case 1:
        // The windows of simulators in other programs keep their length.
        return {.json = set(fmt::format("window={} ms", (plan_.has_simulators() ? 31 : 1) + random_.below(30))),
                .end = plan_.has_simulators() ? End::kRefused : End::kDone};
      case 2:
        return {.json = {{"command", "set"}, {"values", {"links.r0.r1.delay=5 ms", "links.r0.r1.loss=nonsense"}}},
                .end = End::kRefused};
      case 3: {
        const Nanoseconds delay{1000 * (1 + random_.below(30'000))};
        write_file(delay);
        return {.json = {{"command", "reload"}}, .delay = delay, .guest = false};
      }
      case 4:
        return {.json = {{"command", "scenario"},
                         {"name", "world.yaml"},
                         {"text", fmt::format("end: {0} ms\nsteps:\n  - {{at: 1 ms, set: {{links.r0.r1.loss: 40%}}}}\n"
                                              "  - {{at: {1} ms, set: {{links.r0.r1.loss: 0%}}}}\n",
                                              30 + random_.below(50), 20 + random_.below(5))}},
                .end = End::kEither};  // one may be running
      case 5:
        return {.json = {{"command", "get"}, {"keys", {"links.r0.r1.delay"}}}};
      case 6:
        return {.json = {{"command", "pause"}}, .end = End::kRefused};
      case 7:
        return {.json = set(kBadAssignments[random_.below(static_cast<std::uint32_t>(kBadAssignments.size()))]),
                .end = End::kRefused};
      case 8:
        std::ofstream(file_) << kBadFiles[random_.below(static_cast<std::uint32_t>(kBadFiles.size()))];
        return {.json = {{"command", "reload"}}, .end = End::kRefused};
      case 9:
        if (!plan_.has_simulators()) {  // whose robots stay the same
          return {.json = {{"command", "set"}, {"values", guest_comes_or_goes()}}, .guest = !has_guest_};
        }
        [[fallthrough]];
      default:
        return {.json = {{"command", "status"}}};
    }
  }

  [[nodiscard]] std::vector<std::string> guest_comes_or_goes() const {
    if (has_guest_) {
      return {"robots.guest=", "physics.tracks.guest="};
    }
    return {fmt::format("robots.guest={{port: p0, mac: '02:77:00:00:00:01'{}}}",
                        plan_.radio.empty() ? "" : ", radio: " + plan_.radio),
            "physics.tracks.guest=[{at: 0s, position: [3m, 3m, 2m]}]"};
  }

  void take(const nlohmann::json& line) {
    const bool is_done = line.at("ok").get<bool>();
    const auto command = request_.json.at("command").get<std::string>();
    if (command == "status") {
      return take_status(line);
    }
    note(line.dump());
    if (command == "get") {
      const auto text = line.at("result").at(0).at("value").get<std::string>();
      faults_.require(text.find(fmt::format("{} us", delay_.count() / 1000)) != std::string::npos,
                      "links.r0.r1.delay is {} us and get says '{}'", delay_.count() / 1000, text);
      return;
    }
    faults_.require(request_.end != OperatorRequest::End::kDone || is_done, "'{}' was refused: {}",
                    request_.json.dump().substr(0, 200), line.dump());
    faults_.require(request_.end != OperatorRequest::End::kRefused || !is_done, "'{}' was carried out",
                    request_.json.dump().substr(0, 200));
    result_.scenarios += is_done && command == "scenario" ? 1 : 0;
    is_done ? ++result_.changes : ++result_.refused;
    if (is_done) {
      delay_ = request_.delay.value_or(delay_);
      has_guest_ = request_.guest.value_or(has_guest_);
    }
  }

  void take_status(const nlohmann::json& line) {
    faults_.require(line.at("ok").get<bool>(), "no status: {}", line.dump());
    if (faults_.any()) {
      return;
    }
    const auto& status = line.at("result");
    const auto& windows = status.at("window");
    const auto window = windows.at("number").get<std::uint64_t>();
    faults_.require(window >= result_.windows, "window {} comes after {}", window, result_.windows);
    if (plan_.has_simulators()) {
      check_simulators(status, window);
    } else {
      faults_.require(windows.at("missed") == 0, "windows were missed: {}", windows.dump());
    }
    result_.windows = window;
    faults_.require(status.at("robots").size() == plan_.robots + (has_guest_ ? 1 : 0), "robots: {}",
                    status.at("robots").dump());
    note(status.at("totals").dump());
    note(window);
    note(windows.at("published").dump());
    note(status.at("links").dump());
  }

  // Windows go on whatever simulators do, packets have their time by `late`, and silence is a condition while it lasts.
  void check_simulators(const nlohmann::json& status, std::uint64_t window) {
    const auto& windows = status.at("window");
    const bool halts = plan_.late == "halt" && !windows.at("running").get<bool>();  // awaits the last answers
    if (window > 0 && status_window_ && !halts) {
      const auto passed = static_cast<std::uint64_t>((machine_.now() - status_at_) / plan_.window);
      faults_.require(
          window + kReadLater >= *status_window_ + passed && window <= *status_window_ + passed + kReadLater,
          "{} windows have begun in the time of {}", window - *status_window_, passed);
    }
    if (window > 0) {
      status_window_ = window;
      status_at_ = machine_.now();
    }
    const auto& dropped = status.at("totals").at("dropped");
    faults_.require(plan_.late == "discard" || !dropped.contains("verdict_late"), "packets are dropped as late: {}",
                    dropped.dump());
    if (plan_.judges_packets && plan_.has_netsim) {
      const auto& verdicts = status.at("verdicts");
      faults_.require(plan_.late != "discard" || verdicts.at("released_late") == 0, "packets are released late: {}",
                      verdicts.dump());
      result_.verdicts = verdicts.at("passed").get<std::uint64_t>();
    }
    for (std::size_t i = 0; i < simulators_.size(); ++i) {
      const bool is_physics = simulators_[i]->role() == native::Role::kPhysics;
      check_silence(status, *simulators_[i], is_physics ? "physics" : "netsim");
      check_missed(windows.at("simulators").at(is_physics ? 0 : 1), i);
    }
  }
  void check_silence(const nlohmann::json& status, const DaemonSimulator& simulator, const std::string& name) {
    const Nanoseconds lasts = machine_.now() - simulator.since();
    const bool is_said = std::ranges::any_of(status.at("conditions"), [&](const nlohmann::json& condition) {
      return condition.at("name") == "simulator_silent" && condition.at("about") == name;
    });
    if (simulator.manner() == SimulatorManner::kPunctual) {
      faults_.require(!is_said || lasts < kHeardAgain, "{} is silent by the conditions, and has answered for {} ms",
                      name, lasts.count() / 1'000'000);
    } else if (is_silent(simulator.manner()) && !plan_.is_impatient && result_.windows > 0) {
      faults_.require(is_said || lasts < kSilent, "{} has been silent for {} ms, which is no condition: {}", name,
                      lasts.count() / 1'000'000, status.at("conditions").dump());
      result_.silences += is_said ? 1 : 0;
    }
  }
  // While it is heard in time, no window is missed.
  void check_missed(const nlohmann::json& stats, std::size_t i) {
    const auto missed = stats.at("missed").get<std::uint64_t>();
    Turn& turn = manners_[i];
    const bool is_good = simulators_[i]->manner() == SimulatorManner::kPunctual &&
                         machine_.now() - simulators_[i]->since() > kHeardAgain;
    faults_.require(!is_good || !turn.missed || *turn.missed == missed,
                    "{} windows are missed of a simulator that answers in time: {}", missed - turn.missed.value_or(0),
                    stats.dump());
    turn.missed = is_good ? std::optional(missed) : std::nullopt;
  }

  void check() {
    const auto totals = machine_.plane().snapshot(0ms);
    faults_.require(totals.has_value() && totals->balanced(), "the ledger is not balanced");
    faults_.require(totals->released == result_.left, "{} frames are released and {} have left", totals->released,
                    result_.left);
    if (totals->held == 0 && plan_.has_simulators()) {
      faults_.require(totals->deliveries == totals->released + totals->dropped_total(),
                      "{} deliveries, {} released and {} dropped by a reason", totals->deliveries, totals->released,
                      totals->dropped_total());
    }
  }

  // All frames end.
  void settle() {
    for (int i = 0; i < 40'000 && machine_.memory().used() > 0 && !faults_.any(); ++i) {
      step(false);
    }
    faults_.require(machine_.memory().used() == 0, "{} frame buffers are in use when nothing has arrived for long",
                    machine_.memory().used());
  }

  /// Of a simulator, at one manner.
  struct Turn {
    HostTime until{};
    std::optional<std::uint64_t> missed{};  // windows, while it is heard in time
  };

  DaemonPlan plan_;
  WorldRandom& random_;
  WorldFaults faults_;
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("hgt-world-{}", ::getpid());
  const std::filesystem::path file_ = folder_ / "world.yaml";
  Nanoseconds delay_{2'000'000};
  WorldMachine machine_;
  std::unique_ptr<Daemon> daemon_;
  std::optional<ControlOperator> operator_;
  std::optional<HostileClients> hostile_;
  std::vector<std::unique_ptr<DaemonSimulator>> simulators_;
  std::vector<Turn> manners_;  // by simulator
  OperatorRequest request_;
  HostTime asked_{};
  HostTime next_request_{};
  bool has_guest_ = false;
  std::optional<std::uint64_t> status_window_;  // of the last status
  HostTime status_at_{};
  DaemonWorldResult result_;
};

}  // namespace

DaemonWorldResult check_daemon_world(std::uint64_t seed, std::uint64_t frames) {
  DaemonWorldResult result = DaemonWorld(seed).run(frames);
  // How much of a flood a socket takes, and with it when a hostile client is closed, depends on the kernel's memory.
  if (result.fault.empty() && !DaemonPlan(seed).is_hostile) {
    const DaemonWorldResult again = DaemonWorld(seed).run(frames);
    if (again.digest != result.digest || again.left != result.left) {
      result.fault = fmt::format("its second run differs: digest {:016x} and {:016x}", result.digest, again.digest);
    }
  }
  return result;
}

std::string daemon_world_text(std::uint64_t seed) {
  return DaemonPlan(seed).text("FOLDER", 2ms);
}

}  // namespace hilgate::test
