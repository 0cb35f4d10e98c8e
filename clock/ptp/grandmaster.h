// SPDX-License-Identifier: Apache-2.0
// A PTP grandmaster on one port (IEEE 1588-2008, default profile, two-step), as a machine without clock or sockets.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/clock_events.h"
#include "clock/ptp/ptp_identity.h"
#include "clock/ptp/ptp_message.h"

namespace hilgate {

// Which clock should be master: the data set comparison and the record of foreign masters.

/// IEEE 1588-2008, figure 27, for two different grandmasters: is `a` the better one?
bool is_better_master(const PtpAnnounce& a, const PtpAnnounce& b);

/// Other clocks received on a port. A clock qualifies with its second Announce within four intervals and is forgotten
/// four intervals after its last (IEEE 1588-2008, 9.3.2.4).
class ForeignMasters {
 public:
  explicit ForeignMasters(Nanoseconds announce_interval) : window_(4 * announce_interval) {}

  void heard(HostTime now, const PortIdentity& source, const PtpAnnounce& announce);
  /// The best clock that qualifies now.
  [[nodiscard]] std::optional<PtpAnnounce> best(HostTime now) const;
  [[nodiscard]] std::size_t qualified(HostTime now) const;

 private:
  struct Foreign {
    PortIdentity source;
    PtpAnnounce announce;
    HostTime last;
    std::optional<HostTime> before;
  };
  [[nodiscard]] bool qualifies(const Foreign& foreign, HostTime now) const;

  // More than this cannot be distinguished from an attack; the oldest entry is replaced.
  static constexpr std::size_t kMost = 8;
  Nanoseconds window_;
  std::vector<Foreign> known_;
};

enum class DelayMechanism : std::uint8_t { kEndToEnd, kPeerToPeer };

/// How requests for the path delay are answered. A slave computes ((t2 - t3) + (t4 - t1)) / 2 and takes its own clock
/// and the master's to run alike. They do when it is steered (kServed: t4 in served time). When it only measures
/// (free_running, ntpshm) and served time runs at factor f, that gives an error of (f - 1) (t3 - t2) / 2, milliseconds
/// at once; kUnit answers with t4 = t1 + real time since the last Sync, which undoes it.
enum class DelayAnswer : std::uint8_t { kServed, kUnit };

/// Reaction to a better master on the port: kYield falls silent, as the best-master rules have it; kInsist continues
/// and counts, for robots' ports, on which no other clock should be master.
enum class MasterRule : std::uint8_t { kYield, kInsist };

struct GrandmasterOptions {
  std::uint8_t domain = 0;
  std::uint8_t transport_specific = 0;
  // What is announced. Class 13 is an application's own time scale; flags stay 0 for it, because a slave adds its UTC
  // offset to a time that claims kPtpTimescale. The grandmaster's identity is filled in.
  PtpAnnounce announce = {.clock_class = 13, .time_source = 0x90};
  std::uint16_t flags = 0;
  std::int8_t log_announce_interval = 0;  // log2 of seconds, -4 to 4
  std::int8_t log_sync_interval = -3;     // -7 to 4
  std::int8_t log_delay_interval = -3;    // announced to slaves, -7 to 4
  std::uint8_t announce_timeout = 3;      // intervals of silence before it takes the port, 2 to 10
  DelayMechanism mechanism = DelayMechanism::kEndToEnd;
  DelayAnswer answer = DelayAnswer::kServed;
  MasterRule rule = MasterRule::kInsist;
};

struct GrandmasterCounters {
  std::uint64_t announces = 0;
  std::uint64_t syncs = 0;
  std::uint64_t follow_ups = 0;
  std::uint64_t delay_answers = 0;
  std::uint64_t unsent = 0;          // the interface took nothing
  std::uint64_t missing_stamps = 0;  // Syncs without Follow_Up, because the transmit timestamp was missing
  std::uint64_t malformed = 0;
  std::uint64_t ignored = 0;  // of no concern: other domains, other mechanisms, Syncs of others
  std::uint64_t limited = 0;  // requests beyond what one port is answered per second
  std::uint64_t foreign_announces = 0;
};

/// Throws std::runtime_error when an option is out of range, naming it.
void check(const GrandmasterOptions& options);
/// What is allowed but will disappoint: a steered clock that cannot follow the factor.
std::vector<std::string> warnings(const GrandmasterOptions& options, double factor);

class Grandmaster {
 public:
  using Send = std::function<bool(const PtpMessage&)>;
  using ServedTime = std::function<PtpTime(HostTime)>;  // continuous; asked for instants just past

