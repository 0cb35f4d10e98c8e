// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/step_link.h"

#include <cassert>
#include <stdexcept>

#include <fmt/format.h>

namespace hilgate {
StepLink::StepLink(asio::io_context& io, StepLinkOptions options, ConnectionReporter reporter, Handlers handlers)
    : options_(std::move(options)),
      report_(std::move(reporter)),
      handlers_(std::move(handlers)),
      link_(io, options_.link, report_,
            {.opened = [this] { handlers_.opened(); },
             .frame = [this](std::string_view body) { take(body); },
             .lost = [this](bool patience_spent, const std::string& why) { lost(patience_spent, why); }}),
      watchdog_(io) {
  watch();
}

StepLink::~StepLink() {
  *alive_ = false;
}

void StepLink::ask(std::string_view body) {
  assert(!asking_);
  question_.assign(body);
  asking_ = true;
  if (ready_) {
    put();
  }
}

void StepLink::put() {
  asked_ = std::chrono::steady_clock::now();
  asked_turn_ = link_.turn();
  link_.send(question_);
}

void StepLink::ready() {
  ready_ = true;
  if (asking_) {
    put();
  }
}

void StepLink::take(std::string_view body) {
  if (closed_ || handlers_.control(body)) {
    return;
  }
  if (!asking_ || !ready_ || asked_turn_ == link_.turn()) {
    report_.tell(LinkEventKind::kUnasked,
                 fmt::format("{}: a frame of {} bytes that nobody asked for was ignored", name(), body.size()));
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

void StepLink::spoiled(const WireFault& fault) {
  report_.fault(fault);
  if (options_.policy == TroublePolicy::kFail) {
    fail(fmt::format("{}: {}: {}", name(), hilgate::name(fault.error), fault.detail));
  } else if (fault.error != WireError::kUnexpected) {
    end(false);
  }
}

void StepLink::lost(bool patience_spent, const std::string& why) {
  ready_ = false;
  if (closed_) {
    return;
  }
  if (patience_spent || options_.policy == TroublePolicy::kFail) {
    fail(why);
  } else {
    reopen();
  }
}

void StepLink::reopen() {
  try {
    link_.open();
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
}

void StepLink::end(bool answered) {
  asking_ = false;
  handlers_.ended(answered);
}

// One timer that looks now and then costs less than arming one for every question.
void StepLink::watch() {
  if (options_.answer_timeout.count() == 0) {
    return;
  }
  watchdog_.expires_after(options_.answer_timeout / 4);
  watchdog_.async_wait([this, alive = alive_](std::error_code error) {
    if (error || !*alive || closed_) {
      return;
    }
    const auto silent = std::chrono::steady_clock::now() - asked_;
    if (asking_ && ready_ && silent >= options_.answer_timeout) {
      const std::string text =
          fmt::format("{}: no answer for {:.1f} s", name(), std::chrono::duration<double>(silent).count());
      report_.tell(LinkEventKind::kSilent, text);
      if (options_.policy == TroublePolicy::kFail) {
        fail(text);
        return;
      }
      // What a hanging peer still owes would be taken for the answer to another question: start afresh.
      ready_ = false;
      link_.close();
      end(false);
      if (*alive && !closed_) {
        reopen();
      }
    }
    if (*alive && !closed_) {
      watch();
    }
  });
}

void StepLink::close() {
  closed_ = true;
  ready_ = false;
  asking_ = false;
  watchdog_.cancel();
  link_.close();
}

void StepLink::fail(const std::string& why) {
  if (closed_) {
    return;
  }
  close();
  handlers_.failed(why);
}

}  // namespace hilgate
