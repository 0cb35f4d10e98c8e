// SPDX-License-Identifier: Apache-2.0
// Stage 3: what becomes of each delivery, and which queue it enters first: the parking where a network simulator
// judges packets, the sender's medium, its access point, or straight what its link is made of (link_stage.h). Where the
// medium is another core's, the frame goes there first (home_stage.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "path/addresses/directory.h"
#include "path/air_stage.h"
#include "path/answers/address_resolution.h"
#include "path/answers/packet_too_big.h"
#include "path/delivery_ledger.h"
#include "path/hold_stage.h"
#include "path/home_stage.h"
#include "path/link_stage.h"
#include "path/path_parts.h"
#include "path/release_stage.h"
#include "path/verdict_stage.h"

namespace hilgate {

template <FramePort Port, FramePool Pool>
class DecideStage {
 public:
  /// What comes next; must outlive the stage.
  struct Next {
    VerdictStage<Pool>& verdicts;
    HomeStage<Pool>& home;
    AirStage<Pool>& air;
    LinkStage<Pool>& links;
    HoldStage<Pool>& hold;
    ReleaseStage<Port, Pool>& release;
  };

  DecideStage(std::size_t robots, PathParts& parts, DeliveryLedger<Pool>& ledger, Next next)
      : parts_(parts), ledger_(ledger), next_(next), too_big_(robots) {
    receivers_.reserve(robots);
  }

  /// Each frame for each of its receivers. Does nothing for a run without receivers.
  void decide(const FlowRun& run) noexcept {
    if (run.to.empty()) {
      return;
    }
    if (run.ptp) {
      return bypass_air(run);
    }
    if (parts_.slot(run.from).first_step == FirstStep::kOtherCore) {
      return send_home(run);
    }
    count_deliveries(run);
    if (run.to.size() == 1 && !next_.verdicts.judges(run.from, run.to.front()) &&
        parts_.slot(run.from).first_step == FirstStep::kDirect) {
      return next_.links.decide(run, parts_.link_between(run.from, run.to.front()));
    }
    for (const Frame& frame : run.frames) {
      decide_one(run, frame);
    }
  }

  /// What the core of its port has sent here, as the core of its medium.
  void decide_at_home(const FlowRun& run) noexcept {
    count_deliveries(run);
    for (const Frame& frame : run.frames) {
      next_.verdicts.on() ? judge(run, frame) : enter(run, frame);
    }
  }

 private:
  void count_deliveries(const FlowRun& run) noexcept {
    ledger_.begin(run.frames.size(), run.to, [&](RobotSlot to) { return parts_.link_between(run.from, to); });
  }

  void decide_one(const FlowRun& run, const Frame& frame) noexcept {
    const Sending sending = run.sending(frame);
    if (answered_instead(sending)) {
      return drop_answered(run, frame);
    }
    if (next_.verdicts.on()) {
      return judge(run, frame);
    }
    answer_too_big(sending, run.to.front());
    enter(run, frame);
  }

  // Receivers whose links the network simulator does not decide are reached as without one.
  [[gnu::noinline]] void judge(const FlowRun& run, const Frame& frame) noexcept {
    const Sending sending = run.sending(frame);
    const auto put = [&](bool judged) {
      for (const RobotSlot to : run.to) {
        if (next_.verdicts.judges(run.from, to) == judged) {
          receivers_.push_back(to);
        }
      }
    };
    receivers_.clear();
    put(true);
    const std::size_t judged = receivers_.size();
    put(false);
    const std::span<const RobotSlot> receivers(receivers_);
    if (judged > 0 && judged < receivers.size()) {
      ledger_.share(frame, 2);
    }
    if (judged > 0) {
      const auto by_verdict = receivers.first(judged);
      next_.verdicts.goes_around(sending) ? next_.verdicts.pass_around(sending, by_verdict)
                                          : next_.verdicts.enqueue_parking(sending, by_verdict);
    }
    if (judged < receivers.size()) {
      FlowRun others = run;
      others.to = receivers.subspan(judged);
      answer_too_big(sending, others.to.front());
      enter(others, frame);
    }
  }

