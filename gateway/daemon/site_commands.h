// SPDX-License-Identifier: Apache-2.0
// The site at one of its gateways, for operators: the state of all gateways, and changes that all make or none.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "gateway/site/bus_settings.h"
#include "gateway/site/site_agreement.h"
#include "gateway/site/site_key.h"
#include "gateway/site/site_meeting.h"
#include "gateway/status/model/site_status.h"
#include "host/control_clock.h"
#include "host/file_descriptor.h"
#include "path/site_report.h"

namespace hilgate {

/// A socket to hilgate-site, and its other end, which that program has. Both outlive restarts of it.
struct BusEnds {
  FileDescriptor own;
  FileDescriptor program;
};
/// Throws std::system_error.
BusEnds make_bus_ends();

/// Messages between a gateway and the others of its site, through hilgate-site. Control thread.
class SiteBus {
 public:
  /// kind, gateway, text. Texts are as others wrote them.
  using Take = std::function<void(BusKind, std::string_view, std::string_view)>;

  SiteBus(asio::io_context& context, FileDescriptor own, Take take);
  ~SiteBus() { *alive_ = false; }
  SiteBus(const SiteBus&) = delete;
  SiteBus& operator=(const SiteBus&) = delete;

  /// To all others. False: it does not go, because it is too long or hilgate-site takes nothing.
  bool send(BusKind kind, std::string_view text);

 private:
  void wait();
  void read();

  asio::posix::stream_descriptor socket_;
  Take take_;
  std::vector<char> room_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// Control thread.
class SiteCommands {
 public:
  /// Values that others have set before this gateway came, or that it has missed.
  struct Standing {
    std::uint64_t digest = 0;
    std::vector<std::string> values;
  };
  /// What it needs of the run.
  struct Run {
    SiteMember& member;
    std::function<WallTime()> wall;
    std::function<SiteReport()> report;
    std::function<nlohmann::json()> state;  // for the others, small
    /// kAir and kPlaces.
    std::function<void(BusKind kind, std::uint32_t gateway, std::string_view text)> hear;
    std::function<bool(const Standing&)> catch_up;  // applies it at once, where the own files allow it
  };

  /// `bus` as of make_bus_ends().
  SiteCommands(asio::io_context& context, const SiteTerms& terms, FileDescriptor bus, Run run);

  /// Sends this gateway's state to the others, from now on each second.
  void start();
  /// Throws std::exception where this gateway cannot, or where not all gateways are there; else `done` is called later.
  void propose(const SiteChange& change, SiteAgreement::Done done);
  /// What SiteMember::await() asked for has been made, or could not be.
  void applied(std::uint64_t window, const std::string& error);
  /// kAir or kPlaces, to the others. False: it does not go.
  bool pass_on(BusKind kind, const std::string& text);
  /// Changes that the site has made and this gateway knows.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// The last state of each other gateway, and how many changes they have made.
  void add_to(SiteStatus& site) const;

 private:
  struct Heard {
    nlohmann::json state;
    HostTime at{};
  };

  void tell();
  void tick();
  bool say(BusKind kind, const nlohmann::json& text);
  void take(BusKind kind, std::string_view gateway, std::string_view text);
  void take_state(const std::string& gateway, nlohmann::json state);
  void catch_up(const std::string& gateway, const nlohmann::json& state);
  void require_all() const;

  std::uint32_t place_;  // own
  std::vector<std::string> names_;
  std::string own_;
  Run run_;
  SiteSeal seal_;
  SiteBus bus_;
  SiteAgreement agreement_;
  ControlTimer timer_;
  std::uint64_t ticks_ = 0;
  std::uint64_t changes_ = 0;
  std::map<std::string, Heard> heard_;  // by gateway
  std::optional<HostTime> tried_;       // to catch up, when that was the last time
};

}  // namespace hilgate
