// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/replayed_verdicts.h"

#include <algorithm>

#include "gateway/record/run_layout.h"
#include "gateway/record/verdict_codec.h"
#include "gateway/run/simulation/parked_packets.h"

namespace hilgate {
namespace {

// A record does not say which packets get no further verdict. Room for those of several windows.
constexpr std::uint64_t kRemembered = 8192;

}  // namespace

ReplayedVerdicts::ReplayedVerdicts(const std::filesystem::path& record, OfflinePath& path)
    : path_(path), messages_(record, {kVerdictsTopic}) {}

void ReplayedVerdicts::carry_out(Nanoseconds at) {
  for (const auto* message = messages_.next(); message != nullptr && message->at <= at; message = messages_.next()) {
    take(*message);
    messages_.pop();
  }
}

// A message has the verdicts of one step of the network simulator: what was to be released before has been.
void ReplayedVerdicts::take(const RecordStream::Message& message) {
  const std::vector<Verdict> verdicts = decode_verdicts(message.data);
  SimTime first = SimTime::max();
  for (const Verdict& verdict : verdicts) {
    if (verdict.drop == AirDrop::kNone && !verdict.at_once) {
      first = std::min(first, verdict.release_at);
    }
  }
  if (first != SimTime::max()) {
    release_before(first);
  }
  for (const Verdict& verdict : verdicts) {
    ++verdicts_;
    newest_ = std::max(newest_, verdict.packet);
    if (verdict.drop == AirDrop::kNone && !verdict.at_once) {
      waiting_.emplace(verdict.release_at, verdict);
    } else {
      carry_out(verdict);
    }
  }
  forget_before(newest_ > kRemembered ? newest_ - kRemembered : 0);
}

void ReplayedVerdicts::release_before(SimTime at) {
  while (!waiting_.empty() && waiting_.begin()->first < at) {
    carry_out(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
  }
}

void ReplayedVerdicts::carry_out(const Verdict& verdict) {
  const TableRobots& robots = path_.slots().table();
  if (!robots.has(verdict.receiver)) {
    return;
  }
  ParkedOrder order{.packet = verdict.packet, .due = VerdictRings::kNow, .to = robots.slot_of(verdict.receiver)};
  if (verdict.drop == AirDrop::kNone) {
    order.what = ParkedOrder::What::kDeliver;
    order.ber = verdict.ber;
  } else {
    order.what = ParkedOrder::What::kDrop;
    order.reason = reason_of(verdict.drop);
  }
  path_.order(order);
}

void ReplayedVerdicts::forget_before(std::uint64_t packet) {
  for (; forgotten_ < packet; ++forgotten_) {
    path_.order({.packet = forgotten_, .what = ParkedOrder::What::kForget, .reason = DropReason::kVerdictDrop});
  }
}

void ReplayedVerdicts::end() {
  carry_out(Nanoseconds::max());
  release_before(SimTime::max());
  forget_before(newest_ + 1);
}

}  // namespace hilgate