  // What is answered at the port is answered here, where the port is.
  [[gnu::noinline]] void send_home(const FlowRun& run) noexcept {
    if (parts_.is_decided_here(run.from)) {
      count_deliveries(run);
      for (const Frame& frame : run.frames) {
        decide_one(run, frame);
      }
      return;
    }
    for (const Frame& frame : run.frames) {
      const Sending sending = run.sending(frame);
      if (answered_instead(sending)) {
        FlowRun one = run;
        one.frames = {&frame, 1};
        count_deliveries(one);
        drop_answered(one, frame);
        continue;
      }
      answer_too_big(sending, run.to.front());
      next_.home.enqueue_home(sending, run.to);
    }
  }

  void enter(const FlowRun& run, const Frame& frame) noexcept {
    const Sending sending = run.sending(frame);
    ledger_.share(frame, run.to.size());
    switch (parts_.slot(run.from).step_at_home) {
      case FirstStep::kMedium:
        return next_.air.enqueue_medium(sending, run.to);
      case FirstStep::kMesh:
        return next_.air.enqueue_mesh(sending, run.to);
      case FirstStep::kAccessPoint:
        return next_.air.enqueue_access_point(sending, run.to);
      case FirstStep::kDirect:
      case FirstStep::kOtherCore:
        break;
    }
    FlowRun one = run;
    one.frames = {&frame, 1};
    for (const RobotSlot to : run.to) {
      next_.links.decide(one, parts_.link_between(run.from, to));
    }
  }

  // PTP is due as it arrives; the time it takes goes into its correction field.
  void bypass_air(const FlowRun& run) noexcept {
    const Frame& frame = run.frames.front();
    if (parts_.ptp_of(run.from) == PtpPassage::kKeep) {
      return ledger_.refuse(frame, DropReason::kPtpKept);
    }
    count_deliveries(run);
    ledger_.share(frame, run.to.size());
    for (const RobotSlot to : run.to) {
      const LinkSlot link = parts_.link_between(run.from, to);
      HeldFrame held = HeldFrame::of(frame, link, frame.arrived);
      held.ptp = held.loose = true;
      if (parts_.ptp_of(to) == PtpPassage::kKeep) {
        ledger_.drop(held, DropReason::kPtpKept);
      } else {
        next_.hold.enqueue_hold(held);
      }
    }
  }

  // Whether the frame asks for another robot's address, was answered, and goes nowhere else.
  bool answered_instead(const Sending& sending) noexcept {
    const AnswerNeighbour answers = parts_.slot(sending.from).answers;
    return answers != AnswerNeighbour::kNo && answer_neighbour(sending) && answers == AnswerNeighbour::kInstead;
  }

  // For another robot that the sender asks for, whether the question reaches it or not. False: no robot is asked for.
  bool answer_neighbour(const Sending& sending) noexcept {
    const std::span<const std::byte> head(sending.frame.data, sending.frame.head_length);
    const auto asked = NeighbourAnswers::asked(head, sending.payload);
    const auto owner = asked ? parts_.directory.owner_of(*asked) : std::nullopt;
    const auto mac = owner ? parts_.directory.mac_of(*owner) : std::nullopt;
    if (!mac || !parts_.directory.pass(sending.from, *owner)) {
      return false;
    }
    next_.release.inject(neighbours_.answer(head, sending.payload, *mac), parts_.directory.port_of(sending.from),
                         parts_.slot(sending.from).addressing.vlan);
    return true;
  }

  void drop_answered(const FlowRun& run, const Frame& frame) noexcept {
    ledger_.share(frame, run.to.size());
    for (const RobotSlot to : run.to) {
      ledger_.drop(PendingDelivery::of(frame, parts_.link_between(run.from, to)), DropReason::kAnswered);
    }
  }

  // Reports to the sender that its packet is longer than its radio carries.
  void answer_too_big(const Sending& sending, RobotSlot receiver) noexcept {
    const std::uint32_t mtu = parts_.slot(sending.from).icmp_mtu;
    if (mtu == 0 || sending.frame.length - sending.payload <= mtu) {
      return;
    }
    const auto answer = too_big_.answer({sending.frame.data, sending.frame.head_length}, mtu, sending.from.value(),
                                        sending.frame.arrived, parts_.slot(receiver).speaker);
    if (!answer.empty()) {
      next_.release.inject(answer, parts_.directory.port_of(sending.from), parts_.slot(sending.from).addressing.vlan);
    }
  }

  PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  Next next_;
  PacketTooBig too_big_;
  NeighbourAnswers neighbours_;
  std::vector<RobotSlot> receivers_;  // of a frame: those whose links a simulator decides, then the others
};

}  // namespace hilgate
