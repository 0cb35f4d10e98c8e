// SPDX-License-Identifier: Apache-2.0
// Several gateways of one site, each in a namespace of its own with robots, and a bridge between them; or the same
// robots at one gateway.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/netns/running_gateway.h"
#include "tests/support/netns.h"
#include "tests/support/packets.h"
#include "tests/support/process.h"

namespace hilgate::test {

/// Further keys of its configuration.
struct SiteLabKeys {
  std::string robot{};  // of each, with a comma before them
  std::string site{};   // lines
  bool ips = false;     // each has the address that send() sends from
};

class SiteLab {
 public:
  static constexpr std::size_t kGateways = 3;
  static constexpr std::size_t kRobots = 2 * kGateways;  // robot n is at gateway n / 2

  /// `yaml`: what is not about ports, robots, clock and site. `together`: all robots at one gateway, without a site.
  explicit SiteLab(const std::string& yaml, bool together = false, SiteLabKeys keys = {});
  /// With the radio of each robot.
  SiteLab(const std::string& yaml, std::vector<std::string> radios, bool together = false);

  void start(std::size_t gateway);
  /// The same with another file, which is made of this.
  void start_with(std::size_t gateway, const std::string& yaml);
  void kill(std::size_t gateway) { processes_[gateway]->stop(SIGKILL); }
  void stop(std::size_t gateway) { processes_[gateway]->stop(SIGTERM); }
  /// Likewise, with another key, or none where it is empty; all others have the same one.
  void start_with_key(std::size_t gateway, const std::string& key);
  /// The network between a gateway and the others fails, or comes back.
  void part(std::size_t gateway) const;
  void join(std::size_t gateway) const;
  /// What the gateways write beside their configuration.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::string run(std::size_t gateway) const;
  /// A command of `hilgate` to a gateway's run, which is added to it.
  [[nodiscard]] Finished command(std::size_t gateway, std::vector<std::string> words) const;

  [[nodiscard]] const NetNs& robot(std::size_t n) const { return *robots_[n]; }
  [[nodiscard]] const NetNs& gateway(std::size_t n) const { return *gateways_[n]; }
  /// Where the gateways' cables meet, at a bridge br0.
  [[nodiscard]] const NetNs& network() const { return switch_; }
  static std::string address(std::size_t gateway);
  [[nodiscard]] std::string output(std::size_t gateway) const { return processes_[gateway]->output(); }
  /// Null as long as the gateway does not answer.
  [[nodiscard]] nlohmann::json status(std::size_t gateway) const;
  /// Waits until a gateway's status is so.
  bool until(std::size_t gateway, const std::function<bool(const nlohmann::json&)>& good,
             std::chrono::milliseconds limit = std::chrono::seconds{30}) const;
  /// Waits until a gateway answers: it has read its file.
  bool until_answers(std::size_t gateway) const;
  /// What `of` says of another gateway, "" as long as it does not answer.
  [[nodiscard]] std::string state(std::size_t of, std::size_t about) const;
  bool until_state(std::size_t of, std::size_t about, const std::string& state, std::chrono::milliseconds limit) const;
  /// Waits until all gateways know all others.
  bool until_all_here() const;
  /// Waits until a gateway hears the others' commands.
  bool until_commands(std::size_t gateway) const;

  /// Of frames, each with its number, from one robot to another, what came, in its order.
  std::vector<Bytes> send(std::size_t from, std::size_t to, std::size_t frames) const;

 private:
  [[nodiscard]] std::string file(const std::string& yaml, const std::string& site_keys = "  key: none\n") const;
  void start_file(std::size_t gateway, const std::string& file);

  bool together_;
  RunFolder folder_;
  std::string yaml_;
  SiteLabKeys keys_;
  std::vector<std::string> radios_;  // by robot; empty: none
  NetNs switch_{"switch"};
  std::vector<std::unique_ptr<NetNs>> gateways_;
  std::vector<std::unique_ptr<NetNs>> robots_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace hilgate::test
