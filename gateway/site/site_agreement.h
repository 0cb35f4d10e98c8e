// SPDX-License-Identifier: Apache-2.0
// How the gateways of a site change together: one of them asks all to prepare a change (two-phase commit), and when all
// have, with the same result, names the window from which it holds. Any gateway may ask; one change is in progress at a
// time.
//
// Requests are repeated until all have answered: DDS loses messages sent before two gateways have found one another in
// both directions, as when the network between them has come back.
//
// A gateway that has prepared a change and receives nothing more about it forgets it. One that missed from which window
// it holds continues as before, is detected by its digest, and catches up (SiteCommands): two airs are never one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clock/time.h"

namespace hilgate {

/// A command that changes the air.
struct SiteChange {
  std::string command;                // "set", "reload"
  std::vector<std::string> values{};  // of `set`
};

/// What a gateway does with a change that all make or none. Control thread.
class SiteMember {
 public:
  virtual ~SiteMember() = default;
  SiteMember() = default;
  SiteMember(const SiteMember&) = delete;
  SiteMember& operator=(const SiteMember&) = delete;

  /// Reads and checks it, and changes nothing; the digest of the configuration as it would be. Throws std::exception
  /// with what is wrong.
  virtual std::uint64_t prepare(const SiteChange& change) = 0;
  /// What was prepared does not come.
  virtual void forget() = 0;
  /// What was prepared comes with the first window that begins at that instant or later; then SiteAgreement::applied().
  virtual void await(SimTime from) = 0;
  /// Where a window begins that the change can reach all others before.
  [[nodiscard]] virtual SimTime soon() const = 0;
};

/// Control thread; time is injected.
class SiteAgreement {
 public:
  static constexpr Nanoseconds kAnswerWithin{3'000'000'000};  // preparing, and after the window: confirming
  static constexpr Nanoseconds kPreparedFor{10'000'000'000};  // without a message, then it is forgotten
  static constexpr Nanoseconds kSayAgain{500'000'000};        // to those that have not answered

  /// Sends a message to all other gateways.
  using Send = std::function<void(const nlohmann::json& word)>;
  struct Outcome {
    std::string error{};                          // empty: all have changed
    std::uint64_t window = 0;                     // with which, at the least
    std::map<std::string, std::uint64_t> late{};  // gateways whose control thread had no time for that window: which
  };
  using Done = std::function<void(const Outcome& outcome)>;

  /// `life` is another one each time that the gateway begins. `member` must outlive this.
  SiteAgreement(std::vector<std::string> gateways, std::string own, std::uint64_t life, SiteMember& member, Send send);

  /// Has all gateways make a change. Throws std::exception where this one cannot; `done` is called later, once.
  void propose(const SiteChange& change, HostTime now, Done done);
  /// A message of another gateway. Foreign messages are ignored.
  void hear(const std::string& from, const nlohmann::json& word, HostTime now);
  /// To be called each 100 ms or so.
  void tick(HostTime now);
  /// What was awaited has been made with this window, or could not be.
  void applied(std::uint64_t window, const std::string& error, HostTime now);

  [[nodiscard]] bool busy() const { return prepared_.has_value() || asked_.has_value(); }

 private:
  struct Prepared {  // here, at another gateway's request
    std::string change;
    std::string by;
    std::uint64_t digest = 0;
    HostTime since{};
    bool committed = false;
  };
  struct Asked {  // by this gateway
    std::string change;
    std::uint64_t digest = 0;
    std::set<std::string> awaited;  // gateways
    HostTime deadline{};
    nlohmann::json word{};  // what they are asked
    HostTime said{};        // when that was the last time
    bool committed = false;
    std::map<std::string, std::uint64_t> windows{};
    std::string faults{};
    Done done;
  };

  void ask(nlohmann::json word, HostTime now);
  void answer_prepare(const std::string& from, const nlohmann::json& word, HostTime now);
  [[nodiscard]] bool has_made(const std::string& change) const;
  void take_answer(const std::string& from, const std::string& is, const nlohmann::json& word, HostTime now);
  void commit(HostTime now);
  void abandon(const std::string& why);
  void finish_when_all_have();
  void end(const Outcome& outcome);
  void forget();

  std::vector<std::string> gateways_;
  std::string own_;
  std::string life_;
  SiteMember& member_;
  Send send_;
  std::uint64_t count_ = 0;
  std::optional<Prepared> prepared_;
  nlohmann::json made_;  // the answer to the last change that another gateway asked for
  std::optional<Asked> asked_;
};

}  // namespace hilgate
