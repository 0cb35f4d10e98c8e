// SPDX-License-Identifier: Apache-2.0
#include "tests/world/daemon_world.h"

#include <fmt/format.h>
#include <unistd.h>

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
#include "tests/world/world_machine.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBuffers = 6000;
constexpr Nanoseconds kAnswerWithin = 2s;  // of simulated time, with hostile clients beside

/// What a seed decides before the run.
struct Plan {
  explicit Plan(std::uint64_t seed) : random(seed) {
    robots = 2 + random.below(4);
    window = std::vector<Nanoseconds>{1ms, 2ms, 5ms, 10ms, 20ms}[random.below(5)];
    radio = std::vector<std::string>{"", "wifi_11ac_80", "wifi_11n_2g4_adhoc", "xbee_802154"}[random.below(4)];
    cores = 1 + random.below(2);
    hostile = random.chance(0.7);
  }
  [[nodiscard]] std::string text(Nanoseconds delay) const {
    std::string file = fmt::format("name: world\nwindow: {} us\nmemory: {{frames: 4096}}\n", window.count() / 1000);
    if (cores > 1) {
      std::string first;
      std::string second;
      for (std::uint32_t i = 0; i < robots; ++i) {
        std::string& own = i % 2 == 0 ? first : second;
        own += fmt::format("{}p{}", own.empty() ? "" : ", ", i);
      }
      file += fmt::format("packet_loop: {{cores: [{{ports: [{}]}}, {{ports: [{}]}}]}}\n", first, second);
    }
    file += radio.empty() ? "netsim: {type: wire}\n" : "netsim: {type: embedded}\n";
    file += "ports:\n";
    for (std::uint32_t i = 0; i < robots; ++i) {
      file += fmt::format("  p{0}: {{interface: hgw{0}}}\n", i);
    }
    file += "robots:\n";
    for (std::uint32_t i = 0; i < robots; ++i) {
      file += fmt::format("  r{0}: {{port: p{0}, mac: '{1}'{2}}}\n", i, mac_of(i + 1).text(),
                          radio.empty() ? "" : ", radio: " + radio);
    }
    file += "physics:\n  type: trajectory\n  tracks:\n";
    for (std::uint32_t i = 0; i < robots; ++i) {
      file += fmt::format("    r{0}: [{{at: 0s, position: [{1}m, 0m, 2m]}}, {{at: 20s, position: [{2}m, {1}m, 2m]}}]\n",
                          i, 7 * i, 7 * i + 15);
    }
    return file + fmt::format("links:\n  - {{from: r0, to: r1, delay: {} us}}\n", delay.count() / 1000);
  }

  WorldRandom random;
  std::uint32_t robots = 2;
  Nanoseconds window{};
  std::string radio;
  std::uint32_t cores = 1;
  bool hostile = false;
};

