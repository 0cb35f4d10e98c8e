// SPDX-License-Identifier: GPL-2.0-only
// What hilgate-ns3 is asked to simulate: a YAML file. ns-3 itself checks its classes and attributes when the scenario
// is built; this reader checks only what can be known without it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate::ns3net {

/// One of ns-3's classes with values for its attributes, as text.
struct Part {
  std::string key;     // in the file, for messages
  std::string type{};  // "ns3::LogDistancePropagationLossModel", or a short name; empty: the network's default
  std::vector<std::pair<std::string, std::string>> settings{};
};

/// A robot, by its index in the gateway's list, which is its index in the file.
struct RobotNode {
  std::string name;
  std::uint32_t ip = 0;      // host byte order: the gateway's
  std::optional<Vec3> at{};  // its position until physics sends one
};

/// An access point or base station, which does not move.
struct StationNode {
  std::string name;
  Vec3 at;
};

enum class NetworkType : std::uint8_t { kWifi, kCsma, kLrWpan, kLte };
enum class Routing : std::uint8_t { kNone, kOlsr, kAodv };

struct WifiScenario {
  std::string standard = "802.11n";
  std::string band = "2.4GHz";
  std::uint32_t channel = 0;  // 0: ns-3's first of that band and width
  std::uint32_t width_mhz = 20;
  bool infrastructure = false;
  std::string ssid = "hilgate";
  Part rate_control{};
  Part error_model{};
  double tx_power_dbm = 16.02;
  double noise_figure_db = 7;
  std::uint32_t tries = 7;           // of a unicast frame, the first included
  std::uint32_t queue_frames = 500;  // of an access category
  Nanoseconds queue_delay = std::chrono::milliseconds(500);
  std::uint32_t ampdu_bytes = 65535;  // the most that are sent as one; 0: frames go alone
  std::optional<Nanoseconds> slot{};
};

struct CsmaScenario {
  std::string rate = "100Mbps";
  Nanoseconds delay = std::chrono::microseconds(1);
};

struct LteScenario {
  std::uint32_t resource_blocks = 25;
  Part scheduler{};
  Part handover{};
};

struct Scenario {
  std::string file;
  std::vector<RobotNode> robots{};
  std::uint32_t seed = 1;
  NetworkType type = NetworkType::kWifi;
  WifiScenario wifi{};
  CsmaScenario csma{};
  LteScenario lte{};
  std::vector<StationNode> stations{};  // of infrastructure and LTE
  Routing routing = Routing::kNone;
  Part propagation{};
  double blocked_loss_db = 0;                            // without line of sight, where physics names no walls
  std::vector<double> wall_losses_db{};                  // by the number of the material in the gateway's configuration
  Nanoseconds give_up = std::chrono::milliseconds(900);  // a frame nothing is known of by then is lost
  std::vector<std::pair<std::string, std::string>> attributes{};  // defaults of ns-3's, "ns3::Class::Attribute"
};

/// The scenario asks for what there is not; the text has file, key, value and what there is.
struct ScenarioError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The key that the world is being built from just now, for messages of ns-3's, which knows nothing of scenarios; empty
/// when it is built.
inline std::string& key_being_built() {
  static std::string key;
  return key;
}

/// Throws ConfigError with all faults of the file.
Scenario load_scenario(const std::string& file);

}  // namespace hilgate::ns3net
