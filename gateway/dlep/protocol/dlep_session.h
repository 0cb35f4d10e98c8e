// SPDX-License-Identifier: Apache-2.0
// A modem's side of one DLEP session with a router (RFC 8175, 7), without the TCP connection under it.
//
// The router initializes the session; then the modem reports destinations: Up when one can be reached, Update when its
// metrics have changed visibly, Down when it cannot be reached any more. Up and Down wait for their responses, and
// nothing else is sent about a destination before. A destination that the router declines is not reported again before
// the router announces it. Without a message for two of the router's heartbeat intervals the session ends with Timed
// Out, and likewise without a response for four.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"
#include "gateway/dlep/protocol/dlep_message.h"

namespace hilgate {

/// Another robot, as a destination.
struct DlepDestination {
  bool up = false;  // frames get through, both ways
  DlepMetrics metrics{};
  std::vector<IpAddress> addresses{};  // of its own
};
using DlepDestinations = std::map<MacAddress, DlepDestination>;

/// Whether a router is to know of the change: a rate, quality or MTU differs, or the latency by more than 5 % and 50
/// us.
bool differs_visibly(const DlepMetrics& one, const DlepMetrics& other);

/// Messages are counted; `malformed` are those that the session ended for.
struct DlepCounts {
  std::uint64_t sent = 0, received = 0, malformed = 0;
};

class DlepSession {
 public:
  static constexpr Nanoseconds kLeastUpdateInterval{200'000'000};  // of one destination
  static constexpr Nanoseconds kInitializationPatience{10'000'000'000};

  enum class State : std::uint8_t {
    kInitializing,  // the router has not sent Session Initialization
    kInSession,
    kTerminating,  // Session Termination is sent, its response is awaited
    kOver,         // the connection is to be closed once output has been sent
  };

  /// `heartbeat`: the modem's interval, at least 1 ms. The connection exists since `now`.
  DlepSession(std::string peer_type, Nanoseconds heartbeat, HostTime now);

  /// Bytes from the router.
  void receive(std::span<const std::byte> bytes, HostTime now);
  /// The destinations as they are now, and what holds for the modem as a whole. Reports what has changed.
  void update(DlepDestinations destinations, const DlepMetrics& session, HostTime now);
  /// Heartbeats and deadlines. Call often: both are as late as the calls are apart.
  void tick(HostTime now);
  /// Sends Session Termination, in a session; otherwise the session is over at once.
  void terminate(DlepStatusCode code, std::string_view why, HostTime now);
  /// The connection has failed.
  void lost(std::string_view why);

  /// What is to be sent, each byte once.
  [[nodiscard]] std::string take_output();
  [[nodiscard]] State state() const { return state_; }
  /// The router has initialized the session, which may be over since.
  [[nodiscard]] bool has_begun() const { return router_heartbeat_.count() > 0; }
  /// Its peer type; may be empty.
  [[nodiscard]] const std::string& router() const { return router_; }
  [[nodiscard]] Nanoseconds router_heartbeat() const { return router_heartbeat_; }
  /// Destinations that the router has accepted.
  [[nodiscard]] std::size_t up() const;
  [[nodiscard]] const DlepCounts& counts() const { return counts_; }
  /// Why the session ends, or what the router objects to; empty: nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  enum class Report : std::uint8_t { kUpSent, kUp, kDeclined, kDownSent };
  struct Reported {
    Report report = Report::kUpSent;
    DlepMetrics metrics{};  // as sent last
    HostTime sent{};
  };
  using ReportedMap = std::map<MacAddress, Reported>;

  void take(std::span<const std::byte> message, HostTime now);
  void take_in_session(const DlepRouterMessage& message, HostTime now);
  void begin(const DlepRouterMessage& message, HostTime now);
  void take_up_response(const DlepRouterMessage& message, HostTime now);
  void take_down_response(const DlepRouterMessage& message, HostTime now);
  void take_down(const DlepRouterMessage& message, HostTime now);
  void take_announce(const DlepRouterMessage& message, HostTime now);
  void take_request(const DlepRouterMessage& message, HostTime now);
  void report(HostTime now);
  void report_known(ReportedMap::iterator reported, HostTime now);
  [[nodiscard]] ReportedMap::iterator reported(const DlepMac& mac);
  [[nodiscard]] const DlepDestination* destination(const DlepMac& mac) const;
  void send_up(MacAddress mac, const DlepDestination& destination, HostTime now);
  void send(DlepWriter&& message, HostTime now);
  void end(std::string why);

  const std::string peer_type_;
  const Nanoseconds heartbeat_;
  State state_ = State::kInitializing;
  std::vector<std::byte> input_;
  std::string output_;
  std::string router_;
  Nanoseconds router_heartbeat_{0};
  HostTime received_;
  HostTime sent_;
  HostTime terminated_{};
  DlepDestinations destinations_;
  DlepMetrics metrics_;
  ReportedMap reported_;
  DlepCounts counts_;
  std::string problem_;
};

}  // namespace hilgate
