// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace hilgate {
namespace {

using Json = nlohmann::json;

std::string text_in(const Json& word, const char* key) {
  const auto found = word.find(key);
  return found != word.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_in(const Json& word, const char* key) {
  const auto found = word.find(key);
  return found != word.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::vector<std::string> texts_in(const Json& word, const char* key) {
  std::vector<std::string> texts;
  for (const Json& each : word.value(key, Json::array())) {
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

std::string in_seconds(Nanoseconds span) {
  return fmt::format("{:.0f} s", seconds_of(span));
}

}  // namespace

SiteAgreement::SiteAgreement(std::vector<std::string> gateways, std::string own, std::uint64_t life, SiteMember& member,
                             Send send)
    : gateways_(std::move(gateways)),
      own_(std::move(own)),
      life_(fmt::format("{}/{}", own_, life)),
      member_(member),
      send_(std::move(send)) {}

void SiteAgreement::propose(const SiteChange& change, HostTime now, Done done) {
  if (prepared_) {
    throw std::runtime_error(fmt::format("a change that gateway {} asked for is being made; try again", prepared_->by));
  }
  const std::uint64_t digest = member_.prepare(change);
  const std::string name = fmt::format("{}/{}", life_, ++count_);
  prepared_ = Prepared{.change = name, .by = own_, .digest = digest, .since = now};
  asked_ = Asked{.change = name,
                 .digest = digest,
                 .awaited = {gateways_.begin(), gateways_.end()},
                 .deadline = now + kAnswerWithin,
                 .done = std::move(done)};
  asked_->awaited.erase(own_);
  ask({{"change", name}, {"is", "prepare"}, {"command", change.command}, {"values", change.values}}, now);
}

void SiteAgreement::ask(Json word, HostTime now) {
  asked_->word = std::move(word);
  asked_->said = now;
  send_(asked_->word);
}

void SiteAgreement::hear(const std::string& from, const Json& word, HostTime now) {
  const std::string is = text_in(word, "is");
  if (from == own_ || std::ranges::find(gateways_, from) == gateways_.end() || !word.is_object()) {
    return;
  }
  if (is == "prepare") {
    return answer_prepare(from, word, now);
  }
  const std::string change = text_in(word, "change");
  if (asked_ && asked_->change == change) {
    return take_answer(from, is, word, now);
  }
  if (is == "commit" && has_made(change)) {
    return send_(made_);  // the last answer was lost
  }
  if (!prepared_ || prepared_->change != change || prepared_->by != from || prepared_->committed) {
    return;
  }
  if (is == "commit") {
    prepared_->committed = true;
    member_.await(SimTime{Nanoseconds{static_cast<std::int64_t>(number_in(word, "from"))}});
  } else if (is == "abort") {
    forget();
  }
}

void SiteAgreement::answer_prepare(const std::string& from, const Json& word, HostTime now) {
  const std::string change = text_in(word, "change");
  Json answer{{"change", change}};
  const bool is_again = prepared_ && prepared_->change == change && prepared_->by == from;
  if (is_again || has_made(change)) {
    if (is_again && !prepared_->committed) {
      send_({{"change", change}, {"digest", prepared_->digest}, {"is", "ready"}});
    }
    return;
  }
  try {
    if (prepared_) {
      throw std::runtime_error(fmt::format("is busy with a change that gateway {} asked for", prepared_->by));
    }
    const std::uint64_t digest =
        member_.prepare({.command = text_in(word, "command"), .values = texts_in(word, "values")});
    answer["digest"] = digest;
    answer["is"] = "ready";
    prepared_ = Prepared{.change = change, .by = from, .digest = digest, .since = now};
  } catch (const std::exception& error) {
    answer["is"] = "refused";
    answer["why"] = error.what();
  }
  send_(answer);
}

bool SiteAgreement::has_made(const std::string& change) const {
  return !change.empty() && text_in(made_, "change") == change;
}

void SiteAgreement::take_answer(const std::string& from, const std::string& is, const Json& word, HostTime now) {
  if (!asked_->awaited.contains(from)) {
    return;
  }
  if (!asked_->committed) {
    if (is == "refused") {
      return abandon(fmt::format("gateway {}: {}", from, text_in(word, "why")));
    }
    if (is != "ready") {
      return;
    }
    if (number_in(word, "digest") != asked_->digest) {
      return abandon(
          fmt::format("gateway {} would have another configuration ({:016x}, here {:016x}): its files differ", from,
                      number_in(word, "digest"), asked_->digest));
    }
    asked_->awaited.erase(from);
    return asked_->awaited.empty() ? commit(now) : void();
  }
  if (is == "done") {
    asked_->awaited.erase(from);
    asked_->windows[from] = number_in(word, "window");
    if (const std::string why = text_in(word, "why"); !why.empty()) {
      asked_->faults += fmt::format("{}gateway {}: {}", asked_->faults.empty() ? "" : "; ", from, why);
    }
    finish_when_all_have();
  }
}

void SiteAgreement::commit(HostTime now) {
  const SimTime from = member_.soon();
  asked_->committed = true;
  asked_->awaited = {gateways_.begin(), gateways_.end()};
  asked_->deadline = now + kAnswerWithin + std::chrono::seconds{1};
  prepared_->committed = true;
  ask({{"change", asked_->change},
       {"is", "commit"},
       {"from", static_cast<std::uint64_t>(from.time_since_epoch().count())}},
      now);
  member_.await(from);
}

void SiteAgreement::abandon(const std::string& why) {
  send_({{"change", asked_->change}, {"is", "abort"}});
  forget();
  end({.error = fmt::format("nothing was changed at any gateway: {}", why)});
}

void SiteAgreement::tick(HostTime now) {
  if (asked_ && now >= asked_->deadline) {
    const std::string names = fmt::format("{}", fmt::join(asked_->awaited, ", "));
    if (!asked_->committed) {
      return abandon(fmt::format("gateway {} has not answered within {}", names, in_seconds(kAnswerWithin)));
    }
    end({.error = fmt::format("gateway {} has not confirmed the change, which the others have made; `status` shows how "
                              "it is",
                              names)});
  } else if (asked_ && now - asked_->said >= kSayAgain) {
    ask(asked_->word, now);
  }
  if (prepared_ && !prepared_->committed && prepared_->by != own_ && now - prepared_->since >= kPreparedFor) {
    forget();
  }
}

void SiteAgreement::applied(std::uint64_t window, const std::string& error, HostTime now) {
  if (!prepared_ || !prepared_->committed) {
    return;
  }
  const Json word{{"change", prepared_->change}, {"is", "done"}, {"window", window}, {"why", error}};
  prepared_.reset();
  if (asked_) {
    take_answer(own_, "done", word, now);
  } else {
    made_ = word;
    send_(made_);
  }
}

void SiteAgreement::finish_when_all_have() {
  if (!asked_->awaited.empty()) {
    return;
  }
  Outcome outcome{.error = asked_->faults, .window = asked_->windows[own_]};
  for (const auto& [gateway, window] : asked_->windows) {
    outcome.window = std::min(outcome.window, window);
  }
  for (const auto& [gateway, window] : asked_->windows) {
    if (window > outcome.window) {
      outcome.late[gateway] = window;
    }
  }
  end(outcome);
}

void SiteAgreement::end(const Outcome& outcome) {
  const Done done = std::move(asked_->done);
  asked_.reset();
  done(outcome);
}

void SiteAgreement::forget() {
  prepared_.reset();
  member_.forget();
}

}  // namespace hilgate
