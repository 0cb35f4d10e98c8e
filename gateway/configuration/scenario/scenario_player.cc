// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/config_file.h"

namespace hilgate {
namespace {

// One line, whatever was thrown.
std::string line_of(const std::exception& error) {
  if (const auto* faults = dynamic_cast<const ConfigError*>(&error); faults != nullptr && !faults->faults().empty()) {
    const Fault& fault = faults->faults().front();
    return fmt::format("{}: {}", fault.path, fault.text);
  }
  std::string text = error.what();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

ScenarioPlayer::ScenarioPlayer(Scenario scenario, ScenarioRun& run)
    : scenario_(std::move(scenario)),
      run_(&run),
      observations_(scenario_.expectations.size()),
      before_(scenario_.steps.size()),
      times_done_(scenario_.steps.size()),
      judgements_(scenario_.expectations.size()) {
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    due_.insert({.at = scenario_.steps[i].at, .what = What::kStep, .item = i});
  }
  for (std::size_t i = 0; i < scenario_.expectations.size(); ++i) {
    due_.insert({.at = scenario_.expectations[i].from, .what = What::kObserve, .item = i});
    due_.insert({.at = scenario_.expectations[i].until, .what = What::kJudge, .item = i});
  }
  due_.insert({.at = scenario_.end, .what = What::kEnd});
}

std::vector<Expectation> ScenarioPlayer::leave_out_before(SimTime begin) {
  std::vector<Expectation> left_out;
  for (std::size_t i = 0; i < scenario_.expectations.size(); ++i) {
    const Expectation& expectation = scenario_.expectations[i];
    if (SimTime{expectation.from} < begin) {
      due_.erase({.at = expectation.from, .what = What::kObserve, .item = i});
      due_.erase({.at = expectation.until, .what = What::kJudge, .item = i});
      judgements_[i].verdict = Verdict::kLeftOut;
      left_out.push_back(expectation);
    }
  }
  return left_out;
}

SimTime ScenarioPlayer::next() const {
  return over_ || due_.empty() ? SimTime::max() : SimTime{due_.begin()->at};
}

bool ScenarioPlayer::window_began(SimTime now) {
  if (next() <= now) {
    run_->settle();
  }
  while (!over_ && !due_.empty() && SimTime{due_.begin()->at} <= now) {
    const Due due = *due_.begin();
    due_.erase(due_.begin());
    over_ = !act(due, now);
  }
  return !over_;
}

bool ScenarioPlayer::act(const Due& due, SimTime now) {
  switch (due.what) {
    case What::kJudge:
      judge(due, now);
      return true;
    case What::kEnd:
      if (awaits_judgement()) {
        put_off(due, now);
        return true;
      }
      return false;
    case What::kObserve:
      observe(due.item);
      return true;
    case What::kTakeBack:
    case What::kStep:
      break;
  }
  try {
    if (due.what == What::kTakeBack) {
      change(before_[due.item], true);
    } else {
      step(due, now);
    }
    return true;
  } catch (const std::exception& error) {
    fail(scenario_.steps[due.item].line, line_of(error));
    return false;
  }
}

void ScenarioPlayer::step(const Due& due, SimTime now) {
  const ScenarioStep& step = scenario_.steps[due.item];
  times_done_[due.item] = due.time + 1;
  if (!step.mark.empty()) {
    run_->marked(step.mark, now);
  }
  if (const auto values = step.values(due.time); !values.empty()) {
    if (step.lasts) {
      before_[due.item] = run_->standing(values);
      due_.insert({.at = due.at + *step.lasts, .what = What::kTakeBack, .item = due.item});
    }
    change(values, false);
  }
  if (!step.reset.empty()) {
    change(step.reset, true);
  }
  if (step.pause) {
    run_->pause_for(*step.pause);
  }
  if (due.time + 1 < step.times) {
    due_.insert({.at = step.instant(due.time + 1), .what = What::kStep, .item = due.item, .time = due.time + 1});
  }
}

// A change may take links away, and their counters with them.
void ScenarioPlayer::change(const std::vector<std::string>& values, bool back) {
  for (const std::size_t item : observed_) {
    observations_[item].count(run_->links(scenario_.expectations[item].links));
  }
  back ? run_->take_back(values) : run_->set_values(values);
  for (const std::size_t item : observed_) {
    observations_[item].count(run_->links(scenario_.expectations[item].links));
  }
}

void ScenarioPlayer::table_came(SimTime at) {
  for (const std::size_t item : observed_) {
    const Expectation& expectation = scenario_.expectations[item];
    if (expectation.kind == Expectation::Kind::kReachable && at >= SimTime{expectation.from} &&
        at < SimTime{expectation.until}) {
      observations_[item].look(at, run_->links(expectation.links));
    }
  }
}

void ScenarioPlayer::handed_over(const HandoverSample& handover) {
  for (const std::size_t item : observed_) {
    observations_[item].take(handover);
  }
}

void ScenarioPlayer::observe(std::size_t item) {
  const Expectation& expectation = scenario_.expectations[item];
  observations_[item].begin(run_->links(expectation.links));
  observed_.insert(item);
  judgements_[item].verdict = Verdict::kWatched;
  if (expectation.kind == Expectation::Kind::kDelay) {
    run_->measure_delay(item, expectation.links);
  }
}

// Until the next window.
void ScenarioPlayer::put_off(Due due, SimTime now) {
  due.at = now.time_since_epoch() + Nanoseconds{1};
  due_.insert(due);
}

bool ScenarioPlayer::awaits_judgement() const {
  return std::ranges::any_of(due_, [](const Due& due) { return due.what == What::kJudge; });
}

void ScenarioPlayer::judge(const Due& due, SimTime now) {
  const std::size_t item = due.item;
  const Expectation& expectation = scenario_.expectations[item];
  Observation& observation = observations_[item];
  if (expectation.kind == Expectation::Kind::kDelay) {
    const auto delay = run_->measured_delay(item, expectation.share);
    if (!delay) {
      return put_off(due, now);
    }
    observation.take(*delay);
  }
  const std::vector<LinkSample> samples = run_->links(expectation.links);
  observation.count(samples);
  if (!observation.has_looked()) {  // no table has come: all was as it had been
    observation.look(now, samples);
  }
  observed_.erase(item);
  std::string failure;
  if (const std::string fault = observation.fault(expectation); !fault.empty()) {
    const bool of_station = expectation.kind == Expectation::Kind::kHandover;
    failure = fmt::format("{}, {:.9g} s to {:.9g} s: {}", of_station ? expectation.robot : expectation.links.text(),
                          seconds_of(expectation.from), seconds_of(expectation.until), fault);
    fail(expectation.line, failure);
    failure = failures_.back();
  }
  judgements_[item] = {failure.empty() ? Verdict::kMet : Verdict::kFailed, failure};
  run_->judged(expectation, failure);
}

void ScenarioPlayer::finish(SimTime now) {
  over_ = true;
  for (const Due& due : due_) {
    if (due.what == What::kJudge) {
      const Expectation& expectation = scenario_.expectations[due.item];
      fail(expectation.line, fmt::format("not judged: the run ended at {:.9g} s, before {:.9g} s",
                                         seconds_of(now.time_since_epoch()), seconds_of(expectation.until)));
      judgements_[due.item] = {Verdict::kFailed, failures_.back()};
    }
  }
  due_.clear();
}

void ScenarioPlayer::fail(int line, const std::string& what) {
  failures_.push_back(fmt::format("{}:{}: {}", scenario_.file, line, what));
}

}  // namespace hilgate