class DaemonWorld {
 public:
  explicit DaemonWorld(std::uint64_t seed)
      : plan_(seed), random_(plan_.random), machine_(folder_ / "control", kBuffers, plan_.robots, faults_) {
    std::filesystem::create_directory(folder_);
    write_file(delay_);
    start();
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
      while (result_.frames < frames && !faults_.any()) {
        step(true);
      }
      settle();
      daemon_->stop();
      for (int i = 0; i < 2000 && !machine_.context().stopped(); ++i) {
        step(false);
      }
      faults_.require(machine_.context().stopped(), "the daemon does not end");
      daemon_->finish();
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
  void write_file(Nanoseconds delay) const { std::ofstream(file_) << plan_.text(delay); }

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
    machine_.set_time(machine_.now() + Nanoseconds{20'000 + random_.below(400'000)});
    machine_.run_timers();
    if (traffic) {
      arrive();
      if (plan_.hostile && random_.chance(0.05)) {
        hostile_->act();
      }
      operate();
    }
    machine_.poll();
    machine_.iterate();
    check();
  }

  void arrive() {
    for (std::uint32_t n = random_.below(8); n > 0; --n) {
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
        faults_.require(machine_.now() - asked_ < kAnswerWithin, "'{}' is not answered within {} s", request_.dump(),
                        seconds_of(kAnswerWithin));
      }
    } else if (machine_.now() >= next_request_) {
      request_ = next_request();
      operator_->ask(request_);
      asked_ = machine_.now();
      ++result_.requests;
    }
  }

  nlohmann::json next_request() {
    next_request_ = machine_.now() + Nanoseconds{1'000'000 + random_.below(40'000'000)};
    switch (random_.below(8)) {
      case 0: {
        wanted_ = Nanoseconds{1000 * (1 + random_.below(30'000))};
        return {{"command", "set"}, {"values", {fmt::format("links.r0.r1.delay={} us", wanted_->count() / 1000)}}};
      }
      case 1:
        return {{"command", "set"}, {"values", {fmt::format("window={} ms", 1 + random_.below(30))}}};
      case 2:
        return {{"command", "set"}, {"values", {"links.r0.r1.delay=5 ms", "links.r0.r1.loss=nonsense"}}};
      case 3: {
        wanted_ = Nanoseconds{1000 * (1 + random_.below(30'000))};
        write_file(*wanted_);
        return {{"command", "reload"}};
      }
      case 4:
        return {{"command", "scenario"},
                {"name", "world.yaml"},
                {"text", fmt::format("end: {0} ms\nsteps:\n  - {{at: 1 ms, set: {{links.r0.r1.loss: 40%}}}}\n"
                                     "  - {{at: {1} ms, set: {{links.r0.r1.loss: 0%}}}}\n",
                                     30 + random_.below(50), 20 + random_.below(5))}};
      case 5:
        return {{"command", "get"}, {"keys", {"links.r0.r1.delay"}}};
      case 6:
        return {{"command", "pause"}};
      default:
        return {{"command", "status"}};
    }
  }

  void take(const nlohmann::json& line) {
    const bool is_done = line.at("ok").get<bool>();
    const auto command = request_.at("command").get<std::string>();
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
    const bool is_bad = command == "pause" || (command == "set" && request_.at("values").size() > 1);
    if (is_bad) {
      faults_.require(!is_done, "'{}' was carried out", request_.dump());
    } else if (command != "scenario") {  // one may be running
      faults_.require(is_done, "'{}' was refused: {}", request_.dump(), line.dump());
    }
    result_.scenarios += is_done && command == "scenario" ? 1 : 0;
    is_done ? ++result_.changes : ++result_.refused;
    if (is_done && wanted_) {
      delay_ = *wanted_;
    }
    wanted_.reset();
  }

  void take_status(const nlohmann::json& line) {
    faults_.require(line.at("ok").get<bool>(), "no status: {}", line.dump());
    if (faults_.any()) {
      return;
    }
    const auto& status = line.at("result");
    const auto& windows = status.at("window");
    faults_.require(windows.at("missed") == 0, "windows were missed: {}", windows.dump());
    const auto window = windows.at("number").get<std::uint64_t>();
    faults_.require(window >= result_.windows, "window {} comes after {}", window, result_.windows);
    result_.windows = window;
    faults_.require(status.at("robots").size() == plan_.robots, "robots: {}", status.at("robots").dump());
    note(status.at("totals").dump());
    note(window);
    note(windows.at("published").dump());
    note(status.at("links").dump());
  }

  void check() {
    const auto totals = machine_.plane().snapshot(0ms);
    faults_.require(totals.has_value() && totals->balanced(), "the ledger is not balanced");
    faults_.require(totals->released == result_.left, "{} frames are released and {} have left", totals->released,
                    result_.left);
  }

  // All frames end.
  void settle() {
    for (int i = 0; i < 40'000 && machine_.memory().used() > 0 && !faults_.any(); ++i) {
      step(false);
    }
    faults_.require(machine_.memory().used() == 0, "{} frame buffers are in use when nothing has arrived for long",
                    machine_.memory().used());
  }

  Plan plan_;
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
  nlohmann::json request_;
  HostTime asked_{};
  HostTime next_request_{};
  std::optional<Nanoseconds> wanted_;  // of links.r0.r1.delay, by the request at hand
  DaemonWorldResult result_;
};

}  // namespace

DaemonWorldResult check_daemon_world(std::uint64_t seed, std::uint64_t frames) {
  DaemonWorldResult result = DaemonWorld(seed).run(frames);
  // How much of a flood a socket takes, and with it when a hostile client is closed, depends on the kernel's memory.
  if (result.fault.empty() && !Plan(seed).hostile) {
    const DaemonWorldResult again = DaemonWorld(seed).run(frames);
    if (again.digest != result.digest || again.left != result.left) {
      result.fault = fmt::format("its second run differs: digest {:016x} and {:016x}", result.digest, again.digest);
    }
  }
  return result;
}

std::string daemon_world_text(std::uint64_t seed) {
  return Plan(seed).text(2ms);
}

}  // namespace hilgate::test
