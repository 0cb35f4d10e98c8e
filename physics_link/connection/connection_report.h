// SPDX-License-Identifier: Apache-2.0
// What a link to a simulator went through: counters for metrics, events for people.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "physics_link/connection/protocol_fault.h"

namespace hilgate {

enum class LinkEventKind : std::uint8_t {
  kWaiting,  // for the other side to appear; repeated now and then with the time waited
  kConnected,
  kGone,       // the peer closed, or the connection broke
  kFault,      // bytes that make no sense
  kUnasked,    // an answer without a question: a second one, or a stale one
  kSilent,     // no answer in time
  kExtraPeer,  // one more peer tried to connect and was refused
  kStranger,   // a local user who may not be our peer was refused
  kGaveUp,     // waited long enough
  kClosed,     // the peer announced its end
};
inline constexpr std::size_t kLinkEventKinds = 10;

struct ConnectionEvent {
  LinkEventKind kind = LinkEventKind::kWaiting;
  std::string text{};
};

/// Written on the control thread, which is also where it may be read.
struct ConnectionCounters {
  std::uint64_t frames_in = 0, frames_out = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;  // headers included
  std::array<std::uint64_t, kLinkEventKinds> events{};
  std::array<std::uint64_t, 7> faults{};  // by ProtocolError

  [[nodiscard]] std::uint64_t count(LinkEventKind kind) const { return events[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t count(ProtocolError error) const { return faults[static_cast<std::size_t>(error)]; }
};

using ConnectionReporter = std::function<void(const ConnectionEvent&)>;

/// Counts everything and reports each kind once, until rearm() signals that the connection works again.
class ConnectionReport {
 public:
  /// `name` is for people, as the link's.
  explicit ConnectionReport(ConnectionReporter reporter, std::string name = "link")
      : reporter_(std::move(reporter)), name_(std::move(name)) {}

  void tell(LinkEventKind kind, const std::string& text) {
    const auto k = static_cast<std::size_t>(kind);
    ++counters_.events[k];
    const bool always = kind == LinkEventKind::kWaiting || kind == LinkEventKind::kConnected;
    if (reporter_ && (always || !told_[k])) {
      told_[k] = true;
      reporter_({.kind = kind, .text = text});
    }
  }
  void fault(const ProtocolFault& fault) {
    ++counters_.faults[static_cast<std::size_t>(fault.error)];
    tell(LinkEventKind::kFault, name_ + ": " + std::string(name(fault.error)) + ": " + fault.detail);
  }
  void rearm() { told_ = {}; }
  [[nodiscard]] ConnectionCounters& counters() { return counters_; }
  [[nodiscard]] const ConnectionCounters& counters() const { return counters_; }

 private:
  ConnectionReporter reporter_;
  std::string name_;
  ConnectionCounters counters_;
  std::array<bool, kLinkEventKinds> told_{};
};

/// A ConnectionReporter: writes what happens to a connection to the log, a line each, as a warning unless the
/// connection is waited for or made.
void log_connection(const ConnectionEvent& event);

}  // namespace hilgate
