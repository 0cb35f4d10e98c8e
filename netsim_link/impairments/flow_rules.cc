// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/flow_rules.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

#include "config/plain_text.h"

namespace hilgate {
namespace {

// visit(model, state) for every row of the table: the rule's model where it has one, else the link's.
template <class Visit>
void for_each_met(const Impairments& impairments, const MetRule& met, ImpairmentState& state, Visit visit) {
  for_each_impairment(
      [&visit](const auto& model, const auto& changed, auto& memory, auto& memory_of_changed) {
        changed ? visit(changed, memory_of_changed) : visit(model, memory);
      },
      impairments, met.rule->changes, state, met.memory->state);
}

}  // namespace

MetRule met_rule(const Impairments& impairments, std::span<const std::byte> head, std::uint32_t length,
                 std::span<FlowMemory> memories) {
  if (impairments.flows == nullptr) {
    return {};
  }
  const std::vector<FlowRule>& rules = impairments.flows->rules;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].filter.matches(head, length)) {
      rules[i].matched->fetch_add(1, std::memory_order_relaxed);
      return {&rules[i], &memories[i]};
    }
  }
  return {};
}

std::optional<DropReason> draw_loss(const Impairments& impairments, const MetRule& met, const ImpairedFrame& frame,
                                    ImpairmentState& state, FrameRandom& random) {
  if (met.rule == nullptr) {
    return draw_loss(impairments, frame, state, random);
  }
  std::optional<DropReason> lost;
  for_each_met(impairments, met, state, [&](const auto& model, auto& memory) {
    if constexpr (requires { model->lose(frame, memory, random); }) {
      if (!lost && model) {
        lost = model->lose(frame, memory, random);
      }
    }
  });
  return lost;
}

ImpairedTiming draw_timing(const Impairments& impairments, const MetRule& met, const ImpairedFrame& frame,
                           ImpairmentState& state, FrameRandom& random) {
  if (met.rule == nullptr) {
    return draw_timing(impairments, frame, state, random);
  }
  ImpairedTiming timing;
  for_each_met(impairments, met, state, [&](const auto& model, auto& memory) {
    if constexpr (requires { model->retime(frame, memory, random, timing); }) {
      if (model) {
        model->retime(frame, memory, random, timing);
      }
    }
  });
  return timing;
}

namespace {

using Handle = std::unique_ptr<pcap_t, decltype(&pcap_close)>;
using Program = std::vector<bpf_insn>;

constexpr int kWholeFrames = 262'144;  // what libpcap takes at most

// No device and no socket: it compiles only.
Handle compiler() {
  Handle handle(pcap_open_dead(DLT_EN10MB, kWholeFrames), &pcap_close);
  if (handle == nullptr) {
    throw std::bad_alloc();
  }
  return handle;
}

std::shared_ptr<const Program> compiled(const std::string& text) {
  const Handle handle = compiler();
  bpf_program program{};
  if (pcap_compile(handle.get(), &program, text.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
    throw std::invalid_argument(fmt::format("'{}' is not a filter: {}; example: udp port 14550 (man pcap-filter)",
                                            shown(text), pcap_geterr(handle.get())));
  }
  auto copy = std::make_shared<const Program>(program.bf_insns, program.bf_insns + program.bf_len);
  pcap_freecode(&program);
  return copy;
}

}  // namespace

FlowFilter::FlowFilter(std::string text) : text_(std::move(text)), program_(compiled(text_)) {}

bool FlowFilter::matches(std::span<const std::byte> head, std::uint32_t length) const {
  return bpf_filter(program_->data(), reinterpret_cast<const u_char*>(head.data()), length,
                    static_cast<u_int>(head.size())) != 0;
}

}  // namespace hilgate
