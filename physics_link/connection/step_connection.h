// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/control_clock.h"
#include "physics_link/connection/frame_connection.h"

namespace hilgate {

/// What to do about a peer that breaks the conversation.
enum class TroublePolicy : std::uint8_t {
  kResynchronise,  // continue without that answer; reconnect and repeat the question when the peer is gone
  kFail,           // stop the run
};

struct StepLinkOptions {
  LinkOptions link{};
  TroublePolicy policy = TroublePolicy::kFail;
  Nanoseconds answer_timeout = std::chrono::seconds(10);  // then the peer hangs; 0: never
  /// For a peer to be ready() once it is connected: a silent one must not keep another out.
  Nanoseconds greeting_timeout = std::chrono::seconds(5);
};

/// Strict question and answer over a FrameConnection: at most one question is under way. Reports every trouble once,
/// counts it, and resynchronises or fails.
class StepConnection {
 public:
  struct Handlers {
    /// A connection is there. Say hello, or nothing; then call ready(), now or when the peer has answered.
    std::function<void()> opened;
    /// True when the frame was no answer but part of the protocol (hello, close) and has been dealt with.
    std::function<bool(std::string_view body)> control;
    /// Takes an answer. kUnequalArrays and kBadValue are soft: the answer counts. kUnexpected: it does not answer this
    /// question, which stays open. Any other fault spoils the answer.
    std::function<MaybeFault(std::string_view body)> answer;
    /// The question is over: with what answer() took (true), or without an answer (false).
    std::function<void(bool answered)> ended;
    std::function<void(const std::string& why)> failed;
  };

  StepConnection(asio::io_context& io, StepLinkOptions options, ConnectionReporter reporter, Handlers handlers);
  ~StepConnection();
  StepConnection(const StepConnection&) = delete;
  StepConnection& operator=(const StepConnection&) = delete;

  /// See FrameConnection::open(), which may throw.
  void open() { link_.open(); }
  /// Asks, at once or as soon as the peer is ready. Requires that no question is under way.
  void ask(std::string_view body);
  [[nodiscard]] bool asking() const { return asking_; }
  void ready();
  [[nodiscard]] bool is_ready() const { return ready_; }
  /// A message other than question and answer.
  void send(std::string_view body) { link_.send(body); }
  /// Ends the run of this link: nothing is reported any more.
  void close();
  /// Drops this peer because it is the wrong one or has asked to end: the run ends, or continues with the next peer, by
  /// the policy.
  void dismiss(const std::string& why);
  /// The run cannot continue, whatever the policy.
  void fail(const std::string& why);

  [[nodiscard]] ConnectionReport& report() { return report_; }
  [[nodiscard]] const ConnectionCounters& counters() const { return report_.counters(); }
  [[nodiscard]] FrameConnection& link() { return link_; }
  [[nodiscard]] const std::string& name() const { return options_.link.name; }

 private:
  void put();
  void take(std::string_view body);
  void spoiled(const ProtocolFault& fault);
  void lost(bool patience_spent, const std::string& why);
  void reopen();
  void start_afresh(Nanoseconds wait);
  void end(bool answered);
  void watch();
  [[nodiscard]] bool watch_answer();
  void watch_greeting();

  StepLinkOptions options_;
  ConnectionReport report_;
  Handlers handlers_;
  FrameConnection link_;
  ControlTimer watchdog_;
  ControlTimer reopening_;
  std::optional<ControlClock::time_point> greeted_{};  // when it connected; absent: not, or it is ready
  std::string question_;
  ControlClock::time_point asked_{};
  std::uint64_t asked_turn_ = 0;  // of the link; what arrived in it is no answer
  bool asking_ = false;
  bool ready_ = false;
  bool closed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate
