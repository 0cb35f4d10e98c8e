// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/step_connection.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include <fmt/format.h>

namespace hilgate {
namespace {

constexpr Nanoseconds kAfterDismissal = std::chrono::milliseconds(200);

}  // namespace

StepConnection::StepConnection(asio::io_context& io, StepLinkOptions options, ConnectionReporter reporter,
                               Handlers handlers)
    : options_(std::move(options)),
      report_(std::move(reporter), options_.link.name),
      handlers_(std::move(handlers)),
      link_(io, options_.link, report_,
            {.opened =
                 [this] {
                   greeted_ = ControlClock::now();
                   link_.keep_next(true);  // this one may not be a simulator
                   handlers_.opened();
                 },
             .frame = [this](std::string_view body) { take(body); },
             .lost = [this](bool patience_spent, const std::string& why) { lost(patience_spent, why); }}),
      watchdog_(io),
      reopening_(io) {
  watch();
}

StepConnection::~StepConnection() {
  *alive_ = false;
}

void StepConnection::ask(std::string_view body) {
  assert(!asking_);
  question_.assign(body);
  asking_ = true;
  if (ready_) {
    put();
  }
}

void StepConnection::put() {
  asked_ = ControlClock::now();
  asked_turn_ = link_.turn();
  link_.send(question_);
}

void StepConnection::ready() {
  ready_ = true;
  greeted_.reset();
  link_.keep_next(false);
  if (asking_) {
    put();
  }
}

void StepConnection::take(std::string_view body) {
  if (closed_ || handlers_.control(body)) {
    return;
  }
  if (!asking_ || !ready_ || asked_turn_ == link_.turn()) {
    report_.tell(LinkEventKind::kUnasked,
                 fmt::format("{}: ignored an unexpected frame of {} bytes", name(), body.size()));
    return;
  }
  const MaybeFault fault = handlers_.answer(body);
  if (!fault) {
    report_.rearm();
    end(true);
  } else if (is_soft(fault->error)) {
    report_.fault(*fault);
    end(true);
  } else {
    spoiled(*fault);
  }
}

void StepConnection::spoiled(const ProtocolFault& fault) {
  report_.fault(fault);
  if (options_.policy == TroublePolicy::kFail) {
    fail(fmt::format("{}: {}: {}", name(), hilgate::name(fault.error), fault.detail));
  } else if (fault.error != ProtocolError::kUnexpected) {
    end(false);
  }
}

void StepConnection::lost(bool patience_spent, const std::string& why) {
  ready_ = false;
  greeted_.reset();
  if (closed_) {
    return;
  }
  if (patience_spent || options_.policy == TroublePolicy::kFail) {
    fail(why);
  } else {
    reopen();
  }
}

void StepConnection::reopen() {
  try {
    link_.open();
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
}

void StepConnection::dismiss(const std::string& why) {
  if (options_.policy == TroublePolicy::kFail) {
    return fail(why);
  }
  start_afresh(kAfterDismissal);
}

// The next peer gets the pending question.
void StepConnection::start_afresh(Nanoseconds wait) {
  ready_ = false;
  greeted_.reset();
  link_.close();
  link_.keep_next(true);
  reopening_.expires_after(wait);  // one that is wrong again and again must not take the thread
  reopening_.async_wait([this, alive = alive_](std::error_code error) {
    if (!error && *alive && !closed_) {
      reopen();
    }
  });
}

void StepConnection::end(bool answered) {
  asking_ = false;
  handlers_.ended(answered);
}

// One timer that looks now and then costs less than arming one for every question.
void StepConnection::watch() {
  const auto shortest = std::min(options_.answer_timeout.count() > 0 ? options_.answer_timeout : Nanoseconds::max(),
                                 options_.greeting_timeout);
  watchdog_.expires_after(shortest / 4);
  watchdog_.async_wait([this, alive = alive_](std::error_code error) {
    if (error || !*alive || closed_) {
      return;
    }
    watch_greeting();
    if (*alive && !closed_ && watch_answer() && *alive && !closed_) {
      watch();
    }
  });
}

void StepConnection::watch_greeting() {
  if (greeted_ && ControlClock::now() - *greeted_ >= options_.greeting_timeout) {
    const std::string text = fmt::format("{}: the peer sent no hello for {:.1f} s and was disconnected", name(),
                                         std::chrono::duration<double>(options_.greeting_timeout).count());
    report_.tell(LinkEventKind::kSilent, text);
    start_afresh(Nanoseconds{0});  // whatever the policy: no session had begun
  }
}

// False when the run has failed.
bool StepConnection::watch_answer() {
  const auto silent = ControlClock::now() - asked_;
  if (options_.answer_timeout.count() == 0 || !asking_ || !ready_ || silent < options_.answer_timeout) {
    return true;
  }
  const std::string text =
      fmt::format("{}: no answer for {:.1f} s", name(), std::chrono::duration<double>(silent).count());
  report_.tell(LinkEventKind::kSilent, text);
  if (options_.policy == TroublePolicy::kFail) {
    fail(text);
    return false;
  }
  start_afresh(Nanoseconds{0});
  end(false);  // what the peer still owes would be taken for the answer to another question
  return true;
}

void StepConnection::close() {
  closed_ = true;
  ready_ = false;
  asking_ = false;
  watchdog_.cancel();
  reopening_.cancel();
  link_.close();
}

void StepConnection::fail(const std::string& why) {
  if (closed_) {
    return;
  }
  close();
  handlers_.failed(why);
}

}  // namespace hilgate
