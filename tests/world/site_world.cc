// SPDX-License-Identifier: Apache-2.0
#include "tests/world/site_world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "frame/id.h"
#include "tests/support/packets.h"
#include "tests/world/site_gateway.h"
#include "tests/world/site_network.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kGateways = 3;
constexpr std::size_t kPayload = 42;  // offset in a frame: Ethernet, IPv4 and UDP headers
constexpr std::uint64_t kMark = 0x68696c2d73697465;
constexpr Nanoseconds kClockWithin = 1ms;
constexpr Nanoseconds kSilentAfter = 500ms;

// docs/how-to/site.md: what a site takes at most, apart from the network's own delay and lost beacons.
constexpr Nanoseconds kMissing = 800ms;    // until one that is cut off is reported
constexpr Nanoseconds kHereAgain = 300ms;  // from the network's return, where the simulation is one
constexpr Nanoseconds kOneAgain = 3s;      // likewise, where it has begun apart or a clock was stepped
constexpr Nanoseconds kBegun = 4s;         // from a start until all are one
constexpr Nanoseconds kCatchUp = 7s;       // from then on until a gateway has the values that the others were set
constexpr Nanoseconds kChanged = 8s;       // until a change is answered
constexpr Nanoseconds kBeacons = 100ms;
constexpr Nanoseconds kControl = 7ms;  // between two looks of a control thread, and a step

