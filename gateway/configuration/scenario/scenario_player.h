// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/scenario/observation.h"
#include "gateway/configuration/scenario/scenario.h"

namespace hilgate {

/// The run that a scenario is played on. Calls may throw std::exception, which fails the scenario at its line.
class ScenarioRun {
 public:
  virtual ~ScenarioRun() = default;
  ScenarioRun() = default;
  ScenarioRun(const ScenarioRun&) = delete;
  ScenarioRun& operator=(const ScenarioRun&) = delete;

  /// KEY=VALUE each, all or none, as `hilgate set`.
  virtual void set_values(const std::vector<std::string>& values) = 0;
  /// The assignments in force for these keys: KEY=VALUE, or the KEY alone where the configuration's own value holds.
  virtual std::vector<std::string> standing(const std::vector<std::string>& values) = 0;
  /// Restores what standing() returned.
  virtual void take_back(const std::vector<std::string>& before) = 0;
  /// Simulation time is held for so long of host time.
  virtual void pause_for(Nanoseconds length) = 0;
  virtual void marked(const std::string& mark, SimTime at) = 0;
  /// Has the counters of links take in all that was decided until now.
  virtual void settle() = 0;
  /// The links that are there now.
  virtual std::vector<LinkSample> links(const LinkChoice& choice) = 0;
  /// Has the delays of these links measured from now on, for expectation `item`.
  virtual void measure_delay(std::size_t item, const LinkChoice& links) = 0;
  /// Until now, at the first call, and the given percentile of them; nothing while it is not known yet: it will be
  /// soon.
  virtual std::optional<DelaySample> measured_delay(std::size_t item, double share) = 0;
  /// An expectation was judged: `failure` is "FILE:LINE: what", or empty when it is met.
  virtual void judged(const Expectation& expectation, const std::string& failure) = 0;
};

/// Plays a scenario, window by window: what is due happens where a window begins, in the order of time. Control thread.
class ScenarioPlayer {
 public:
  /// `run` must outlive it, or its last use before play_on().
  ScenarioPlayer(Scenario scenario, ScenarioRun& run);

  /// The run begins there, in the middle of the scenario: expectations about times that begin before are left out. They
  /// are returned. To be called before the first window.
  std::vector<Expectation> leave_out_before(SimTime begin);
  /// Continues with another run, which is at the state of the one before.
  void play_on(ScenarioRun& run) { run_ = &run; }

  /// A window has begun. False: the scenario is over, or a step could not be carried out.
  bool window_began(SimTime now);
  /// A new link table, of `at`.
  void table_came(SimTime at);
  void handed_over(const HandoverSample& handover);
  /// When something is due next; the end of time when nothing is.
  [[nodiscard]] SimTime next() const;
  /// The run is over: what has not been judged has failed.
  void finish(SimTime now);

  /// Its end has come, or a step could not be carried out.
  [[nodiscard]] bool over() const { return over_; }
  /// The state of an expectation.
  enum class Verdict : std::uint8_t { kAhead, kWatched, kMet, kFailed, kLeftOut };
  struct Judgement {
    Verdict verdict = Verdict::kAhead;
    std::string failure{};  // "FILE:LINE: what"
  };
  /// By expectation.
  [[nodiscard]] const std::vector<Judgement>& judgements() const { return judgements_; }
  /// How often each step has happened.
  [[nodiscard]] const std::vector<std::uint64_t>& times_done() const { return times_done_; }
  /// "FILE:LINE: what" each; empty when all went as expected.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }

 private:
  // In the order in which actions due at one instant are carried out.
  enum class What : std::uint8_t { kJudge, kTakeBack, kStep, kObserve, kEnd };
  struct Due {
    Nanoseconds at{0};
    What what = What::kStep;
    std::size_t item = 0;
    std::uint64_t time = 0;  // of a step
    auto operator<=>(const Due&) const = default;
  };

  bool act(const Due& due, SimTime now);
  void step(const Due& due, SimTime now);
  void change(const std::vector<std::string>& values, bool back);
  void put_off(Due due, SimTime now);
  void observe(std::size_t item);
  void judge(const Due& due, SimTime now);
  [[nodiscard]] bool awaits_judgement() const;
  void fail(int line, const std::string& what);

  Scenario scenario_;
  ScenarioRun* run_;
  std::set<Due> due_;
  std::set<std::size_t> observed_;  // expectations whose time it is
  std::vector<Observation> observations_;
  std::vector<std::vector<std::string>> before_;  // by step: the assignments to restore
  std::vector<std::uint64_t> times_done_;
  std::vector<Judgement> judgements_;
  std::vector<std::string> failures_;
  bool over_ = false;
};

}  // namespace hilgate