  /// Begins by listening. `events` outlives it.
  Grandmaster(const GrandmasterOptions& options, const ClockIdentity& identity, HostTime now, Send send,
              ServedTime served, ClockEvents& events);

  /// Does what is due. Call at next(), and whenever else.
  void tick(HostTime now);
  [[nodiscard]] HostTime next() const;
  /// A message came in. `stamp` matters for event messages only.
  void received(std::span<const std::byte> message, HostTime stamp, HostTime now);
  /// One of our event messages left.
  void sent(std::span<const std::byte> message, HostTime stamp);

  /// What Announces say about the time scale from now on.
  void use_time_scale(std::uint16_t flags, std::int16_t utc_offset_s) {
    options_.flags = flags;
    options_.announce.utc_offset_s = utc_offset_s;
  }

  [[nodiscard]] PtpPortState state() const { return state_; }
  [[nodiscard]] const GrandmasterCounters& counters() const { return counters_; }
  /// Slaves that have asked for their delay within the last ten seconds.
  [[nodiscard]] std::size_t slaves(HostTime now) const;
  /// Other clocks that announce themselves on this port.
  [[nodiscard]] std::size_t other_masters(HostTime now) const { return foreign_.qualified(now); }

 private:
  struct Request {  // a Pdelay_Resp on its way out
    PortIdentity requester;
    std::uint16_t sequence;
    HostTime received;
  };
  struct Slave {
    PortIdentity identity;
    HostTime last;
  };

  void elect(HostTime now);
  void become(PtpPortState state, HostTime now, const std::string& why);
  void announce();
  void sync();
  void take_announce(std::span<const std::byte> message, const PtpHeader& header, HostTime now);
  void answer_delay(const PtpHeader& request, HostTime stamp, HostTime now);
  void answer_peer_delay(const PtpHeader& request, HostTime stamp, HostTime now);
  [[nodiscard]] bool may_answer(HostTime now);
  void note_slave(const PortIdentity& slave, HostTime now);
  void follow_up(const PtpHeader& sync, HostTime stamp);
  void follow_up_peer_delay(std::span<const std::byte> response, const PtpHeader& header, HostTime stamp);
  [[nodiscard]] PtpHeader header(std::uint16_t sequence, std::int8_t log_interval) const;
  [[nodiscard]] PtpTime unit_time(HostTime host) const;
  void put(const PtpMessage& message, std::uint64_t& counter);

  GrandmasterOptions options_;
  PortIdentity identity_;
  Send send_;
  ServedTime served_;
  ClockEvents& events_;
  ForeignMasters foreign_;
  PtpPortState state_ = PtpPortState::kListening;
  HostTime listen_until_;
  HostTime next_announce_;
  HostTime next_sync_;
  std::uint16_t announce_sequence_ = 0;
  std::uint16_t sync_sequence_ = 0;
  bool sync_pending_ = false;
  std::optional<HostTime> last_sync_;  // when the last Sync left
  std::optional<ClockIdentity> rogue_;
  std::optional<HostTime> rogue_told_;
  std::array<std::optional<Request>, 16> requests_{};
  std::size_t next_request_ = 0;
  std::vector<Slave> slaves_;
  HostTime second_{};          // the one in which answers are being counted
  std::uint32_t answers_ = 0;  // in it
  GrandmasterCounters counters_;
};

}  // namespace hilgate
