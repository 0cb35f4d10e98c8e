// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/run_start.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clock/host_now.h"
#include "config/config_file.h"
#include "gateway/daemon/change.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/site_air.h"

namespace hilgate {
namespace {

constexpr Nanoseconds kToOpenPorts{1'000'000'000};
constexpr Nanoseconds kTellEvery{10'000'000'000};

[[noreturn]] void refuse_start(const Configuration& configuration, const std::string& why) {
  throw ConfigError({{configuration.file.string(), 0, "--from", why}});
}

void check_start(const Configuration& configuration, Nanoseconds from) {
  if (!configuration.scenario) {
    refuse_start(configuration,
                 "begins in the middle of a scenario, and there is none; give --scenario, or `scenario`");
  }
  if (from < Nanoseconds{0} || from >= configuration.scenario->end) {
    refuse_start(configuration,
                 fmt::format("'{:.9g} s' is out of range; allowed: from 0 s to before the scenario's end, "
                             "which is at {:.9g} s",
                             seconds_of(from), seconds_of(configuration.scenario->end)));
  }
  if (is_air_external(configuration) || configuration.pace == Pace::kFollow) {
    refuse_start(configuration,
                 "needs physics and netsim of the gateway's own: what other programs and robots would have sent up to "
                 "there is not known");
  }
}

/// The part of a run before it begins: its changes and its air, without ports and frames.
class LeadIn final : public ScenarioRun {
 public:
  LeadIn(RunStart& start, const KnownNames& known)
      : start_(start), known_(known), world_(world_of(start.configuration, start.document)) {}

  void begin_window(SimTime at) { at_ = at; }
  void look() const { static_cast<void>(links_at(at_, start_.simulation, link_ends(start_.configuration))); }

  void set_values(const std::vector<std::string>& values) override { change(start_.document.with(values)); }
  std::vector<std::string> standing(const std::vector<std::string>& values) override {
    return start_.document.standing(values);
  }
  void take_back(const std::vector<std::string>& before) override { change(start_.document.with_standing(before)); }
  void pause_for(Nanoseconds) override {}
  void marked(const std::string&, SimTime) override {}
  void settle() override {}
  std::vector<LinkSample> links(const LinkChoice&) override { return {}; }
  void measure_delay(std::size_t, const LinkChoice&) override {}
  std::optional<DelaySample> measured_delay(std::size_t, double) override { return std::nullopt; }
  void judged(const Expectation&, const std::string&) override {}

 private:
  void change(const ConfigDocument& document) {
    Configuration wanted = document.read(known_);
    check_change(start_.configuration, start_.document, wanted, document);
    wanted.scenario = std::move(start_.configuration.scenario);
    if (std::string world = world_of(wanted, document); world != world_) {
      start_.simulation = make_simulation(wanted);
      world_ = std::move(world);
    } else {
      start_.simulation.air = configured_air(wanted, *start_.simulation.netsim);
      change_air(wanted, start_.simulation);
    }
    start_.configuration = std::move(wanted);
    start_.document = document;
  }

  RunStart& start_;
  const KnownNames& known_;
  std::string world_;
  SimTime at_{};
};

}  // namespace

RunStart start_of(const Configuration& configuration) {
  return {.configuration = configuration,
          .document = ConfigDocument::load(configuration.file),
          .simulation = make_simulation(configuration)};
}

RunStart start_at(const Configuration& configuration, Nanoseconds from, const KnownNames& known) {
  check_start(configuration, from);
  RunStart start = start_of(configuration);
  LeadIn run(start, known);
  ScenarioPlayer player(*configuration.scenario, run);
  RunBegin begin;
  const auto left_out = player.leave_out_before(SimTime{from});
  while (begin.at < SimTime{from}) {
    const Nanoseconds length = start.configuration.window;  // the length that a step sets holds from the next window on
    run.begin_window(begin.at);
    if (!player.window_began(begin.at)) {
      throw std::runtime_error(player.failures().front());
    }
    run.look();
    begin.at += length;
    ++begin.window;
  }
  start.configuration.begin = begin;
  start.scenario.emplace(std::move(player));
  spdlog::info("scenario: begins at {:.9g} s, as though it had run for {} windows",
               seconds_of(begin.at.time_since_epoch()), begin.window);
  for (const Expectation& expectation : left_out) {
    spdlog::warn("scenario: the expectation of line {} is left out, since its time begins before --from",
                 expectation.line);
  }
  return start;
}

RunStart start_in_site(const Configuration& configuration, const SiteBegun& site) {
  RunStart start = start_of(configuration);
  HostTime told = host_now();
  const auto tell = [&](std::uint64_t done, std::uint64_t all) {
    if (done % 64 == 0 && host_now() - told > kTellEvery) {
      told = host_now();
      spdlog::info("site: {} of {} windows since its beginning are computed", done, all);
    }
    return true;
  };
  start.configuration.begin = compute_past({.zero = site.zero,
                                            .window = configuration.window,
                                            .is_told = is_air_external(configuration),
                                            .ends = link_ends(configuration),
                                            .until = [&site] { return site.now(host_now()) + kToOpenPorts; },
                                            .goes_on = tell},
                                           start.simulation)
                                  .value();
  const RunBegin& begin = start.configuration.begin;
  spdlog::info("site: joins at {:.9g} s of its simulation, after {} windows", seconds_of(begin.at.time_since_epoch()),
               begin.window);
  return start;
}

}  // namespace hilgate