/// What a seed decides before the run.
struct SitePlan {
  explicit SitePlan(std::uint64_t seed) : random(seed) {
    robots = kGateways * (1 + random.below(2));
    window = std::vector<Nanoseconds>{1ms, 2ms, 5ms, 10ms, 20ms}[random.below(5)];
    radio = std::vector<std::string>{"", "", "wifi_11ac_80", "wifi_11n_2g4_adhoc"}[random.below(4)];
    is_shared = random.chance(0.5);
    has_key = random.chance(0.3);
    delay = Nanoseconds{1'000'000 + random.below(15'000'000)};
    loss = random.chance(0.5) ? 0 : random.below(30);
    is_perfect = random.chance(0.2);
    network.delay = Nanoseconds{30'000 + random.below(1'000'000)};
    if (!is_perfect) {
      network.jitter = Nanoseconds{random.below(3'000'000)};
      network.loss = 0.001 * random.below(50);
      network.duplication = 0.001 * random.below(50);
      network.refused = 0.001 * random.below(3);
    }
    is_apart = random.chance(0.2);
    for (SiteClocks& each : clocks) {
      each = {.base = Nanoseconds{random.below(2'000'000'000)} * 10,
              .rate_ppm = 0.1 * random.below(400) - 20,
              .error = Nanoseconds{random.below(200'000)} - 100us};
    }
    length = 12s + Nanoseconds{random.below(2'000'000'000)} * 5;
    coarse = Nanoseconds{200'000 + random.below(1'500'000)};
  }

  [[nodiscard]] std::string text() const { return text(loss); }
  /// With another loss of all links.
  [[nodiscard]] std::string text(std::uint32_t percent) const {
    std::string file = fmt::format(
        "name: world\nseed: {}\nwindow: {} us\nmemory: {{frames: 4096}}\nclock: {{source: tai}}\n"
        "netsim: {{type: {}}}\nsite:\n  clock_within: {} us\n  silent_after: {} ms\n  media: {}\n  {}\n"
        "  gateways:\n",
        7, window.count() / 1000, radio.empty() ? "wire" : "embedded", kClockWithin.count() / 1000,
        kSilentAfter.count() / 1'000'000, is_shared ? "shared" : "apart", has_key ? "key_file: site.key" : "key: none");
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      file += fmt::format("    g{}: {{address: 10.9.0.{}}}\n", i, i + 1);
    }
    file += "ports:\n";
    for (std::uint32_t i = 0; i < robots; ++i) {
      file += fmt::format("  p{0}: {{interface: hgw{0}, gateway: g{1}}}\n", i, i % kGateways);
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
    return file +
           fmt::format("links:\n  - {{from: '*', to: '*', delay: {} us, loss: {}%}}\n", delay.count() / 1000, percent);
  }
  [[nodiscard]] std::string network_text() const {
    return fmt::format("# network: delay {} us, jitter {} us, loss {:.1f} %, duplication {:.1f} %; {} s\n",
                       network.delay.count() / 1000, network.jitter.count() / 1000, 100 * network.loss,
                       100 * network.duplication, length.count() / 1'000'000'000);
  }

  WorldRandom random;
  std::uint32_t robots = kGateways;
  Nanoseconds window{0};
  std::string radio;
  bool is_shared = true;
  bool has_key = false;
  Nanoseconds delay{0};
  std::uint32_t loss = 0;   // per cent
  bool is_perfect = false;  // the network
  SiteNetworkTerms network;
  bool is_apart = false;  // one gateway begins apart from the others
  std::array<SiteClocks, kGateways> clocks;
  Nanoseconds length{0};
  Nanoseconds coarse{0};  // between two steps, at most
};

class SiteWorld {
 public:
  explicit SiteWorld(std::uint64_t seed)
      : plan_(seed),
        random_(plan_.random),
        network_(plan_.network, "world", random_),
        site_{.folder = folder_,
              .file = folder_ / "world.yaml",
              .names = {"g0", "g1", "g2"},
              .robots = plan_.robots,
              .window = plan_.window,
              .network = network_,
              .texts = texts_,
              .faults = faults_,
              .random = random_,
              .released = [this](std::uint32_t robot, std::span<const std::byte> frame) {
                note_released(robot, frame);
              }} {
    std::filesystem::create_directory(folder_);
    std::ofstream(site_.file) << plan_.text();
    if (plan_.has_key) {
      std::ofstream(folder_ / "site.key") << std::string(64, 'a') << '\n';
      std::filesystem::permissions(folder_ / "site.key", std::filesystem::perms::owner_read);
    }
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      gateways_.push_back(std::make_unique<SiteGateway>(site_, i, plan_.clocks[i]));
    }
  }
  ~SiteWorld() {
    gateways_.clear();
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }
  SiteWorld(const SiteWorld&) = delete;
  SiteWorld& operator=(const SiteWorld&) = delete;

  SiteWorldResult run() {
    try {
      begin();
      while (now_ < plan_.length && !faults_.any()) {
        step(true);
        look();
      }
      settle();
      check_accounts();
      for (const auto& gateway : gateways_) {
        result_.windows += gateway->windows_begun();
        result_.began_anew += gateway->began_anew();
      }
    } catch (const std::exception& error) {
      faults_.add("{}", error.what());
    }
    result_.fault = faults_.any()
                        ? fmt::format("at {:.6f} s: {}", 1e-9 * static_cast<double>(now_.count()), faults_.first())
                        : std::string();
    return result_;
  }

 private:
  /// What happens to a gateway, and when it is over.
  enum class Trouble : std::uint8_t { kNone, kCut, kKilled, kClock };
  struct Sent {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    WorldTime arrived{};
    bool is_released = false;
    bool is_safe = false;  // nothing may lose it
  };

  void note(std::uint64_t value) {
    result_.digest = (result_.digest ^ value) * 0x9E3779B97F4A7C15;
    result_.digest ^= result_.digest >> 29;
  }
  std::uint32_t some_gateway() { return random_.below(kGateways); }

  void begin() {
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      starts_[i] = Nanoseconds{random_.below(1'500'000'000)};
    }
    if (plan_.is_apart) {
      victim_ = some_gateway();
      cut(victim_, true);
      trouble_ = Trouble::kCut;
      over_ = 3s + Nanoseconds{random_.below(1'000'000'000)};
      is_apart_ = true;
    }
    one_by_ = std::max(kBegun + 1500ms, over_ + kOneAgain);
    next_trouble_ = one_by_ + 500ms;
  }

  void step(bool traffic) {
    now_ += Nanoseconds{50'000 + random_.below(static_cast<std::uint32_t>(plan_.coarse.count()))};
    network_.set_time(now_);
    texts_.carry(now_);
    const std::uint32_t first = some_gateway();
    for (std::uint32_t n = 0; n < kGateways; ++n) {
      const std::uint32_t i = (first + n) % kGateways;
      SiteGateway& gateway = *gateways_[i];
      if (gateway.is_off() && now_ >= starts_[i]) {
        gateway.begin(now_);
      }
      if (gateway.advance(now_)) {
        if (traffic) {
          arrive(i);
        }
        gateway.iterate();
      }
    }
  }

  void arrive(std::uint32_t gateway) {
    for (std::uint32_t n = random_.below(3); n > 0; --n) {
      const std::uint32_t from = gateway + kGateways * random_.below(plan_.robots / kGateways);
      const std::uint32_t to = (from + 1 + random_.below(plan_.robots - 1)) % plan_.robots;
      Bytes data(16 + random_.below(150), 0);
      const std::uint64_t number = sent_.size();
      std::memcpy(data.data(), &kMark, sizeof kMark);
      std::memcpy(&data[sizeof kMark], &number, sizeof number);
      const Bytes frame =
          ip_frame({.destination = mac_of(to + 1), .source = mac_of(from + 1), .tags = {}},
                   {.source = ipv4_of(from + 1).text(), .destination = ipv4_of(to + 1).text()}, 17, udp(data));
      if (gateways_[gateway]->arrive(from, frame, number, to)) {
        sent_.push_back({.from = from, .to = to, .arrived = now_, .is_safe = is_safe(from, to)});
        ++result_.frames;
      }
    }
  }

  // A perfect network and links without loss, between gateways that nothing has happened to.
  [[nodiscard]] bool is_safe(std::uint32_t from, std::uint32_t to) const {
    const bool is_set = from == 0 && to == 1;
    return plan_.is_perfect && plan_.radio.empty() && plan_.loss == 0 && !is_reloaded_ && is_one_ && !is_set &&
           !((trouble_ != Trouble::kNone || now_ < one_by_) && is_victims(from, to));
  }
  [[nodiscard]] bool is_victims(std::uint32_t from, std::uint32_t to) const {
    return from % kGateways == victim_ || to % kGateways == victim_;
  }
  void leave_unsafe(const std::function<bool(const Sent&)>& which) {
    for (Sent& sent : sent_) {
      sent.is_safe &= sent.is_released || !which(sent);
    }
  }

  void note_released(std::uint32_t robot, std::span<const std::byte> frame) {
    ++result_.released;
    std::uint64_t mark = 0;
    std::uint64_t number = 0;
    if (frame.size() < kPayload + sizeof mark + sizeof number) {
      return faults_.add("{} bytes are released to robot {}", frame.size(), robot);
    }
    std::memcpy(&mark, &frame[kPayload], sizeof mark);
    std::memcpy(&number, &frame[kPayload + sizeof mark], sizeof number);
    if (mark != kMark || number >= sent_.size()) {
      return faults_.add("a frame that no robot has sent is released to robot {}", robot);
    }
    Sent& sent = sent_[number];
    faults_.require(sent.to == robot, "frame {} of robot {} to {} is released to {}", number, sent.from, sent.to,
                    robot);
    faults_.require(!sent.is_released, "frame {} of robot {} to {} is released twice", number, sent.from, sent.to);
    faults_.require(!are_clocks_right_ || now_ - sent.arrived >= shortest_delay_ - kClockWithin,
                    "frame {} of robot {} to {} is released after {} us, its link's delay is {} us", number, sent.from,
                    sent.to, (now_ - sent.arrived).count() / 1000, shortest_delay_.count() / 1000);
    sent.is_released = true;
    note(number);
    note(static_cast<std::uint64_t>(now_.count()));
  }

  // ---- troubles ----

  void look() {
    compare_windows();
    if (trouble_ != Trouble::kNone) {
      if (now_ >= noticed_by_) {
        check_noticed();
      }
      if (now_ >= over_) {
        end_trouble();
      }
    } else if (now_ >= one_by_) {
      check_one();
      if (changed_at_) {
        await_change();
      } else if (now_ >= next_trouble_) {
        random_.chance(0.3) ? begin_change() : begin_trouble();
      }
    }
  }

  // All gateways make it or none, and nothing else is the matter: all do, unless the file is none.
  void begin_change() {
    victim_ = some_gateway();
    changed_at_ = now_;
    is_reload_ = random_.chance(0.5);
    is_bad_ = is_reload_ && random_.chance(0.3);
    if (!is_reload_) {
      change_ = fmt::format("links.r0.r1.loss={} %", random_.below(50));
      return gateways_[victim_]->request({{"command", "set"}, {"values", {change_}}});
    }
    is_reloaded_ = true;
    leave_unsafe([](const Sent&) { return true; });
    loss_ = is_bad_ ? loss_ : random_.below(50);
    change_ = is_bad_ ? "reload of a file that is none" : fmt::format("reload with a loss of {} %", loss_);
    std::ofstream(site_.file) << (is_bad_ ? "links: [" : plan_.text(loss_));
    gateways_[victim_]->request({{"command", "reload"}});
  }
  void await_change() {
    const auto line = gateways_[victim_]->take_answer();
    if (!line) {
      return faults_.require(now_ - *changed_at_ < kChanged, "'{}' is not answered by gateway {}", change_,
                             gateways_[victim_]->name());
    }
    faults_.require(line->at("ok").get<bool>() != is_bad_, "'{}' is {} by gateway {}: {}", change_,
                    is_bad_ ? "made" : "refused", gateways_[victim_]->name(), line->dump());
    note(line->dump().size());
    if (is_bad_) {
      std::ofstream(site_.file) << plan_.text(loss_);
    }
    result_.reloads += is_reload_ && !is_bad_ ? 1 : 0;
    result_.refused += is_bad_ ? 1 : 0;
    std::string all;
    for (const auto& gateway : gateways_) {
      const std::string own = values_of(*gateway);
      faults_.require(all.empty() || own == all, "after '{}' gateway {} has {} and another {}", change_,
                      gateway->name(), own, all);
      all = own;
    }
    ++result_.changes;
    changed_at_.reset();
    next_trouble_ = now_ + 200ms + Nanoseconds{random_.below(1'000'000'000)};
  }

  // What a change is about: the site's files, and what was set since they were read.
  std::string values_of(SiteGateway& gateway) {
    const nlohmann::json status = gateway.ask({{"command", "status"}}).at("result");
    for (const nlohmann::json& link : status.at("links")) {  // of its own robots
      const bool is_set = link.at("from") == "r0" && link.at("to") == "r1" && !is_reload_;
      faults_.require(is_set || is_bad_ || std::abs(link.value("configured_loss", 0.0) - 0.01 * loss_) < 1e-9,
                      "after '{}' gateway {} has {}", change_, gateway.name(), link.dump());
    }
    faults_.require(!is_reload_ || is_bad_ || status.at("assignments").empty(), "after '{}' gateway {} has {}", change_,
                    gateway.name(), status.at("assignments").dump());
    return status.at("site").at("digest").dump() + status.at("assignments").dump();
  }

  // What the network and the steps of the world take on top; of beacons of which 1 in 20 is lost, some in a row.
  [[nodiscard]] Nanoseconds network_slack() const {
    return plan_.network.delay + plan_.network.jitter + 2 * plan_.coarse + 2 * kControl +
           (plan_.network.loss > 0 ? 5 * kBeacons : 0ns);
  }

  void cut(std::uint32_t gateway, bool is_cut) {
    network_.cut(gateways_[gateway]->ipv4(), is_cut);
    texts_.cut(gateways_[gateway]->name(), is_cut);
  }

  void begin_trouble() {
    victim_ = some_gateway();
    leave_unsafe([this](const Sent& sent) { return is_victims(sent.from, sent.to); });
    noticed_by_ = now_ + kMissing + network_slack();
    over_ = now_ + 200ms + Nanoseconds{random_.below(2'500'000'000)};
    switch (random_.below(4)) {
      case 0:
      case 1:
        trouble_ = Trouble::kCut;
        cut(victim_, true);
        ++result_.partitions;
        break;
      case 2:
        trouble_ = Trouble::kKilled;
        gateways_[victim_]->kill();
        starts_[victim_] = over_;
        ++result_.kills;
        break;
      default:
        trouble_ = Trouble::kClock;
        are_clocks_right_ = false;
        gateways_[victim_]->set_clock_error((random_.chance(0.5) ? 1 : -1) *
                                            Nanoseconds{2'000'000 + random_.below(1'000'000'000)});
        ++result_.clock_steps;
    }
  }

  // Each gateway that runs reports the victim, and the victim all others; none changes anything.
  void check_noticed() {
    noticed_by_ = WorldTime::max();
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      if (!gateways_[i]->runs()) {
        continue;
      }
      const nlohmann::json set = gateways_[i]->ask({{"command", "set"}, {"values", {"links.r0.r1.loss=50 %"}}});
      faults_.require(!set.at("ok").get<bool>(), "gateway {} makes a change while {} is apart", gateways_[i]->name(),
                      gateways_[victim_]->name());
      const nlohmann::json status = gateways_[i]->ask({{"command", "status"}});
      for (std::uint32_t other = 0; other < kGateways; ++other) {
        if (i == other || (i != victim_ && other != victim_)) {
          continue;
        }
        const auto& conditions = status.at("result").at("conditions");
        faults_.require(std::ranges::any_of(conditions,
                                            [&](const nlohmann::json& condition) {
                                              return condition.at("name") == "gateway_apart" &&
                                                     condition.at("about") == gateways_[other]->name();
                                            }),
                        "gateway {} does not report that {} is apart ({})", gateways_[i]->name(),
                        gateways_[other]->name(), name(gateways_[i]->state_of(other)));
      }
    }
  }

  void end_trouble() {
    switch (trouble_) {
      case Trouble::kCut:
        cut(victim_, false);
        one_by_ = now_ + (is_apart_ ? kOneAgain : kHereAgain) + network_slack();
        is_apart_ = false;
        break;
      case Trouble::kKilled:
        one_by_ = now_ + kBegun + (result_.changes > 0 ? kCatchUp : 0ns) + network_slack();
        break;
      default:
        gateways_[victim_]->set_clock_error(plan_.clocks[victim_].error);
        one_by_ = now_ + kOneAgain + network_slack();
    }
    noticed_by_ = WorldTime::max();
    trouble_ = Trouble::kNone;
    next_trouble_ = one_by_ + Nanoseconds{random_.below(1'000'000'000)};
  }

  // From one_by_ on until the next trouble: all are one air.
  void check_one() {
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      for (std::uint32_t other = 0; other < kGateways; ++other) {
        if (i != other) {
          const PeerState state = gateways_[i]->runs() ? gateways_[i]->state_of(other) : PeerState::kAwaited;
          faults_.require(state == PeerState::kHere, "gateway {} has {} as {}", gateways_[i]->name(),
                          gateways_[other]->name(), name(state));
        }
      }
    }
    are_clocks_right_ = true;
    is_one_ = true;
  }

  // ---- windows ----

  void compare_windows() {
    if (trouble_ != Trouble::kNone || now_ < one_by_) {
      return;
    }
    for (std::uint32_t i = 0; i + 1 < kGateways; ++i) {
      for (std::uint32_t other = i + 1; other < kGateways; ++other) {
        compare(i, other);
      }
    }
  }

  // The newest window that both have.
  void compare(std::uint32_t one, std::uint32_t other) {
    const auto& ours = gateways_[one]->windows();
    const auto& theirs = gateways_[other]->windows();
    if (ours.empty() || theirs.empty()) {
      return;
    }
    const std::uint64_t number = std::min(ours.back().number, theirs.back().number);
    if (number == compared_[one + other]) {
      return;
    }
    compared_[one + other] = number;
    const SiteGateway::Window* a = in_force(ours, number);
    const SiteGateway::Window* b = in_force(theirs, number);
    if (a == nullptr || b == nullptr) {
      return;
    }
    const Nanoseconds apart = zero_of(*a) - zero_of(*b);
    faults_.require(std::abs(apart.count()) <= kClockWithin.count(),
                    "window {} begins at {} {} us after it begins at {}", number, gateways_[one]->name(),
                    apart.count() / 1000, gateways_[other]->name());
    for (std::uint32_t from = 0; from < plan_.robots; ++from) {
      for (std::uint32_t to = 0; to < plan_.robots; ++to) {
        const bool is_between = (from % kGateways == one && to % kGateways == other) ||
                                (from % kGateways == other && to % kGateways == one);
        if (!is_between) {
          continue;
        }
        const std::size_t link = from * plan_.robots + to;
        faults_.require(same(a->links[link], b->links[link]),
                        "in window {} the link from r{} to r{} is {} dB at {} and {} dB at {}", number, from, to,
                        a->links[link].snr_db, gateways_[one]->name(), b->links[link].snr_db, gateways_[other]->name());
        ++result_.compared;
      }
    }
  }

  [[nodiscard]] Nanoseconds zero_of(const SiteGateway::Window& window) const {
    return window.began - static_cast<std::int64_t>(window.number) * plan_.window;
  }
  static const SiteGateway::Window* in_force(const std::deque<SiteGateway::Window>& windows, std::uint64_t number) {
    const auto after = std::ranges::upper_bound(windows, number, {}, &SiteGateway::Window::number);
    return after == windows.begin() ? nullptr : &*std::prev(after);
  }
  static bool same(const LinkState& one, const LinkState& other) {
    return one.reachable == other.reachable && one.snr_db == other.snr_db && one.rssi_dbm == other.rssi_dbm &&
           one.delay == other.delay && one.unicast_mode == other.unicast_mode &&
           one.multicast_mode == other.multicast_mode && one.combined == other.combined;
  }

  // ---- accounts ----

  // All frames end, and the network is empty; then gateways store their last reports.
  void settle() {
    const auto rest = [this] {
      return std::ranges::any_of(gateways_, [](const auto& gateway) { return gateway->waiting() > 0; });
    };
    const WorldTime until = now_ + 20s;
    while (!faults_.any() && now_ < until && (rest() || now_ < until - 19s)) {
      step(false);
    }
    faults_.require(!rest(), "frame buffers are in use when nothing has arrived for long");
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      cut(i, true);
    }
    const WorldTime end = now_ + 500ms;
    while (!faults_.any() && now_ < end) {
      step(false);
    }
    for (const auto& gateway : gateways_) {
      if (gateway->is_off()) {  // killed, and not begun again before the end
        network_.drop_due(gateway->ipv4());
      }
    }
  }

  void check_accounts() {
    if (faults_.any()) {
      return;
    }
    for (const Sent& sent : sent_) {
      result_.safe += sent.is_safe ? 1 : 0;
      faults_.require(!sent.is_safe || sent.is_released, "a frame from r{} to r{} that nothing may lose is lost",
                      sent.from, sent.to);
    }
    SiteAccount all;
    for (const auto& gateway : gateways_) {
      const SiteAccount own = gateway->account();
      const auto refused = std::accumulate(own.refused.begin(), own.refused.end(), std::uint64_t{0});
      // What a gateway that was killed has counted since its last beacon is not known.
      faults_.require(own.received == own.packets + refused || result_.kills > 0,
                      "gateway {} has received {} datagrams, and counts {} as taken and {} as refused", gateway->name(),
                      own.received, own.packets, refused);
      all.totals.add(own.totals);
      all.packets += own.packets;
      all.died += own.died;
    }
    const PathTotals& totals = all.totals;
    const SiteNetworkAccount& frames = network_.account(SitePacket::Kind::kFrame);
    const SiteNetworkAccount& requests = network_.account(SitePacket::Kind::kRequest);
    result_.crossed = frames.sent + requests.sent;
    result_.lost = frames.lost + requests.lost;
    faults_.require(totals.site_out == frames.sent, "gateways have sent {} frames, the network has had {}",
                    totals.site_out, frames.sent);
    faults_.require(totals.requests_out == requests.sent, "gateways have sent {} requests, the network has had {}",
                    totals.requests_out, requests.sent);
    faults_.require(frames.in_flight() + requests.in_flight() == 0, "{} frames and {} requests are in flight",
                    frames.in_flight(), requests.in_flight());
    faults_.require(totals.released == result_.released, "{} frames are counted as released, {} were", totals.released,
                    result_.released);
    // What arrived ended: released, dropped, lost in the network, refused, or with the gateway that was killed.
    const auto ended =
        static_cast<std::int64_t>(totals.released + totals.dropped_total() + (totals.site_out - totals.site_in) +
                                  (totals.requests_out - totals.requests_in));
    const auto open = static_cast<std::int64_t>(result_.frames) - ended;
    faults_.require(open >= 0 && open <= static_cast<std::int64_t>(all.died),
                    "{} frames came and {} ended, {} with killed gateways", result_.frames, ended, all.died);
    note(totals.dropped_total());
    note(totals.site_in);
    note(all.packets);
  }

  SitePlan plan_;
  WorldRandom& random_;
  WorldFaults faults_;
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("hgt-site-{}", ::getpid());
  SiteNetwork network_;
  SiteTexts texts_;
  SiteSurroundings site_;
  WorldTime now_{};
  std::array<WorldTime, kGateways> starts_{};
  std::vector<std::unique_ptr<SiteGateway>> gateways_;
  std::vector<Sent> sent_;
  std::array<std::uint64_t, 2 * kGateways> compared_{};  // windows, by the sum of two gateways

  Trouble trouble_ = Trouble::kNone;
  std::uint32_t victim_ = 0;
  std::string change_;
  bool is_one_ = false;                  // all have been, once
  bool is_reloaded_ = false;             // once, or is about to be
  bool is_reload_ = false;               // and not a `set`
  bool is_bad_ = false;                  // its file
  std::uint32_t loss_ = plan_.loss;      // of all links, by the file
  std::optional<WorldTime> changed_at_;  // a change waits for its answer since then
  bool is_apart_ = false;
  WorldTime over_{};
  WorldTime noticed_by_ = WorldTime::max();
  WorldTime one_by_{};
  WorldTime next_trouble_{};
  bool are_clocks_right_ = true;
  Nanoseconds shortest_delay_ = plan_.delay;
  SiteWorldResult result_;
};

}  // namespace

SiteWorldResult run_site_world(std::uint64_t seed) {
  return SiteWorld(seed).run();
}

SiteWorldResult check_site_world(std::uint64_t seed) {
  SiteWorldResult result = run_site_world(seed);
  if (result.fault.empty()) {
    const SiteWorldResult again = run_site_world(seed);
    if (again.digest != result.digest || again.released != result.released) {
      result.fault = fmt::format("its second run differs: digest {:016x} and {:016x}", result.digest, again.digest);
    }
  }
  return result;
}

std::string site_world_text(std::uint64_t seed) {
  const SitePlan plan(seed);
  return plan.text() + plan.network_text();
}

}  // namespace hilgate::test
