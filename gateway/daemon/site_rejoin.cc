// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/site_rejoin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <asio/post.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clock/host_now.h"
#include "gateway/run/simulation/site_air.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kToTakeOver = 100ms;  // from the last window computed in the background to the run's first one

}  // namespace

struct SiteRejoin::Past {
  WallTime zero{};
  Nanoseconds window{0};
  bool is_told = false;
  std::size_t ends = 0;
  Simulation simulation;
  std::atomic<std::uint64_t> done{0}, all{0};
  std::optional<RunBegin> begin;
  std::string fault;
  std::jthread thread;  // its end makes the above whole
};

SiteRejoin::SiteRejoin(asio::io_context& context, const Configuration& configuration, Nanoseconds zero_within, Run run)
    : context_(context), configuration_(configuration), run_(std::move(run)), choice_(zero_within) {}

SiteRejoin::~SiteRejoin() {
  give_up();
}

std::optional<SiteRejoining> SiteRejoin::rejoining() const {
  return past_ ? std::optional(SiteRejoining{past_->done, past_->all}) : std::nullopt;
}

void SiteRejoin::give_up() {
  if (past_) {
    past_->thread = {};  // asks it to stop, and waits for the window at hand
    past_.reset();
  }
}

void SiteRejoin::look() {
  const SiteReport report = run_.report();
  choice_.look(host_now(), run_.zero(), zeros_of(report));
  run_.tell(choice_.told());
  const std::optional<WallTime> wanted = choice_.wanted();
  if (past_ && (!wanted || !choice_.same(*wanted, past_->zero))) {
    spdlog::info("site: this gateway need not begin anew any more");
    give_up();
  }
  if (wanted && !past_) {
    begin(*wanted, report);
  }
}

void SiteRejoin::begin(WallTime zero, const SiteReport& report) {
  std::vector<std::string> names;
  for (const SiteReport::Peer& peer : report.peers) {
    if (peer.report.zero && choice_.same(*peer.report.zero, zero)) {
      names.push_back(peer.name);
    }
  }
  spdlog::warn(
      "site: this gateway's simulation began apart from that of {}; it begins anew as theirs, {:.1f} s of which are to "
      "be computed; its own robots continue meanwhile",
      fmt::join(names, ", "), seconds_of(run_.wall() - zero));
  const auto past = std::make_shared<Past>();
  past->zero = zero;
  past->window = configuration_.window;
  past->is_told = is_air_external(configuration_);
  past->ends = link_ends(configuration_);
  past->simulation = run_.simulation();
  past_ = past;
  past->thread = run_.background([this, weak = std::weak_ptr(past), raw = past.get()](const std::stop_token& stop) {
    compute(*raw, stop);
    if (!stop.stop_requested()) {
      asio::post(context_, [this, weak] {
        if (const auto whole = weak.lock(); whole && whole == past_) {
          take(whole);
        }
      });
    }
  });
}

void SiteRejoin::compute(Past& past, const std::stop_token& stop) const {
  const auto goes_on = [&](std::uint64_t done, std::uint64_t all) {
    past.done.store(done, std::memory_order_relaxed);
    past.all.store(all, std::memory_order_relaxed);
    return !stop.stop_requested();
  };
  try {
    past.begin = compute_past({.zero = past.zero,
                               .window = past.window,
                               .is_told = past.is_told,
                               .ends = past.ends,
                               .until = [this] { return run_.wall() + kToTakeOver; },
                               .goes_on = goes_on},
                              past.simulation);
  } catch (const std::exception& error) {
    past.fault = error.what();
  }
}

void SiteRejoin::take(const std::shared_ptr<Past>& past) {
  past->thread = {};
  past_.reset();
  if (!past->begin) {
    spdlog::error("site: the windows since the others' beginning could not be computed: {}", past->fault);
  } else if (run_.may_begin()) {
    ++times_;
    spdlog::warn("site: begins anew at {:.9g} s of the others' simulation, after {} windows of it",
                 seconds_of(past->begin->at.time_since_epoch()), past->begin->window);
    run_.begin_anew(std::move(past->simulation), *past->begin);
  }  // else the next look begins again
}

}  // namespace hilgate
