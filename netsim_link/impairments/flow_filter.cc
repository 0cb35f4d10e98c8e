// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/flow_filter.h"

#include <pcap/pcap.h>

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <utility>

namespace hilgate {
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
    throw std::invalid_argument(fmt::format("'{}' is not a filter: {}; example: udp port 14550 (man pcap-filter)", text,
                                            pcap_geterr(handle.get())));
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
