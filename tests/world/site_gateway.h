// SPDX-License-Identifier: Apache-2.0
// One gateway of a world's site: a whole daemon on a machine with clocks of its own.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/daemon/daemon.h"
#include "gateway/site/site_arrival.h"
#include "tests/world/control_clients.h"
#include "tests/world/site_network.h"
#include "tests/world/world_machine.h"

namespace hilgate::test {

/// What is the same for all gateways of a site.
struct SiteSurroundings {
  std::filesystem::path folder;
  std::filesystem::path file;  // the configuration
  std::vector<std::string> names;
  std::uint32_t robots = 0;  // robot r is at gateway r % names.size(), alone on port r
  Nanoseconds window{0};
  SiteNetwork& network;
  SiteTexts& texts;
  WorldFaults& faults;
  WorldRandom& random;
  std::function<void(std::uint32_t robot, std::span<const std::byte> frame)> released;
};

/// A machine's clocks against the world's time.
struct SiteClocks {
  Nanoseconds base{0};   // of host time, which every start of a machine has another of
  double rate_ppm = 0;   // of host time
  Nanoseconds error{0};  // of CLOCK_TAI
};

/// What a gateway has counted over all its lives.
struct SiteAccount {
  PathTotals totals{};
  std::array<std::uint64_t, static_cast<std::size_t>(SiteRefusal::kCount)> refused{};
  std::uint64_t received = 0;  // datagrams
  std::uint64_t packets = 0;   // of these, beacons and frames that were taken
  std::uint64_t died = 0;      // frames that a gateway had when it was killed

  void add(const PathTotals& life, const SiteReport& site);
};

class SiteGateway {
 public:
  /// A window's links, as the packet path has them.
  struct Window {
    std::uint64_t number = 0;
    WorldTime began{};
    std::vector<LinkState> links;
  };

  SiteGateway(const SiteSurroundings& site, std::uint32_t own, const SiteClocks& clocks);
  ~SiteGateway();
  SiteGateway(const SiteGateway&) = delete;
  SiteGateway& operator=(const SiteGateway&) = delete;

  /// Begins a life: meets the site, then runs.
  void begin(WorldTime now);
  /// As SIGKILL does.
  void kill();
  /// Its clock is off by so much from now on.
  void set_clock_error(Nanoseconds error) { clocks_.error = error; }

  /// Time goes on; false while no daemon runs.
  bool advance(WorldTime now);
  /// Packet loops and tunnel, once frames have arrived.
  void iterate();
  /// From a robot that is here. False: there is no memory for it.
  bool arrive(std::uint32_t robot, std::span<const std::byte> frame, std::uint64_t number, std::uint32_t to);
  /// The answer to a request that is answered at once, between two steps of the world.
  nlohmann::json ask(const nlohmann::json& request);
  /// A change, whose answer comes later: as of take_answer().
  void request(const nlohmann::json& change);
  std::optional<nlohmann::json> take_answer();

  [[nodiscard]] bool is_off() const { return daemon_ == nullptr && !arrival_; }
  [[nodiscard]] bool runs() const { return daemon_ != nullptr; }
  [[nodiscard]] std::uint32_t ipv4() const { return terms_.gateways[own_].ipv4; }
  [[nodiscard]] const std::string& name() const { return site_.names[own_]; }
  [[nodiscard]] std::size_t waiting() { return runs() ? machine_->memory().used() : 0; }
  [[nodiscard]] SiteReport report() { return machine_->plane().site().value(); }
  /// What this one takes another for.
  [[nodiscard]] PeerState state_of(std::uint32_t other);
  [[nodiscard]] const std::deque<Window>& windows() const { return windows_; }
  [[nodiscard]] std::uint64_t windows_begun() const { return windows_begun_; }
  /// How often it has begun anew as the others, by its status.
  [[nodiscard]] std::uint64_t began_anew();
  /// With the life at hand.
  [[nodiscard]] SiteAccount account();

 private:
  static constexpr std::size_t kBuffers = 6000;
  static constexpr std::size_t kWindowsKept = 64;

  [[nodiscard]] std::uint32_t gateways() const { return static_cast<std::uint32_t>(site_.names.size()); }
  [[nodiscard]] HostTime host_at(WorldTime now) const;
  [[nodiscard]] WorldTime world_at(HostTime host) const;
  void set_time(WorldTime now);
  void start();
  void note_window(const LinkTable& table);

  const SiteSurroundings& site_;
  std::uint32_t own_;
  SiteClocks clocks_;
  SiteTerms terms_;
  WorldTime now_{};
  std::optional<Configuration> configuration_;
  std::optional<WorldMachine> machine_;
  std::optional<SiteArrival> arrival_;
  FileDescriptor bus_;
  std::unique_ptr<Daemon> daemon_;
  bool is_started_ = false;
  std::uint64_t received_before_ = 0;        // by its address, before this life
  std::optional<ControlOperator> operator_;  // waits for no answer between two steps
  std::optional<ControlOperator> changer_;   // may wait
  WorldTime control_at_{};
  std::deque<Window> windows_;
  std::uint64_t windows_begun_ = 0;
  std::uint64_t began_anew_ = 0;  // in earlier lives
  SiteAccount past_;              // of earlier lives
};

}  // namespace hilgate::test
